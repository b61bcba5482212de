#!/usr/bin/env python3
"""Which fast ways to execute (vm/data/fast_paths.def) the programs of the gallery go, and how often.

One thread, nothing compiled, calls of lifted functions cut into groups or not: the counts are the same on every
machine. A change of them is no defect by itself, but must be meant.

    fast_paths.py NVM FILE PROGRAMS            run, show the difference
    fast_paths.py NVM FILE PROGRAMS --rebase   accept what comes out; read the diff
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WAYS = {"whole": ["--block-threshold", "off"], "groups": ["--block-threshold", "2"]}


def counts(nvm, program, options):
    """The rows below "fast paths:" of --stats."""
    with tempfile.TemporaryDirectory() as folder:
        for data in (*program.parent.glob("*.csv"), *program.parent.glob("*.txt"), program):
            shutil.copy(data, folder)
        with open(program) as text:
            own = re.match(r"(?:#!.*neslvm run(.*))?", text.readline()).group(1) or ""
        run = subprocess.run(
            [nvm, "run", program.name, *own.split(), "--threads", "1", "--jit", "off", "--stats", *options],
            cwd=folder, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": folder})
    if run.returncode != 0:
        sys.exit(f"{program.name}: {run.stderr}")
    lines = run.stderr.splitlines()
    return lines[lines.index("fast paths:") + 1:] if "fast paths:" in lines else []


def main():
    nvm, file, programs = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    got = []
    for program in sorted(programs.glob("*.nesl")):
        for way, options in WAYS.items():
            got += [f"{program.stem}, {way}", *counts(nvm, program, options), ""]
    if "--rebase" in sys.argv[4:]:
        file.write_text("\n".join(got) + "\n")
        return 0
    want = file.read_text().splitlines()
    difference = list(difflib.unified_diff(want, got, "expected", "got", lineterm=""))
    print("\n".join(difference))
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
