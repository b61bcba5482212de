#!/usr/bin/env python3
"""Examples of built-in functions (frontend/nesl/examples.def) give what stands there, each calls its function, and
every function for everyday use has one.

    examples.py --nvm PATH --root ROOT [--rebase]

--rebase writes what is printed into the file; rows stay in alphabetical order.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r'^EXAMPLE\(("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\)$', re.M)
SECTIONS = ("All types", "Scalars", "Sequences", "Nesting", "Sorting and searching", "Hashing", "Strings", "Order", "Everyday use")
# What an example cannot show in a line: ends of the program, random numbers, any integer; charts, which are drawn.
WITHOUT = {"check", "fail", "rand", "rand_seed", "hash", "plot", "plot_line", "plot_points", "plot_bars", "plot_image",
           "plot_histogram", "overlay", "titled"}


def results(nvm, expressions):
    """What each prints as its value."""
    words = [word for e in expressions for word in ("-e", e)]
    done = subprocess.run([nvm, "run", *words], capture_output=True, text=True, check=False)
    found = re.findall(r"^it = (.*) : .*$", done.stdout, re.M)
    if len(found) != len(expressions):
        raise SystemExit(f"{len(found)} results of {len(expressions)} examples\n{done.stderr}")
    return found


def missing(document, known):
    """Functions of the reference that have no example."""
    out = []
    for section in re.split(r"^## ", document, flags=re.M)[1:]:
        if section.split("\n", 1)[0] not in SECTIONS:
            continue
        for name, kind, meaning in re.findall(r"^\| `+ ?(.+?)`+ \| `(.+?)` \| (.*) \|$", section, re.M):
            name = re.match(r"[A-Za-z_0-9]+|[^A-Za-z_0-9(]+", name.replace("\\|", "|"))[0]
            function = "->" in kind and meaning != "Datatype." and not meaning.startswith("Internal. ")
            if function and name not in known and name not in WITHOUT:
                out.append(name)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvm", required=True)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--rebase", action="store_true")
    options = parser.parse_args()
    path = options.root / "frontend/nesl/examples.def"
    text = path.read_text(encoding="utf-8")
    rows = [tuple(json.loads(part) for part in row) for row in ROW.findall(text)]
    problems = []
    if len(rows) != text.count("\nEXAMPLE(") or rows != sorted(rows):
        problems.append("a row that cannot be read, or out of order")
    problems += [f"{name}: {e} does not call it" for name, e, _ in rows if name not in e and name != "negate"]
    found = results(options.nvm, [e for _, e, _ in rows])
    problems += [f"{e} is {value}, not {wanted}" for (_, e, wanted), value in zip(rows, found) if value != wanted]
    problems += [f"{name} has no example" for name in
                 missing((options.root / "docs/builtins.md").read_text(encoding="utf-8"), {row[0] for row in rows})]
    if options.rebase:
        fresh = iter(f"EXAMPLE({json.dumps(n)}, {json.dumps(e, ensure_ascii=False)}, {json.dumps(v, ensure_ascii=False)})"
                     for (n, e, _), v in zip(rows, found))
        path.write_text(ROW.sub(lambda _: next(fresh), text), encoding="utf-8")
    print("\n".join(problems + [f"{len(rows)} examples"]))
    return 1 if problems and not options.rebase else 0


if __name__ == "__main__":
    sys.exit(main())
