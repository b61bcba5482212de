#!/usr/bin/env python3
"""The figures of the README are those of docs/benchmarks/workloads.md, which `nvm bench` writes.

    figures.py --root ROOT [--rebase]

Between <!-- begin: figures W3 W17 ... --> and <!-- end: figures --> the README has the rows of these workloads, the means and the
machine. --rebase writes them there; without it, fails where they differ.
"""

import argparse
import pathlib
import re
import sys

BLOCK = re.compile(r"(<!-- begin: figures ([W\w ]+) -->\n).*?(<!-- end: figures -->)", re.S)
COLUMNS = {"nvm": "nvm", "hand": "C++, by hand", "library": "C++, as a library does it", "std": "C++, standard library"}


def rows_of(text):
    """By workload: its row of the first table, by column."""
    lines = text[text.index("<!-- begin: bench -->"):].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| | workload |"))
    heads = cells(lines[start])
    rows = {}
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        row = cells(line)
        rows[row[0]] = dict(zip(heads, row))
    return rows


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def figures(text, names):
    rows = rows_of(text)
    machine = re.search(r"^Machine: (.*?)\. nvm \S+, (\S+), seed", text, re.M)
    out = ["", f"Milliseconds, medians of one run ({machine[1]}; {machine[2]}):", "",
           "| | n | " + " | ".join(COLUMNS.values()) + " |", "| --- | ---: |" + " ---: |" * len(COLUMNS)]
    for name in names:
        row = rows[name]
        out.append(f"| {row['workload']} | {int(row['n']):,} | " + " | ".join(row[c] for c in COLUMNS) + " |")
    means = {rival: re.search(rf"^- nvm over {rival}: (\S+) \(geometric mean of (\d+) workloads\)$", text, re.M)
             for rival in ("hand", "library", "std")}
    out += ["", "Over all workloads (geometric means) nvm takes {hand[1]} times as long as the loops by hand ({hand[2]} workloads),"
            .format(**means), "{library[1]} times as long as a library's algorithms ({library[2]}), and {std[1]} times as long as the"
            " standard library ({std[2]}).".format(**means), ""]
    return "\n".join(out) + "\n"


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--root", type=pathlib.Path, required=True)
    words.add_argument("--rebase", action="store_true")
    args = words.parse_args()
    text = (args.root / "docs/benchmarks/workloads.md").read_text(encoding="utf-8")
    path = args.root / "README.md"
    old = path.read_text(encoding="utf-8")
    new, found = BLOCK.subn(lambda m: m[1] + figures(text, m[2].split()) + m[3], old)
    if found != 1:
        sys.exit("README.md has no figures")
    if new == old:
        return
    if not args.rebase:
        sys.exit("README.md: its figures are not those of docs/benchmarks/workloads.md: ninja docs_rebase")
    path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
