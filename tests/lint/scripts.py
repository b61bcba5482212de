#!/usr/bin/env python3
"""A file that begins with #! is run by name in the documents, so it must be executable; one that is executable says by what.

    scripts.py [ROOT]
"""

import os
import pathlib
import sys

OURS = (".ci", "bytecode", "cmake", "docs", "frontend", "gpu", "programs", "tests", "vm")


def check(root):
    """What is wrong, one line a file."""
    wrong = []
    for top in OURS:
        for path in sorted((root / top).rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            with path.open("rb") as file:
                script = file.read(2) == b"#!"
            if script != os.access(path, os.X_OK):
                wrong.append(f"{path.relative_to(root)}: " + ("not executable" if script else "executable without #!"))
    return wrong


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    wrong = check(root)
    print("\n".join(wrong + [f"{len(wrong)} scripts of the wrong mode"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
