#!/usr/bin/env python3
"""usage: limits_test.py NVM

Programs and files that take all they can get, under --memory and --time-limit: resident memory as the system
measures it stays below 1.05 times the limit and a constant, whatever takes it; what is out of time ends, in a
time that no loaded machine exceeds; and every end is a message.
"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

NVM = sys.argv.pop(1) if len(sys.argv) > 1 else "nvm"
MIB = 1 << 20
BEYOND = 64 * MIB  # heap that is not charged, the program itself, stacks
END = 60  # seconds for what takes minutes without a limit


def npy(shape):
    header = str({"descr": "<f8", "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header


def zeros(n, bits):
    """A stream of zlib that says them in few bytes."""
    made = zlib.compressobj(9, zlib.DEFLATED, bits)
    return b"".join([made.compress(bytes(MIB)) for _ in range(n // MIB)] + [made.flush()])


def image(width, height):
    """A PNG image of one colour, cut short."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zeros(MIB, 15))


def calls(n):
    """A chain of n functions, each of which calls the next one."""
    yield "FUNC MAIN\nCONST INT 1\nCALL F0\nRET\n"
    yield from (f"FUNC F{i}\nCALL F{i + 1}\nRET\n" for i in range(n))
    yield f"FUNC F{n}\nCONST INT 1\n+ INT\nRET\n"


def kinds(n):
    """Functions that are used at twice as many kinds each as the one before."""
    yield "FUNC MAIN\nCONST INT 1\nCONST FLOAT (1.0)\nCALL G0\nPOP 2 0\nRET\n"
    for i in range(n):
        yield f"FUNC G{i}\nCOPY 1 1\nCALL G{i + 1}\nPOP 1 0\nCOPY 1 0\nCALL G{i + 1}\nPOP 1 0\nRET\n"
    yield f"FUNC G{n}\nRET\n"


def copies(n):
    """A stack that doubles, at kinds that only run: VCODE that is executed as it stands."""
    yield "FUNC MAIN\nCONST INT 1\n"
    yield from (f"COPY {1 << i} 0\n" for i in range(n))
    yield "RET\n"


