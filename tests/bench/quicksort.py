#!/usr/bin/env python3
"""Quicksort written in NESL against the quicksorts of quicksort_bench, on the same numbers.

    quicksort.py [--pivot median|middle] NVM QUICKSORT_BENCH [N [INPUT ...]]

A line per input, or per one that is named: milliseconds of std::sort and of a parallel C++ quicksort, of nvm in kernel mode
and with block mode (auto, the faster of two each, after one run that measures where block mode pays), their ratios, and how
much longer nvm takes than for the first input, uniform keys. Results are checked. The pivot is the median of three, as in
the C++ quicksort, or the middle element, as in programs/quicksort.nesl: some of the inputs have their middle elements where
they part badly.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEDIAN = "function median3(a, b, c) = max(min(a, b), min(max(a, b), c)) $\n"
PIVOTS = {"median": "median3(v[#v / 5], v[#v / 2], v[4 * #v / 5])", "middle": "v[#v / 2]"}
PROGRAM = MEDIAN + (ROOT / "programs" / "quicksort.nesl").read_text(encoding="ascii").split("$")[0] + """$
let (s, seconds) = time(quicksort(v)); n = #v in
(seconds, all({a <= b : a in take(s, n - 1); b in drop(s, 1)}) and sum(s) == sum(v)) $
"""


def run_nvm(nvm, folder, name, threshold):
    command = [nvm, "run", "--block-threshold", threshold, "--in", f"v={folder}/{name}.npy", f"{folder}/quicksort.nesl"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, right = re.search(r"it = \(([^,]+), ([TF])\)", out).groups()
    if right != "T":
        sys.exit(f"{name}: not sorted: {out}")
    return float(seconds) * 1000


def main(pivot, nvm, bench, n="10000000", *inputs):
    program = PROGRAM.replace(PIVOTS["middle"], PIVOTS[pivot])
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        pathlib.Path(folder, "quicksort.nesl").write_text(program, encoding="ascii")
        print(f"{'input':10} {'std::sort':>10} {'parallel':>10} {'kernel':>10} {'auto':>10} {'gain':>6} {'vs C++':>7} {'of first':>8}")
        others = subprocess.run([bench, n, folder, *inputs], capture_output=True, text=True, check=True).stdout
        if not others:
            sys.exit("no such input: " + " ".join(inputs))
        first = None
        for line in others.splitlines():
            name, serial, parallel = line.split()
            kernel = min(run_nvm(nvm, folder, name, "off") for _ in range(2))
            run_nvm(nvm, folder, name, "auto")
            auto = min(run_nvm(nvm, folder, name, "auto") for _ in range(2))
            first = first or auto
            print(f"{name:10} {float(serial):10.1f} {float(parallel):10.1f} {kernel:10.1f} {auto:10.1f} "
                  f"{kernel / auto:6.2f} {auto / float(parallel):7.2f} {auto / first:8.2f}", flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    pivot = "median"
    if words[:1] == ["--pivot"]:
        pivot, words = (words + [""])[1], words[2:]
    if len(words) < 2 or pivot not in PIVOTS:
        sys.exit(__doc__)
    main(pivot, *words)
