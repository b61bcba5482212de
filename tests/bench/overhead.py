#!/usr/bin/env python3
"""What watching a run costs: five programs of the gallery, as they are and with --trace, under `nvm profile`, and with --cost.

    overhead.py NVM [RUNS]

Prints a table: the best of RUNS wall times of the plain run, and by how much the best of each way of watching it is slower.
The ways take turns, so that a machine that changes its speed treats them alike. Nothing else should run.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAMS = {
    "quicksort": "let v = {rem(i * 7919, 1000003) : i in [0:500000]} in #quicksort(v)",
    "quickhull": "let p = {(float(rem(i * 7919, 10007)), float(rem(i * 104729, 10009))) : i in [0:6000000]} in #quickhull(p)",
    "spmv": "let n = 1500000; m = {{(rem(i * 31 + j * 7919, n), float(j)) : j in [0:10]} : i in [0:n]};"
            " y = spmv(m, dist(1.0, n)) in sum(y)",
    "black_scholes": "sum({call_price(50.0 + float(i) / 30000.0, 100.0, 0.5, 0.02, 0.3) : i in [0:9000000]})",
    "small steps": "fib(30)",
}
FIB = "function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2) $\n"
WAYS = {"--trace": ["run", "--trace", "t.json"], "nvm profile": ["profile"], "--cost": ["run", "--cost"]}


def command(nvm, name, way, root):
    if name == "small steps":
        return [nvm, *way, "fib.nesl", "-e", PROGRAMS[name]]
    return [nvm, *way, str(root / "programs" / f"{name}.nesl"), "-e", PROGRAMS[name]]


def seconds(words, folder):
    start = time.perf_counter()
    subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main():
    nvm, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    root = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "fib.nesl").write_text(FIB)
        print(f"{'program':14} {'seconds':>8} " + " ".join(f"{way:>12}" for way in WAYS))
        for name in PROGRAMS:
            ways = {"": ["run"], **WAYS}
            best = {way: float("inf") for way in ways}
            for _ in range(runs + 1):
                for way, words in ways.items():
                    best[way] = min(best[way], seconds(command(nvm, name, words, root), folder))
            print(f"{name:14} {best['']:8.3f} " + " ".join(f"{100 * (best[way] / best[''] - 1):11.1f}%" for way in WAYS),
                  flush=True)


if __name__ == "__main__":
    main()
