#!/usr/bin/env python3
"""Recursive programs in kernel mode and with block mode, on the same data: is `auto` ever slower than `off`?

    modes.py [--runs N | --memory] NVM [PROGRAM ...]

A line per program: milliseconds in kernel mode (--block-threshold off) and with `auto`, and their ratio. Each
process computes the same thing five times and the fastest counts; processes take turns, N (3) of each, and the
medians are shown. A process before them measures where block mode pays. --memory: megabytes of vectors at their
peak instead, what the processes took from the system for them, and with every lifted call cut, too.
"""

import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNIT = "{rand(x) : x in dist(1.0, %d)}"
PAIRS = "zip(%s, %s)" % (UNIT, UNIT)
# name, file, data, and a sum of all that is computed of it (v): what nobody reads is not computed
PROGRAMS = [
    ("Barnes-Hut, 100,000 bodies", "programs/barnes_hut.nesl",
     "{(x, y, 0.00001) : (x, y) in %s}" % PAIRS % ((100000,) * 2), "sum({x + y : (x, y) in forces(v)})"),
    ("batcher, 2^20 keys", "tests/bench/workloads/bitonic_sort.nesl",
     "{rand(x) : x in dist(1000000000, 1048576)}", "sum(bitonic_sort(v))"),
    ("quickhull, 5,000,000 points", "programs/quickhull.nesl",
     "{(r * cos(6.283185307 * a), r * sin(6.283185307 * a)) : (r, a) in {(sqrt(u), w) : (u, w) in %s}}"
     % PAIRS % ((5000000,) * 2), "sum({x + y : (x, y) in quickhull(v)})"),
    ("Delaunay, 100,000 points", "programs/delaunay.nesl", PAIRS % ((100000,) * 2), "sum({a + b + c : (a, b, c) in delaunay(v)})"),
    ("quicksort, 2,000,000 keys", "programs/quicksort.nesl",
     "{rand(x) : x in dist(2000000000, 2000000)}", "sum(quicksort(v))"),
    ("kd tree, 200,000 points", "programs/kd_tree.nesl", PAIRS % ((200000,) * 2), "sum({x + y + float(a + b + c) : ((x, y), a, b, c) in place(v, 0, 0)})"),
    ("n-queens, 11", "programs/nqueens.nesl", "11", "count_from([] int, v)"),
]


def functions_of(path):
    """The program without its expressions."""
    parts = re.split(r"\$", (ROOT / path).read_text(encoding="ascii"))
    return "$".join(part for part in parts if re.search(r"^\s*(%[^%]*%\s*)*(function|datatype|type)\b", part)) + "$\n"


def seconds(nvm, path, threshold):
    out = subprocess.run([nvm, "run", "--seed", "1", "--block-threshold", threshold, path], capture_output=True,
                         text=True, check=True).stdout
    return min(float(s) for s in re.findall(r"= \([^,]+, ([^)]+)\)", out))


def megabytes(nvm, path, threshold):
    err = subprocess.run([nvm, "run", "--seed", "1", "--stats", "--block-threshold", threshold, path], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True, check=True).stderr
    return [int(re.search(rf"{what} bytes +(\d+)", err).group(1)) / 1e6 for what in ("peak", "mapped")]


def chosen(wanted):
    return [p for p in PROGRAMS if not wanted or any(word.lower() in p[0].lower() for word in wanted)]


def memory(nvm, wanted):
    print(f"{'program':30} {'kernel':>15} {'auto':>15} {'all cut':>15}")
    for name, path, data, call in chosen(wanted):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.nesl")
            program.write_text(functions_of(path) + f"v = {data} $\n{call} $\n", encoding="ascii")
            seen = [megabytes(nvm, program, threshold) for threshold in ("off", "auto", "1")]
        print(f"{name:30} " + " ".join(f"{peak:7.1f} {mapped:7.1f}" for peak, mapped in seen), flush=True)


def main(nvm, runs, wanted):
    print(f"{'program':30} {'kernel':>9} {'auto':>9} {'auto / kernel':>14}")
    for name, path, data, call in chosen(wanted):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.nesl")
            program.write_text(functions_of(path) + f"v = {data} $\n" + f"time({call}) $\n" * 5, encoding="ascii")
            seconds(nvm, program, "auto")
            pairs = [(seconds(nvm, program, "off"), seconds(nvm, program, "auto")) for _ in range(runs)]
        off, auto = (statistics.median(times) * 1000 for times in zip(*pairs))
        print(f"{name:30} {off:9.1f} {auto:9.1f} {auto / off:14.2f}", flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    count = 3
    if words[:1] == ["--runs"]:
        count, words = int(words[1]), words[2:]
    show = memory if words[:1] == ["--memory"] else lambda nvm, wanted: main(nvm, count, wanted)
    words = [word for word in words if word != "--memory"]
    if not words:
        sys.exit(__doc__)
    show(words[0], words[1:])
