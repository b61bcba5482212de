#!/usr/bin/env python3
"""Reports long files and functions of our sources, longest first.

A file may have 500 lines. Functions over 60 lines are listed, over 110 they fail. Functions need universal-ctags.

    sizes.py [ROOT]
"""

import json
import pathlib
import shutil
import subprocess
import sys

OURS = ("bytecode", "frontend", "gpu", "vm", "tests")
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".cuh", ".cu", ".py"}
FILE_LIMIT = 500
FUNCTION_AIM, FUNCTION_LIMIT = 60, 110


def sources(root):
    return [p for top in OURS for p in sorted((root / top).rglob("*")) if p.suffix in SOURCES and p.is_file()]


def long_files(root):
    for path in sources(root):
        lines = path.read_bytes().count(b"\n")
        if lines > FILE_LIMIT:
            yield lines, str(path.relative_to(root)), FILE_LIMIT


def long_functions(root):
    if shutil.which("ctags") is None:
        print("universal-ctags is not installed: functions are not measured")
        return
    names = "\n".join(str(p.relative_to(root)) for p in sources(root))
    found = subprocess.run(["ctags", "-L", "-", "-f", "-", "--output-format=json", "--fields=+ne", "--kinds-C++=f",
                            "--kinds-Python=fm"], cwd=root, input=names, capture_output=True, text=True, check=True)
    for line in found.stdout.splitlines():
        tag = json.loads(line)
        if "line" not in tag or "end" not in tag:
            continue
        lines = tag["end"] - tag["line"] + 1
        if lines > FUNCTION_AIM:
            yield lines, f"{tag['path']}:{tag['line']}: {tag['name']}", FUNCTION_LIMIT


def check(root):
    """Lines to print, longest first, and whether a limit is exceeded."""
    report, failed = [], False
    for kind, items in (("file", long_files(root)), ("function", long_functions(root))):
        for lines, where, limit in sorted(items, reverse=True):
            failed |= lines > limit
            report.append(f"{kind:8} {lines:5} {where}" + ("  OVER THE LIMIT" if lines > limit else ""))
    return report, failed


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    report, failed = check(root)
    print("\n".join(report + [f"{len(report)} over the aim"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
