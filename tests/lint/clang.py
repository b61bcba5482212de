#!/usr/bin/env python3
"""Checks that clang 14 takes the C++ that changed since .ci/base: it builds the fuzzers, and refuses some of what GCC takes.

Each source and header is read by itself, a header with the options of a source near it; a second a file. Exits with 77
(skipped) where clang 14 or the history is missing, with 1 if clang refuses a file.

    clang.py BUILD [ROOT]
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

CLANG = shutil.which("clang++-14")
OURS = ("bytecode", "frontend", "gpu", "vm", "tests/fuzz", ":!vm/python")
SOURCES = (".h", ".hpp", ".cpp", ".cc")
OPTIONS = ("-fsyntax-only", "-w", "-x", "c++")  # warnings are GCC's part


def changed(root):
    """The files that differ from the base, in the last commits or in the working tree; None without a base."""
    base = subprocess.run([root / ".ci" / "base"], capture_output=True, text=True, check=False)
    if base.returncode:
        return None
    names = ["git", "-C", root, "diff", "--name-only", "--diff-filter=d", base.stdout.strip(), "--", *OURS]
    new = ["git", "-C", root, "ls-files", "--others", "--exclude-standard", "--", *OURS]
    lines = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines() for command in (names, new)]
    return [root / name for name in sorted({*lines[0], *lines[1]}) if name.endswith(SOURCES)]


def options_of(build):
    """What each source is compiled with, without compiler, output and input."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        first = next(i for i, word in enumerate(words) if word.startswith("-"))
        found[pathlib.Path(entry["file"])] = words[first:words.index("-o")] + words[words.index("-o") + 2:-2]
    return found


def near(path, options):
    """The options of the source, else of one that shares most folders with it."""
    return options.get(path) or options[max(options, key=lambda source: len(os.path.commonpath([source, path])))]


def check(files, build):
    """What clang says of the files, those that it refuses."""
    options = options_of(build)

    def refused(path):
        command = [CLANG, *near(path, options), *OPTIONS, path]
        result = subprocess.run(command, cwd=build, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        return result.stderr if result.returncode else ""

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("NVM_JOBS", "2"))) as pool:
        return [said for said in pool.map(refused, files) if said]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    root = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2]
    files = changed(root) if CLANG else None
    if files is None:
        print("no clang 14, or no commit to compare with: nothing is checked")
        return 77
    wrong = check(files, build)
    print("".join(wrong) + f"{len(files)} changed files, {len(wrong)} that clang refuses")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
