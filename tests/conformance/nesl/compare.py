#!/usr/bin/env python3
"""usage: compare.py EXPECTED ACTUAL: status 0 if both hold the same result lines of the NESL top level.

Runs of blanks are one blank, an indented line continues the one before it, empty lines and notices of
redefinition do not count, and type variables are named in order of appearance.
"""
import re
import sys


def lines(path):
    out = []
    for line in open(path, encoding="latin-1").read().split("\n"):
        text = " ".join(line.split())
        if not text or text.startswith("Redefining "):
            continue
        if line[0] in " \t" and out:
            out[-1] += " " + text
        else:
            out.append(text)
    return [canonical(line) for line in out]


def canonical(line):
    context = re.search(r" :: \(([a-z0-9_ ;]*)\)$", line)
    if not context or " : " not in line:
        return line
    head, body = line[: context.start()].split(" : ", 1)
    classes = dict(part.split(" in ") for part in re.split("; *", context.group(1)))
    names = {}

    def rename(match):
        word = match.group()
        return names.setdefault(word, "abcdefghijklmnopqrstuvwxyz"[len(names)]) if word in classes else word

    body = re.sub(r"[a-z_][a-z0-9_]*", rename, body)
    return f"{head} : {body} :: " + "; ".join(f"{new} in {classes[old]}" for old, new in names.items())


expected, actual = lines(sys.argv[1]), lines(sys.argv[2])
for e, a in zip(expected, actual):
    if e != a:
        print(f"  expected {e}\n  got      {a}")
        break
else:
    if len(expected) != len(actual):
        print(f"  expected {len(expected)} lines, got {len(actual)}")
sys.exit(expected != actual)
