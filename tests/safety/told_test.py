#!/usr/bin/env python3
"""What another run tells a run, the first rank or a record, is looked at as a file is: an instruction's results are of its
kinds, and no INT is wider than this run's, which compiled code and primitives rely on.

    told_test.py NVM

With guard pages: programs that read give the same on several ranks and when they are replayed, with INT of either width.
Then every word of what their records tell is replaced, the checksums being right.
"""

import itertools
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HEAD = b"nvm record 2\n"
HOST = 3  # the kind of a part that tells an instruction's results
WORDS = (0, 1, 2, 3, 4, 64, 1 << 31, 1 << 32, (1 << 46) - 1, (1 << 63) - 1, (1 << 64) - 1)

INTS = "(2147483648 9 -4294967296 100 4611686018427387901 -7357259558746349447 2 1 6 0 3 12 7 5 5 5 1)\n"
FLOATS = "(" + " ".join(f"{i}.5" for i in range(17)) + ")\n"
BOOLS = "(" + " ".join("TF"[i % 3 == 0] for i in range(17)) + ")\n"
DESCRIBED = "CONST INT (0 9 1 7)\nMAKE_SEGDES\n"

# Name: (a program whose input is read, what it reads).
PROGRAMS = {
    "scan": ("READ INT\nPOP 2 0\n" + DESCRIBED + "+_SCAN INT", INTS),
    "reduce": ("READ INT\nPOP 2 0\n" + DESCRIBED + "MAX_REDUCE INT", INTS),
    "add": ("READ INT\nPOP 2 0\nCOPY 1 0\n+ INT", INTS),
    "permute": ("READ INT\nPOP 2 0\nCONST INT 0\nCONST INT 1\nCONST SEGDES 17\nINDEX\nCONST SEGDES 17\nPERMUTE INT", INTS),
    "rank": ("READ INT\nPOP 2 0\n" + DESCRIBED + "RANK_UP INT", INTS),
    "lengths": ("READ INT\nPOP 2 0\nMAKE_SEGDES\nCOPY 1 0\nLENGTHS\nCPOP 1 1\nCONST INT (7 8 9)\nCPOP 1 1\nDIST INT", "(3 0 21)\n"),
    "descriptor": ("READ SEGDES\nPOP 2 0\nCONST INT (7 8 9)\nCPOP 1 1\nDIST INT", "[ 3 0 21 ]\n"),
    "long descriptor": ("READ SEGDES\nPOP 2 0\nLENGTHS", "[ 2147483647 5 ]\n"),
    "float": ("READ FLOAT\nPOP 2 0\n" + DESCRIBED + "+_SCAN FLOAT", FLOATS),
    "bool": ("READ BOOL\nPOP 2 0\n" + DESCRIBED + "OR_SCAN BOOL", BOOLS),
    "text": ("READ CHAR\nPOP 2 0\nCOPY 1 0\n+ INT", '"What is read is told to all of them."\n'),
    "characters": ('CONST CHAR "q"\nCONST INT 40\nCONST INT 0\nFREAD_CHAR\nPOP 2 0\nPOP 1 0', "abc def ghi jkl q"),
    "one": ("READ INT\nPOP 2 0\nCONST INT 50\nMAKE_SEGDES\nDIST INT\nCOPY 1 0\n* INT", "(4294967297)\n"),
    "none": ("READ INT\nPOP 2 0\nCONST INT (0 0)\nCONST INT (5 6)\nCONST SEGDES (0 0)\nREPLACE INT", "()\n"),
    "error": ("READ INT", "(1 2 x)\n"),
}


class Test:
    def __init__(self, nvm, folder):
        self.nvm, self.folder, self.passed, self.failed = nvm, folder, 0, 0

    def run(self, words, stdin=""):
        done = subprocess.run([self.nvm, *words], input=stdin.encode(), capture_output=True, check=False, timeout=60, cwd=self.folder,
                              env={**os.environ, "NVM_GUARD_PAGES": "1"})
        return done.returncode, done.stdout, done.stderr

    def check(self, good, what, said):
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAILED {what}: {str(said)[:300]}", flush=True)

    def told(self, name, bits):
        """The same from the first rank, and from a record; of failures, the same status."""
        body, given = PROGRAMS[name]
        (self.folder / "p.vcode").write_text(f"FUNC MAIN\n{body}\nRET\n", encoding="ascii")
        words = ["--int-bits", bits, "--memory", "200M", "p.vcode"]
        right = self.run(["run", "--jit", "off", *words], given)
        self.check(right[0] in (0, 1), f"{name} of {bits} bits", right)
        for mode in (["--ranks", "3", "--spread", "1"], ["--ranks", "2", "--spread", "7", "--jit", "always"],
                     ["--record", "r.rec", "--jit", "always"]):
            said = self.run(["run", *mode, *words], given)
            self.check(said[:2] == right[:2], f"{name} of {bits} bits {' '.join(mode)}", (right, said))
        said = self.run(["replay", "r.rec", "--jit", "off"])
        self.check(said[:2] == right[:2], f"{name} of {bits} bits, replayed", (right, said))

    def forged(self, name, bits):
        """Any other word in a record is told, too, or refused."""
        parts = parts_of((self.folder / "r.rec").read_bytes())
        for number, (kind, told) in enumerate(parts):
            if kind != HOST:
                continue
            for at, word in itertools.product(range(2, min(len(told) // 8, 12)), WORDS):
                forged = told[:8 * at] + struct.pack("<Q", word) + told[8 * at + 8:]
                record = HEAD + b"".join(part(k, forged if i == number else b) for i, (k, b) in enumerate(parts))
                (self.folder / "f.rec").write_bytes(record)
                status, out, err = self.run(["replay", "f.rec", "--memory", "200M"])
                good = status in (0, 1, 2) and b"internal error" not in out + err and (status == 0 or bool(err.strip()))
                self.check(good, f"{name} of {bits} bits, word {at} of part {number} is {word}", (status, out, err))


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def part(kind, data):
    whole = struct.pack("<QQ", kind, len(data)) + data
    return whole + struct.pack("<Q", fnv(whole))


def parts_of(record):
    parts, at = [], len(HEAD)
    while at < len(record):
        kind, size = struct.unpack_from("<QQ", record, at)
        parts.append((kind, record[at + 16:at + 16 + size]))
        at += 24 + size
    return parts


def main():
    with tempfile.TemporaryDirectory() as folder:
        test = Test(os.path.abspath(sys.argv[1]), pathlib.Path(folder))
        for name, bits in itertools.product(PROGRAMS, ("32", "64")):
            test.told(name, bits)
            test.forged(name, bits)
    print(f"{test.passed} passed, {test.failed} failed")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
