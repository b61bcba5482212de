#!/usr/bin/env python3
"""What watches a run names the file of a line that `load` has read: explain, profile and trace.

    loaded_test.py NVM ROOT
"""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

NVM = sys.argv[1]
MAIN = 'load "lib.nesl";\nfunction half(v) = {x / 2 :\n  x in v};\nsum(double(half(index(10000))));\n'
LIB = "% a library %\nfunction double(v) =\n  {x * 2 : x in v};\n"


class Loaded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "main.nesl").write_text(MAIN)
        (self.folder / "lib.nesl").write_text(LIB)

    def nvm(self, *words):
        done = subprocess.run([NVM, *words], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout

    def test_explain(self):
        out = self.nvm("explain", "--jit", "always", "--show", "tr", "main.nesl")
        self.assertIn("region at main, main.nesl:2", out)
        self.assertRegex(out, r"= \* INT .* \(line 3 of lib\.nesl\)\n")
        self.assertRegex(out, r"= / INT .* \(line 2\)\n")
        self.assertIn("MAP (line 3 of lib.nesl) -> 4 REDUCE (line 4)", out)

    def test_why_not(self):
        out = self.nvm("explain", "--jit", "off", "--show", "w", "main.nesl", "-e", "{y - 1 : y in double([0:5000])}[0]")
        self.assertRegex(out, r"(?m)^main:3 in lib\.nesl: 0 of ")
        self.assertRegex(out, r"(?m)^main:2: 0 of ")
        self.assertRegex(out, r"(?m)^main:1 in -e: 0 of ")

    def test_profile(self):
        rows = list(csv.DictReader(io.StringIO(self.nvm("profile", "--csv", "main.nesl"))))
        places = {(r["where"], r["file"], r["line"]) for r in rows if r["table"] == "line"}
        self.assertIn(("main:3 in lib.nesl", "lib.nesl", "3"), places)
        self.assertIn(("main:4", "main.nesl", "4"), places)

    def test_trace(self):
        self.nvm("run", "--jit", "off", "--trace", "t.json", "main.nesl")
        events = json.loads((self.folder / "t.json").read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        lines = {(e["name"], e["args"]["file"], e["args"]["line"]) for e in events if e.get("cat") == "line"}
        self.assertIn(("main:3 in lib.nesl", "lib.nesl", 3), lines)
        self.assertIn(("main:4", "main.nesl", 4), lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
