#!/usr/bin/env python3
"""Recursive programs in kernel mode and with block mode, on the same data: is `auto` ever slower than `off`?

    modes.py [--runs N] [--rounds N] MODES_BENCH [PROGRAM ...]
    modes.py --memory NVM [PROGRAM ...]

A line per program: median milliseconds in kernel mode (--block-threshold off) and with `auto`, the median of the ratios
within a round, an interval that contains it with 95 % probability, and the same of a second machine in kernel mode: what
that differs from 1 the measurement itself adds. In each of N (5) processes modes_bench computes the same thing N (20) times
in each of these ways, in turn, in changing order, after a process in which block mode measures where it pays. The interval
comes from drawing processes, and rounds of these, again a thousand times. --memory: megabytes of vectors at their peak
instead, what the processes took from the system for them, and with every lifted call cut, too.
"""

import argparse
import pathlib
import random
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


def rounds_of(bench, rounds, seed, path, call):
    """[[off, auto, again], ...] of one process, in milliseconds, and how many calls were made in groups."""
    lines = subprocess.run([bench, str(rounds), str(seed), path, call], capture_output=True, text=True, check=True).stdout.splitlines()
    return [[float(word) for word in line.split()] for line in lines[1:-1]], int(lines[-1].split()[1])


def ratio(processes, k):
    return statistics.median(times[k] / times[0] for times in processes for times in times)


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


def compare(bench, runs, rounds, wanted):
    print(f"{'program':30} {'kernel':>8} {'auto':>8}  {'auto / kernel':>24}  {'kernel again / kernel':>24}  calls in groups")
    draw = random.Random(1)
    for name, path, data, call in chosen(wanted):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.nesl")
            program.write_text(functions_of(path) + f"v = {data} $\n", encoding="ascii")
            rounds_of(bench, 3, 0, program, call)
            processes, calls = zip(*(rounds_of(bench, rounds, 1 + run, program, call) for run in range(runs)))
        again = [[draw.choices(times, k=len(times)) for times in draw.choices(processes, k=runs)] for _ in range(1000)]
        line = f"{name:30}"
        for k in (0, 1):
            line += f" {statistics.median(times[k] for process in processes for times in process):8.1f}"
        for k in (1, 2):
            found = sorted(ratio(sample, k) for sample in again)
            line += f"  {ratio(processes, k):8.3f} ({found[25]:.3f} .. {found[974]:.3f})"
        print(f"{line}  {max(calls)}", flush=True)


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("binary")
    words.add_argument("programs", nargs="*")
    words.add_argument("--runs", type=int, default=5)
    words.add_argument("--rounds", type=int, default=20)
    words.add_argument("--memory", action="store_true")
    args = words.parse_args()
    if args.memory:
        memory(args.binary, args.programs)
    else:
        compare(args.binary, args.runs, args.rounds, args.programs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