def repeated(before, text, times, behind):
    """In pieces: what this process holds when it starts a child is measured as the child's."""
    yield before
    for _ in range(times // 1000):
        yield text * 1000
    yield behind


def numbered(times, text, behind):
    yield from (text(i) for i in range(times))
    yield behind


SUMS = "function deep(v, i) = if i == 0 then sum(v) else sum(v) + deep({a + 1 : a in v}, i - 1);\n"

OPEN_CALLS = "function open_calls(i) = if i == 0 then 0 else 1 + open_calls(i - 1);\n"

# All bytes of standard input up to a q.
FREAD_CHAR = 'FUNC MAIN\nCONST CHAR "q"\nCONST INT -1\nCONST INT 0\nFREAD_CHAR\nPOP 2 0\nRET\n'

# name: (ending, pieces of the text)
PROGRAMS = {
    "a long sequence": (".nesl", lambda: repeated("x = [1", ",1", 4_000_000, "];\n#x;\n")),
    "a long string": (".nesl", lambda: repeated('x = "', "a", 30_000_000, '";\n#x;\n')),
    "many functions": (".nesl", lambda: numbered(100_000, lambda i: f"function fn{i}(x) = x + {i};\n", "fn5(3);\n")),
    "many bindings": (".nesl", lambda: numbered(60_000, lambda i: f"x{i} = {i};\n", "x5;\n")),
    "a long LET": (".nesl", lambda: numbered(990, lambda i: f"; x{i + 1} = x{i} + 1" if i else "let x1 = 1",
                                             " in x990;\n")),
    "types that double": (".nesl", lambda: numbered(30, lambda i: f"x{i + 1} = (x{i}, x{i});\n" if i else "x1 = 1;\n",
                                                    "")),
    "a result of many elements": (".nesl", lambda: ["{{i * j : i in [0:3000]} : j in [0:4000]};\n"]),
    "a result of many empty ones": (".nesl", lambda: ["{{[] int : i in [0:2000]} : j in [0:2000]};\n"]),
    "many vectors": (".nesl", lambda: [SUMS, "deep([0:1000000], 100);\n"]),
    "many small vectors": (".nesl", lambda: [OPEN_CALLS + "sum({open_calls(i + 1000000000) : i in [0:2]});\n"]),
    "a recursion without end": (".nesl", lambda: ["function fn(i) = 1 + fn(i + 1);\nfn(0);\n"]),
    "a constant": (".vcode", lambda: repeated("FUNC MAIN\nCONST INT (", "1 ", 8_000_000, ")\nRET\n")),
    "much code": (".vcode", lambda: repeated("FUNC MAIN\nCONST INT 1\n", "CONST INT 1\n+ INT\n", 300_000, "RET\n")),
    "a chain of calls": (".vcode", lambda: calls(30_000)),
    "many kinds": (".vcode", lambda: kinds(30)),
    "a stack that doubles": (".vcode", lambda: copies(40)),
}


class Limits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="nvm-limits-")

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, data):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as out:
            for piece in [data] if isinstance(data, (bytes, str)) else data:
                out.write(piece if isinstance(piece, bytes) else piece.encode())
        return path

    def run_nvm(self, *words, text=""):
        """Exit status, the largest resident size in bytes, and what was said."""
        said = self.file("said", "")
        with open(said, "wb") as err, open(self.file("in", text), "rb") as given:
            child = subprocess.Popen([NVM, *words], stdin=given, stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        with open(said, encoding="utf-8", errors="replace") as err:
            return child.returncode, usage.ru_maxrss * 1024, err.read(100_000)

    def check(self, limit, *words, text="", beyond=BEYOND):
        status, resident, said = self.run_nvm(*words, "--memory", str(limit), text=text)
        self.assertIn(status, (0, 1, 2), said[-1000:])
        if status != 0:
            self.assertRegex(said, r"\S")
        self.assertLessEqual(resident, limit * 1.05 + beyond, said[-300:])
        return status, said

    def test_memory_of_programs(self):
        for name, (ending, text) in PROGRAMS.items():
            path = self.file("p" + ending, text())
            runs = [(("run",) + ("--print-length", "all") * (ending == ".nesl"), limit * MIB) for limit in (40, 200)]
            if ending == ".nesl":
                runs.append((("check",), 40 * MIB))
            for words, limit in runs:
                with self.subTest(name=name, words=words, limit=limit):
                    self.check(limit, *words, path)

    def test_memory_of_calls_that_are_inlined(self):
        """A chain of them takes as much for each function, however long it is."""
        text = "".join(f"FUNC F{i}\nCALL F{i + 1}\nCONST INT 1\nPOP 1 0\nRET\n" for i in range(10_000))
        path = self.file("p.vcode", "FUNC MAIN\nCALL F0\nRET\n" + text + "FUNC F10000\nCONST INT 5\nRET\n")
        self.assertEqual(self.check(100 * MIB, "run", path), (0, ""))

    def test_memory_of_vinterp(self):
        """-m is for vectors: what else a program takes is not charged, up to a gigabyte."""
        recursion = "FUNC MAIN\nCONST INT 400000\nCALL G\nRET\nFUNC G\nCOPY 1 0\nCONST INT 0\n> INT\nIF\n" \
                    "COPY 1 0\nCONST INT 1\n- INT\nCALL G\n+ INT\nENDIF\nRET\n"
        texts = {"code": "".join(repeated("FUNC MAIN\nCONST INT 1\n", "COPY 1 0\n+ INT\n", 200_000, "RET\n")),
                 "open calls": recursion}
        for name, text in texts.items():
            with self.subTest(name=name):
                status, _, said = self.run_nvm("vinterp", "-m", "100000", self.file("p.vcode", text))
                self.assertEqual((status, said), (0, ""))

    def test_memory_of_files(self):
        files = {
            "deep.npy": npy([2] * 60 + [0]),
            "nested.npy": npy([2] * 30 + [0]),
            "wide.npy": npy([1 << 40, 0]),
            "numbers.csv": repeated("", "1," * 999 + "1\n", 4000, ""),
            "columns.csv": repeated("", "1," * 10, 100_000, "1\n"),
            "titles.csv": numbered(1_000_000, lambda i: f"c{i},", "end\n" + "x," * 1_000_000 + "x\n"),
            "field.csv": repeated("name\n\"", "x" * 1000, 100_000, "\"\n"),
            "lines.jsonl": repeated("[", "1," * 1000, 10_000, "1]\n"),
            "keys.jsonl": numbered(1_000_000, lambda i: f',"k{i}":1' if i else '{"k":1', "}\n"),
            "bomb.txt.gz": zeros(2_000 * MIB, 31),
            "image.png": image(1_000_000, 1_000_000),
            "text.txt": repeated("", "x" * 1000, 50_000, ""),
        }
        for name, data in files.items():
            path = self.file(name, data)
            for limit in (40 * MIB, 150 * MIB):
                with self.subTest(name=name, limit=limit):
                    self.check(limit, "run", "--print-length", "all", "--in", "v=" + path, "-e", "v",
                               "--time-limit", str(END))

    def test_memory_of_ranks(self):
        """Those that are threads share the limit, whatever they want at once; but what each hands on when it is reached,
        at most 4 MB here, is seen afterwards."""
        texts = {
            "a vector that is gathered": "x = {float(i) : i in [0:8000000]};\ny = {sqrt(a) : a in x};\nsum(y);\n",
            "a sort": "x = {rem(i * 7919, 100003) : i in [0:2000000]};\n#sort(x);\n",
            "many vectors": SUMS + "deep([0:500000], 100);\n",
            "values that go": "x = {i : i in [0:500000]};\n{float(a) : a in x};\n" * 20,
        }
        for name, text in texts.items():
            path = self.file("p.nesl", text)
            for ranks in (3, 8, 24):
                with self.subTest(name=name, ranks=ranks):
                    self.check(100 * MIB, "run", "--ranks", str(ranks), "--spread", "1000", path, beyond=BEYOND + 6 * ranks * MIB)

    def test_what_a_result_that_is_gathered_wanted(self):
        """Whether vectors or the heap are refused."""
        for text in ("[0:8000000]", "[0:30000000]"):
            for options in (["--jit", "off"], []):
                with self.subTest(text=text, options=options):
                    status, said = self.check(100 * MIB, "run", "--ranks", "2", "--spread", "10", *options, "-e", text,
                                              beyond=BEYOND + 16 * MIB)
                    self.assertEqual(status, 1)
                    self.assertRegex(said, "rank [01]: ran out of .* [0-9]+ .*; raise --memory")

    def test_memory_of_open_calls(self):
        """However they are executed."""
        path = self.file("p.nesl", OPEN_CALLS + "sum({open_calls(i + 1000000000) : i in [0:100]});\n")
        for words in ("--jit always --block-threshold 2", "--jit off --block-threshold off",
                      "--jit always --devices cpu*4", "--ranks 8"):
            for limit in (100, 300):
                with self.subTest(words=words, limit=limit):
                    self.check(limit * MIB, "run", *words.split(), path, beyond=BEYOND + 16 * MIB * ("ranks" in words))

    def test_memory_of_a_session(self):
        forms = "{float(i) : i in [0:1000000]};\nx = {i : i in [0:2000000]};\nfunction fn(i) = x[i];\n[1,2,3];\n"
        for command in (("repl",), ("run", self.file("s.nesl", forms * 100))):
            status, said = self.check(60 * MIB, *command, text=forms * 100 if command == ("repl",) else "")
            self.assertEqual(status, 0, said[-500:])
            self.assertEqual(said, "")

    def test_a_session_goes_on(self):
        text = repeated("x = [1", ",1", 4_000_000, "];\n1 / 0;\n6 * 7 == 42;\nnames_nobody;\n")
        status, said = self.check(60 * MIB, "repl", text=text)
        self.assertEqual(status, 1)
        for part in ("out of memory", "division by zero", "NAMES_NOBODY is undefined"):
            self.assertIn(part, said)

    def test_time(self):
        endless = {
            "a recursion": (".nesl", lambda: ["function fn(i) = if i == 0 then 0 else fn(i);\nfn(1);\n"]),
            "types": (".nesl", lambda: numbered(
                12, lambda i: f"function d{i}(x) = " + (f"d{i - 1}(d{i - 1}(x));\n" if i else "(x, x);\n"),
                "d11(1);\n")),
            "many functions": PROGRAMS["many functions"],
            "a chain of calls": (".vcode", lambda: calls(150_000)),
            "much code": (".vcode", lambda: repeated("FUNC MAIN\nCONST INT 1\n", "CONST INT 1\n+ INT\n", 1_000_000,
                                                     "RET\n")),
            "many kinds": (".vcode", lambda: kinds(60)),
        }
        for name, (ending, text) in endless.items():
            with self.subTest(name=name):
                path = self.file("p" + ending, text())
                child = subprocess.run([NVM, "run", "--time-limit", "0.5", path], stdin=subprocess.DEVNULL,
                                       capture_output=True, timeout=END, check=False)
                self.assertIn(child.returncode, (0, 1, 2), child.stderr[-500:])
                if child.returncode != 0:
                    self.assertNotEqual(child.stderr, b"")

    def test_time_of_waiting(self):
        """For bytes that do not come, for whoever opens the other end of a pipe, for a reader."""
        pipe = os.path.join(self.folder.name, "pipe")
        os.mkfifo(pipe)
        read = self.file("r.vcode", "FUNC MAIN\nREAD INT\nRET\n")
        characters = self.file("c.vcode", FREAD_CHAR)
        waiting = [("run", "-"), ("check", "-"), ("run", pipe), ("check", pipe), ("fmt", pipe), ("run", read), ("run", characters),
                   ("run", "-e", "1", "--input", pipe), ("run", "-e", "1", "--output", pipe),
                   ("run", "-e", "1", "--trace", pipe), ("run", "-e", "1", "--record", pipe), ("run", "-e", '"a"', "--out", pipe),
                   ("run", "-e", "v", "--in", "v=" + pipe), ("run", "-e", "1", "--language", "remora", "--in", "v=" + pipe),
                   ("run", "-e", "[0:200000]", "--print-length", "all")]
        for words in waiting:
            with self.subTest(words=words):
                child = subprocess.Popen([NVM, *words, "--time-limit", "0.5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE)
                child.stdin.write(b"(1 2")
                child.stdin.flush()
                status = child.wait(END)
                said = child.stderr.read()
                child.communicate()
                self.assertIn(status, (1, 2), said)
                self.assertIn(b"time limit reached", said)
                self.assertNotIn(b"could not be ended in order", said)

    def test_time_of_bytes_without_end(self):
        characters = self.file("c.vcode", FREAD_CHAR)
        with open("/dev/zero", "rb") as zeros_without_end:
            for words in (("run", characters), ("run", "-"), ("check", "/dev/zero")):
                with self.subTest(words=words):
                    child = subprocess.run([NVM, *words, "--time-limit", "0.5", "--memory", "200M"],
                                           stdin=zeros_without_end, capture_output=True, timeout=END, check=False)
                    self.assertIn(child.returncode, (1, 2))
                    self.assertNotEqual(child.stderr, b"")

    def test_time_of_showing(self):
        path = self.file("deep.npy", npy([2] * 30 + [0]))
        child = subprocess.run([NVM, "run", "--time-limit", "0.5", "--in", "v=" + path, "-e", "v"],
                               capture_output=True, timeout=END, check=False)
        self.assertEqual(child.returncode, 1)
        self.assertIn(b"time limit reached", child.stderr)

    def test_time_of_each_text_of_a_session(self):
        text = "function fn(i) = if i == 0 then 0 else fn(i);\nfn(1);\n6 * 7;\nfn(2);\n"
        child = subprocess.run([NVM, "repl", "--time-limit", "0.5"], input=text.encode(), capture_output=True,
                               timeout=END, check=False)
        self.assertEqual(child.stderr.count(b"time limit reached"), 2, child.stderr)
        self.assertIn(b"it = 42 : int", child.stdout)


if __name__ == "__main__":
    unittest.main()
