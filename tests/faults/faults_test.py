#!/usr/bin/env python3
"""What faults.py reports can be drawn again from the seed that it prints.

    faults_test.py
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
# Ends badly at every fault.
FAKE = """#!/bin/sh
touch given.npy given.npz given.png given.rec
mkdir -p cache/nvm
if [ -n "$NVM_FAULT_COUNTS" ]; then printf 'memory 900\\nopen 40\\nread 40\\n' > "$NVM_FAULT_COUNTS"; fi
if [ -n "$NVM_FAULT" ]; then exit 7; fi
"""


class Seeds(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.fake = pathlib.Path(scratch.name) / "nvm"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)
        (pathlib.Path(scratch.name) / "programs").mkdir()
        (pathlib.Path(scratch.name) / "programs" / "quicksort.in").write_text("")
        self.root = scratch.name

    def sweep(self, *words):
        shown = subprocess.run([sys.executable, "-B", HERE / "faults.py", self.fake, "", self.root, self.fake, self.fake, *words], capture_output=True,
                               text=True, check=False)
        self.assertEqual(shown.returncode, 1, shown.stderr)
        return shown.stdout

    def test_a_seed_draws_the_same(self):
        for more in ([], ["--all", "--each", "3"]):
            once = self.sweep("--only", "help,check", "--seed", "4711", *more)
            self.assertTrue(once.startswith("seed 4711\n"))
            self.assertEqual(once, self.sweep("--only", "help,check", "--seed", "4711", "--jobs", "1", *more))
            self.assertNotEqual(once, self.sweep("--only", "help,check", "--seed", "4712", *more))
            lines = [line for line in once.splitlines() if line.startswith("help: NVM_FAULT")]
            self.assertGreater(len(lines), 5)
            self.assertTrue({bool(re.search("with a cache", line)) for line in lines} == {False, True}, once)
            alone = self.sweep("--only", "help", "--seed", "4711", *more)
            self.assertEqual(lines, [line for line in alone.splitlines() if line.startswith("help: NVM_FAULT")])

    def test_a_sweep_of_all_draws_new_ones_and_says_which(self):
        words = ("--all", "--each", "3", "--only", "help")
        first, second = self.sweep(*words), self.sweep(*words)
        self.assertRegex(first, r"^seed \d+\n")
        self.assertNotEqual(first, second)


if __name__ == "__main__":
    unittest.main()
