#!/usr/bin/env python3
"""Checks that clang-format 14 (pinned: other versions format differently) would change no C++ source.

Exits with 77 (skipped) where it is not installed, with 1 if a file is not formatted.

    format.py [--fix] [ROOT]
"""

import pathlib
import shutil
import subprocess
import sys

OURS = ("bytecode", "frontend", "gpu", "vm", "tests", "programs")
SOURCES = {".h", ".hpp", ".cpp", ".cc"}


def formatter():
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and " 14." in subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout:
            return path
    return None


def sources(root):
    return [p for top in OURS for p in sorted((root / top).rglob("*")) if p.suffix in SOURCES and p.is_file()]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--fix"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[2]
    tool = formatter()
    if tool is None:
        print("clang-format 14 is not installed: formatting is not checked")
        return 77
    mode = ["-i"] if "--fix" in sys.argv else ["--dry-run", "--Werror"]
    return 1 if subprocess.run([tool, *mode, *map(str, sources(root))], check=False).returncode else 0


if __name__ == "__main__":
    sys.exit(main())
