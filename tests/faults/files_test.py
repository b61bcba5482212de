#!/usr/bin/env python3
"""Files that commands read and write: what is refused before anything runs, what a signal leaves, what others do to them.

    files_test.py NVM ROOT
"""

import os
import pathlib
import pty
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

NVM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
ENDLESS = ("function down(n) = if n == 0 then 0 else 1 + down(n - 1) $\n"
           "function go(n) = if n == 0 then 0 else let x = down(1000) in go(n - 1) $\n")


class Files(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "LC_ALL": "C.UTF-8"}

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def nvm(self, *words, **how):
        return subprocess.run([NVM, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=120, **how)

    def start(self, *words, **how):
        return subprocess.Popen([NVM, *words], cwd=self.folder, env=self.environment,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how})

    def names(self):
        return sorted(p.name for p in self.folder.iterdir() if p.name != "cache")

    def refused(self, status, text, *words):
        run = self.nvm(*words)
        self.assertEqual(run.returncode, status, run)
        self.assertIn(text, run.stderr)
        self.assertEqual(run.stdout, "", "something ran")

    def test_character_zero(self):
        """Neither a file's name nor a command ends at it."""
        run = self.nvm("run", "--allow", "write,spawn", "-e", r'write_string_to_file("x", "a\0b")', "-e", r'shell_command("true\0x", "")')
        self.assertEqual((run.returncode, run.stdout), (0, 'it = F : bool\nit = "" : [char]\n'), run)
        self.assertIn("a file name has no character 0", run.stderr)
        self.assertIn("a command has no character 0", run.stderr)
        self.assertEqual(self.names(), [])

    def test_refused_before_the_run(self):
        """The program would not end within the test."""
        endless = self.write("e.nesl", ENDLESS + "go(1000000000) $\n")
        self.refused(2, "sequence", "run", endless, "-e", "3", "--out", "a.csv")
        self.refused(2, "only a string makes a text", "run", endless, "--out", "a.txt")
        self.refused(2, ".dat are not supported", "run", endless, "--out", "a.dat")
        self.refused(2, "only a chart or rows of pixels", "run", endless, "-e", "[1]", "--out", "a.png")
        self.refused(2, "compressed files are only read", "run", endless, "--out", "a.csv.gz")
        self.refused(2, "a tuple is no column", "run", endless, "-e", "x = [1]; y = ([2], [3]); 4", "--out", "x,y=a.csv")
        self.refused(2, "No such file", "run", endless, "--out", "none/a.npy")
        self.refused(2, "Is a directory", "run", endless, "--out", "npy:.")
        self.refused(2, "only numbers", "run", endless, "-e", "x = ([1], 2); 5", "--out", "x=x.npy")
        for option in ("--output", "--trace", "--record"):
            self.refused(2, "No such file", "run", endless, option, "none/a")
        for option in ("--html", "--folded", "--speedscope", "--output"):
            self.refused(2, "No such file", "profile", endless, option, "none/a")
        forever = self.write("e.vcode", "FUNC MAIN CONST INT 0 CALL G RET\nFUNC G CONST INT 1 + INT COPY 1 0 CONST INT -1 = INT IF ELSE "
                             "CALL G ENDIF RET\n")
        self.refused(2, "N from 1 to 1, which is how many values the program leaves", "run", forever, "--out", "2=a.npy")
        flag = self.write("f.vcode", "FUNC MAIN CONST BOOL (T F) RET\n")
        self.refused(2, "only integers from 0 to 255", "run", flag, "--out", "a.txt")
        self.assertEqual(self.names(), ["e.nesl", "e.vcode", "f.vcode"])

    def test_what_a_later_text_makes_good_is_not_refused(self):
        program = self.write("p.nesl", "(1, 2) $\n")
        run = self.nvm("run", program, "-e", "[1, 2]", "--out", "a.npy")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_kinds_of_files(self):
        for name in ("v.CSV", "v.Tsv"):
            self.write(name, "x,y\n1,2\n".replace(",", "\t" if "T" in name and "C" not in name else ","))
            self.assertEqual(self.nvm("run", "--in", f"v={name}", "-e", "v").stdout, "it = [[1.0, 2.0]] : [[float]]\n")
        self.write("data.dat", "[1]")
        self.refused(2, ".dat are not supported, but .npy, .npz, .png, .csv, .tsv, .jsonl, .ndjson, .parquet, .arrow, .feather, .txt and, to write charts, .svg; text:data.dat", "run", "--in", "v=data.dat", "-e", "v")
        kinds = "is no kind of files: npy, npz, png, csv, tsv, jsonl, parquet, arrow, text, rows, columns, fields"
        for word, start in (("v:foo=F", "foo:F: does not exist, and foo "), ("v:foo=F.csv", "foo:F.csv: does not exist, and foo "),
                            ("v:csv.gz=-", "csv.gz:-: csv.gz ")):
            self.refused(2, f"nvm run: --in {word}: {start}{kinds}\n", "run", "--in", word, "-e", "v")
        self.write("foo:F.csv", "1")
        self.assertEqual(self.nvm("run", "--in", "v=foo:F.csv", "-e", "v").stdout, "it = [[1.0]] : [[float]]\n")
        for words in (["--in", "v=-", "--in", "w=csv:-", "-e", "v"], ["-", "--in", "w=-"]):
            self.refused(2, "standard input is read already", "run", *words)
        self.assertEqual(self.nvm("run", "--in", "v=text:data.dat", "-e", "v").stdout, 'it = "[1]" : [char]\n')
        self.write("README", "plain")
        self.assertEqual(self.nvm("run", "--in", "v=README", "-e", "#v").stdout, "it = 5 : int\n")
        self.nvm("run", "-e", "[[1, 2], [3]]", "--out", "rows.TSV")
        self.assertEqual((self.folder / "rows.TSV").read_text(), "1\t2\n3\n")

    def test_killed_while_writing(self):
        """Signals at any moment: the old file or the whole new one, and nothing beside it."""
        words = ["run", "-e", "{float(i) : i in [0:400000]}", "--out", "a.csv", "-o", "printed", "--trace", "t.json"]
        self.assertEqual(self.nvm(*words).returncode, 0)
        whole = {name: (self.folder / name).read_bytes() for name in ("a.csv", "printed")}
        draw = random.Random(26)
        for ending in [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT] * 6:
            for old in (False, True):
                for name in self.names():
                    (self.folder / name).unlink()
                if old:
                    self.write("a.csv", "old")
                process = self.start(*words, stdout=subprocess.DEVNULL)
                time.sleep(draw.random() * 0.4)
                process.send_signal(ending)
                process.communicate()
                for name, text in whole.items():
                    if (self.folder / name).exists():
                        found = (self.folder / name).read_bytes()
                        self.assertTrue(found == text or (name == "a.csv" and found == b"old"), f"{name} is half-written")
                left = [n for n in self.names() if n not in ("a.csv", "printed", "t.json")]
                allowed = ["t.json.part"] if ending == signal.SIGKILL else []
                self.assertTrue(set(left) <= set(allowed), f"{ending}: {left}")

    def test_changed_while_it_is_read(self):
        """A file that is cut off or changed after it was read changes nothing; the program says when that is, and waits."""
        self.assertEqual(self.nvm("run", "-e", "[0:200000]", "--out", "v.npy").returncode, 0)
        program = self.write("s.nesl", 'write_string("read\\n", stderr) $\n'
                             "let x = read_line(stdin) in (sum(v), max_val(v)) $\n")
        process = self.start("run", "--in", "v=v.npy", program, stdin=subprocess.PIPE)
        self.assertEqual(process.stderr.readline(), "read\n")
        with open(self.folder / "v.npy", "r+b") as file:
            file.seek(1000)
            file.write(b"\xff" * 5000)
            file.truncate(6000)
        out, err = process.communicate("go\n", timeout=120)
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertIn("it = (19999900000, 199999) : int, int\n", out)

    def test_cut_off_before_it_is_read(self):
        self.assertEqual(self.nvm("run", "-e", "[0:200000]", "--out", "v.npy").returncode, 0)
        with open(self.folder / "v.npy", "r+b") as file:
            file.truncate(6000)
        self.refused(2, "ends before its last element", "run", "--in", "v=v.npy", "-e", "sum(v)")

    def test_streams_and_links(self):
        run = self.nvm("run", "-e", "[1, 2]", "--out", "text:/dev/stdout")
        self.assertEqual(run.returncode, 2)
        run = self.nvm("run", "-e", '"ab"', "--out", "/dev/stdout")
        self.assertEqual(run.stdout, 'it = "ab" : [char]\nab')
        with open(self.folder / "all", "w") as all_of_it:
            subprocess.run(f"echo a; '{NVM}' run -e '[1, 2]' --out csv:-; echo b", shell=True, stdout=all_of_it, check=True, timeout=120)
        self.assertEqual((self.folder / "all").read_text(), "a\nit = [1, 2] : [int]\n1\n2\nb\n")
        os.mkfifo(self.folder / "pipe")
        process = self.start("run", "-e", "[1, 2]", "--out", "csv:pipe")
        self.assertEqual((self.folder / "pipe").read_text(), "1\n2\n")
        process.communicate()
        (self.folder / "loop.nesl").symlink_to("loop.nesl")
        for command in ("run", "check", "compile", "disasm", "profile", "explain"):
            with self.subTest(command):
                run = self.nvm(command, "loop.nesl")
                self.assertEqual(run.returncode, 2, run)
        for name in ("loop.vcode", "loop"):
            (self.folder / name).symlink_to(name)
            for command in (["run"], ["vinterp"], ["check"]):
                run = self.nvm(*command, name)
                self.assertIn(run.returncode, (1, 2), run)
                self.assertTrue(run.stderr)

    def test_cache_entries_that_cannot_be_read(self):
        """A folder where an entry is looked for, whatever its name."""
        program = str(ROOT / "programs" / "quickhull.nesl")
        words = ["run", "--threads", "2", program]
        right = self.nvm(*words).stdout
        cache = self.folder / "cache" / "nvm"
        for entry in list(cache.glob("*")):
            entry.unlink()
            entry.mkdir()
        run = self.nvm(*words)
        self.assertEqual((run.returncode, run.stderr, run.stdout), (0, "", right))
        cache.mkdir(parents=True, exist_ok=True)
        for limits in ("limits-1", "limits-2"):
            (cache / limits).mkdir(exist_ok=True)
        run = self.nvm("profile", "--threads", "2", program)
        self.assertEqual((run.returncode, run.stderr.count("nvm:")), (0, 0), run.stderr)

    def test_little_address_space(self):
        program = self.write("many.nesl", "".join(f"function f{i}(x) = x + {i} $\n" for i in range(20000)) + "f1(1) $\n")
        limit = 300000 * 1024
        run = self.nvm("run", program, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertIn(run.returncode, (0, 1, 2), run)
        if run.returncode:
            self.assertIn("memory", run.stderr)

    def test_no_room_for_exceptions(self):
        """From where the system's loader just succeeds: the C++ library has no reserve for exceptions there."""
        def start(kilobytes):
            limit = kilobytes * 1024
            return self.nvm("run", "-e", "[1, 2]", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

        refused, loads = 1000, 300000
        while loads - refused > 4:
            middle = (refused + loads) // 2
            refused, loads = (middle, loads) if start(middle).returncode == 127 else (refused, middle)
        for kilobytes in range(loads, loads + 1200, 24):
            run = start(kilobytes)
            self.assertIn(run.returncode, (0, 1, 2, 127), (kilobytes, run))
            self.assertTrue(run.returncode == 0 or run.stderr, (kilobytes, run))

    def on_a_terminal(self, *words):
        ours, theirs = pty.openpty()
        process = self.start(*words, stdout=theirs, stderr=theirs, text=False)
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        process.wait()
        os.close(ours)
        return text

    def test_control_bytes_in_the_name_of_a_program_that_stops(self):
        """It writes its place itself."""
        for name, text in (("a\x1b[2J.nesl", 'check(f, "no", 1) $\n'), ("b\x1b[2J.nesl", "take([1], 5) $\n"), ("c\x1b[2J.remora", "(/ 1 0)"),
                           ("d\x1b[2J.vcode", "FUNC MAIN CONST INT 1 CONST INT 0 / INT RET")):
            self.write(name, text)
            for command in ("run", "profile", "explain"):
                with self.subTest([command, name]):
                    shown = self.on_a_terminal(command, name)
                    self.assertNotIn(b"\x1b", shown)
                    self.assertIn(b"\\x1b[2J", shown)

    def test_control_bytes_that_a_strangers_program_writes(self):
        """What a program writes is its own; with --untrusted a terminal shows it and does not obey. Elsewhere it is as it is."""
        for name, text in (("a.nesl", 'print_string([code_char(27)] ++ "[2J" ++ [code_char(155)]) $\n'),
                           ("b.nesl", 'error([code_char(27)] ++ "[2J") $\n'),
                           ("c.nesl", 'write_string([code_char(27)] ++ "[2J", stdout_internal) $\n'),
                           ("d.vcode", "FUNC MAIN CONST INT 27 CONST CHAR \"[2J\" POP 1 0 CONST INT (27 91 50 74) WRITE CHAR POP 2 0 RET"),
                           ("e.vcode", "FUNC MAIN CONST INT (27 91 50 74) CONST INT 1 FWRITE CHAR POP 2 0 RET")):
            self.write(name, text)
            for command in ("run", "profile", "explain", "disasm", "compile"):
                if command in ("disasm", "compile") and not name.endswith("nesl"):
                    continue
                with self.subTest([command, name]):
                    shown = self.on_a_terminal(command, "--untrusted", name)
                    self.assertNotIn(b"\x1b", shown)
                    self.assertNotIn(b"\x9b", shown)
                    if command == "run":
                        self.assertIn(b"\\x1b[2J", shown)
            written = self.start("run", "--untrusted", name, text=False).communicate()
            self.assertIn(b"\x1b[2J", b"".join(written))

    def test_control_bytes_on_a_terminal(self):
        text = b"a\x1b]0;title\x07b\x9b2J"
        (self.folder / "e.txt").write_bytes(text)
        shown = self.on_a_terminal("run", "--in", "txt=e.txt", "-e", "txt")
        self.assertNotIn(b"\x1b", shown)
        self.assertIn(b"\\x1b", shown)
        self.assertEqual(self.nvm("run", "--in", "txt=text:e.txt", "-e", "#txt").stdout, f"it = {len(text)} : int\n")
        for words in (["run", "\x1b[2J.nesl"], ["run", "-e", "x\x1b[2J"], ["\x1b[2J"], ["run", "--\x1b[2J"], ["check", "\x1b[2J.vcode"],
                      ["vinterp", "\x1b[2J"], ["run", "--in", "a=\x1b[2J.npy", "-e", "a"], ["replay", "\x1b[2J"], ["bench", "\x1b[2J"]):
            with self.subTest(words):
                self.assertNotIn(b"\x1b", self.on_a_terminal(*words))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
