#!/usr/bin/env python3
"""Errors of values of which nobody needs an element: the same, with the same message, in every mode.

    unused_errors.py NVM

A failing operation on each of many elements is followed by each of many uses that need few elements, one or none.
"""

import itertools
import subprocess
import sys

MODES = [["--jit", "off", "--block-threshold", "off"], ["--jit", "always"], ["--jit", "off", "--block-threshold", "1"],
         ["--jit", "always", "--block-threshold", "1"], ["--jit", "off", "--optimise", "off"]]
# Sequences, most of 6000 integers, of which an element or the making fails.
FAILING = [
    "{10 / (i - 9) : i in [0:6000]}",
    "{rem(10, i - 9) : i in [0:6000]}",
    "{[0:9][i] : i in [0:6000]}",
    "dist(1, 9) -> [0:6000]",
    "(reverse([0:9]) -> {min(i, 9) : i in [0:6000]})",
    "([1, 2, 3] -> [0, 1, 7, 2, 0, 1, 2, 0, 1, 2])",
    "([1, 2, 3] -> ([0, 1, 7, 2, 0, 1, 2, 0, 1, 2] -> {rem(i, 10) : i in [0:6000]}))",
    "rep([0:6000], 1, 6000)",
    "([0:6000] <- [(9, 1), (6000, 2)])",
    "permute([0:6000], {if i == 9 then 6000 else i : i in [0:6000]})",
    "{if i < 5 then i else [0:9][i] : i in [0:6000]}",
    "{#dist(i, 8 - i) : i in [0:6000]}",
    "{take([i, i], if i == 9 then 3 else 1)[0] : i in [0:6000]}",
    "{[1, 2][7] : i in [0:6000]}",
    "{10 / (j - j) : i in [0:6000]; j in dist(0, 6000)}",
    "{trunc(sqrt(8.0 - float(i))) : i in [0:6000]}",
]
USES = ["3", "#v", "take(v, 0)", "take(v, 3)", "v[2]", "v -> [0, 5]", "{x in v | f}", "{x : x in v; i in index(#v) | i < 4}",
        "sum({x : x in v; i in index(#v) | i < 4})", "if #v > 5 then 1 else v[0]", "partition(v, [5, #v - 5])[0]",
        "{v[i] : i in [0, 1]}", "{if i < 9 then x else 0 : x in v; i in index(#v)}", "drop(reverse(v), #v - 1)",
        "let w = {x + 1 : x in v} in w -> [1]"]


def main():
    nvm = sys.argv[1]
    wrong = 0
    for failing, use in itertools.product(FAILING, USES):
        text = f"let v = {failing} in {use}"
        found = []
        for mode in MODES:
            done = subprocess.run([nvm, "run", *mode, "-e", text], capture_output=True, text=True, check=False)
            found.append((done.returncode, done.stdout, done.stderr))
        if found[0][0] != 1 or "error" not in found[0][2].lower() or any(one != found[0] for one in found):
            wrong += 1
            print(text)
            for mode, (status, out, err) in zip(MODES, found):
                print(f"  {' '.join(mode)}: {status} {out.strip()} {' '.join(err.split())[:150]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
