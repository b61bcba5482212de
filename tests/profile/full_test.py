#!/usr/bin/env python3
"""Output that cannot be written fails the command, also where it fits into a buffer.

    full_test.py NVM ROOT
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

NVM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SORT = str(ROOT / "programs" / "quicksort.nesl")
PRIMES = [str(ROOT / "programs" / "primes.vcode"), "--input", str(ROOT / "programs" / "primes.in")]
PRINTING = (["run", SORT], ["run", *PRIMES], ["explain", SORT], ["explain", *PRIMES], ["profile", SORT],
            ["profile", "--json", SORT], ["check", SORT], ["check", "--json", SORT], ["compile", "-e", "1"], ["disasm", SORT],
            ["devices"], ["version", "--verbose"], ["help"], ["help", "run"], ["run", "--help"])


def nvm(*words, **how):
    return subprocess.run([NVM, *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                          stdout=how.get("stdout", subprocess.DEVNULL))


class Full(unittest.TestCase):
    def test_standard_output(self):
        for words in PRINTING:
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = nvm(*words, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, "nvm: cannot write .+: No space left on device")

    def test_results_longer_than_a_buffer(self):
        for words in (["run", "-e", "[0:100000]", "--print-length", "all"], ["repl"]):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([NVM, *words], input="set print_length all;\n[0:100000];\n", stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
                self.assertRegex(done.stderr, "nvm: cannot write (the results|standard output): No space left on device\n")

    def test_small_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, value in (("v.npy", "[1, 2]"), ("v.csv", "[1, 2]"), ("v.txt", '"text"')):
                path = pathlib.Path(folder) / name
                path.symlink_to("/dev/full")
                with self.subTest(name):
                    done = nvm("run", "-e", value, "--out", str(path))
                    self.assertEqual(done.returncode, 1)
                    self.assertIn("cannot be written: No space left on device", done.stderr)

    def test_files_of_commands(self):
        for words in (["run", "-e", "1", "-o"], ["compile", "-e", "1", "-o"], ["run", "-e", "1", "--record"],
                      ["run", "-e", "1", "--trace"], ["profile", SORT, "--html"], ["profile", SORT, "--folded"],
                      ["profile", SORT, "--speedscope"]):
            with self.subTest(words):
                done = nvm(*words, "/dev/full")
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, "nvm: cannot write .+: No space left on device")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
