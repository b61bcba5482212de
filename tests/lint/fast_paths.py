#!/usr/bin/env python3
"""Checks that a test names each row of vm/data/fast_paths.def: one that fails if that way is never taken.

    fast_paths.py ROOT
"""

import pathlib
import re
import sys


def check(root):
    """What is wrong, one line each."""
    root = pathlib.Path(root)
    rows = re.findall(r"^FAST_PATH\((\w+)", (root / "vm/data/fast_paths.def").read_text(), flags=re.M)
    tests = [p for p in (root / "tests").rglob("*") if p.suffix in {".cpp", ".h"}]
    named = set(re.findall(r"\bFastPath::(\w+)", "".join(p.read_text() for p in tests)))
    problems = [f"vm/data/fast_paths.def: no test names FastPath::{row}" for row in rows if row not in named]
    return problems if rows else ["vm/data/fast_paths.def has no rows"]


if __name__ == "__main__":
    problems = check(sys.argv[1])
    print("\n".join(problems))
    sys.exit(1 if problems else 0)
