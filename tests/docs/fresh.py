#!/usr/bin/env python3
"""Checks that the generated parts of a document are what their generators print.

A part stands between the lines

    <!-- generated: NAME -->
    <!-- end: NAME -->

    fresh.py --generator "NAME=COMMAND WORD ..." ... [--rebase] DOCUMENT ...

--rebase writes the documents anew. Every generator must be used, every part must have a generator.
"""

import argparse
import difflib
import pathlib
import re
import shlex
import subprocess
import sys

PART = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end: \2 -->)", re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generator", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--rebase", action="store_true")
    parser.add_argument("documents", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    texts = {}
    for generator in options.generator:
        name, command = generator.split("=", 1)
        texts[name] = subprocess.run(shlex.split(command), capture_output=True, text=True, check=True).stdout
    used, stale = set(), 0
    for document in options.documents:
        old = document.read_text(encoding="utf-8")
        names = {match.group(2) for match in PART.finditer(old)}
        if names - texts.keys():
            print(f"{document}: no generator for {', '.join(sorted(names - texts.keys()))}")
            return 1
        used |= names
        new = PART.sub(lambda m: m.group(1) + texts[m.group(2)] + m.group(4), old)
        if new == old:
            continue
        stale += 1
        print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), str(document), "generated",
                                             lineterm="")))
        if options.rebase:
            document.write_text(new, encoding="utf-8")
    if texts.keys() - used:
        print(f"no document has a part for {', '.join(sorted(texts.keys() - used))}")
        return 1
    return 1 if stale and not options.rebase else 0


if __name__ == "__main__":
    sys.exit(main())
