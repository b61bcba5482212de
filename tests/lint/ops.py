#!/usr/bin/env python3
"""Counts instructions that are named outside of their table: `case Op::` and `Op::k` in bytecode, frontend, gpu and vm.

What is true of an instruction stands in bytecode/table; a switch elsewhere lacks a column there. The counts of each file
stand in ops.txt, "case names file". Both sums may only fall: the check fails if one rises, and names the files; code may
move between files.

    ops.py ROOT            check
    ops.py ROOT --record   write the present counts down, unless a sum has risen
"""

import pathlib
import re
import sys

OURS = ("bytecode", "frontend", "gpu", "vm")
SOURCES = {".h", ".hpp", ".cpp", ".cc"}
TABLE = "bytecode/table/"
RECORD = pathlib.Path("tests/lint/ops.txt")


def count(root):
    """(cases, names) by file; of files that have none nothing."""
    counts = {}
    for path in sorted(p for folder in OURS for p in (root / folder).rglob("*") if p.suffix in SOURCES):
        name = path.relative_to(root).as_posix()
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        found = len(re.findall(r"\bcase Op::", text)), len(re.findall(r"\bOp::k\w", text))
        if not name.startswith(TABLE) and any(found):
            counts[name] = found
    return counts


def recorded(root):
    rows = (line.split() for line in (root / RECORD).read_text().splitlines())
    return {name: (int(cases), int(names)) for cases, names, name in rows}


def check(root):
    """What is wrong, one line each."""
    root = pathlib.Path(root)
    now, before = count(root), recorded(root)
    problems = []
    for i, what in enumerate(("case Op::", "Op::k")):
        sums = [sum(c[i] for c in counts.values()) for counts in (now, before)]
        if sums[0] <= sums[1]:
            continue
        problems.append(f"{what}: {sums[0]} outside of {TABLE}, {sums[1]} before")
        problems += [f"{name}: {what} {c[i]}, {before.get(name, (0, 0))[i]} before"
                     for name, c in now.items() if c[i] > before.get(name, (0, 0))[i]]
    return problems


def main(root, *options):
    problems = check(root)
    if "--record" in options and not problems:
        rows = [f"{cases} {names} {name}\n" for name, (cases, names) in count(pathlib.Path(root)).items()]
        (pathlib.Path(root) / RECORD).write_text("".join(rows))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
