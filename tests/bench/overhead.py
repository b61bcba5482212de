#!/usr/bin/env python3
"""What watching a run costs: programs of the gallery and two loops, as they are, once more as they are (what is measured there is
noise), with --trace, under `nvm profile`, and with --cost.

    overhead.py [--ways WAY,...] [--keep FILE] NVM [RUNS [PROGRAM ...]]

Prints a table: the median of RUNS processor times of the plain run, and by how much each way of watching costs more: the median
of what it took in each round, over what the plain run took in that round, and the interval that holds the true median with a
probability of 95 %. So a machine that changes its speed treats them alike, and some rounds that others disturb do not matter. The
programs take about a tenth of a second: many rounds say more than long ones, and what a way costs once weighs the most. WAY is
again, --trace, nvm profile or --cost. FILE keeps the rounds: those of the same program and ways that it has count, too, so that
many can be made in several calls.
"""

import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = {
    "quicksort": "let v = {rem(i * 7919, 4000037) : i in [0:2000000]} in #quicksort(v)",
    "quickhull": "let p = {(float(rem(i * 7919, 10007)), float(rem(i * 104729, 10009))) : i in [0:2000000]} in #quickhull(p)",
    "spmv": "let n = 4000000; m = {{(rem(i * 31 + j * 7919, n), float(j)) : j in [0:10]} : i in [0:n]};"
            " y = spmv(m, dist(1.0, n)) in sum(y)",
    "black_scholes": "sum({call_price(50.0 + float(i) / 40000.0, 100.0, 0.5, 0.02, 0.3) : i in [0:12000000]})",
    "barnes_hut": "let b = {(float(rem(i * 7919, 10007)) / 10007.0, float(rem(i * 104729, 10009)) / 10009.0, 1.0) : i in [0:30000]}"
                  " in #forces(b)",
    "small steps": "fib(28)",
    "short kernels": "sum(sweep({float(i) : i in [0:10000]}, 10000))",
}
# Programs that are not of the gallery.
TEXTS = {
    "small steps": "function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2) $\n",
    "short kernels": "function sweep(v, n) = if n == 0 then v else"
                     " sweep({(a + b + c) / 3.0 : a in rotate(v, 1); b in v; c in rotate(v, -1)}, n - 1) $\n",
}
WAYS = {"again": ["run"], "--trace": ["run", "--trace", "t.json"], "nvm profile": ["profile"], "--cost": ["run", "--cost"]}


def command(nvm, name, way, root):
    if name in TEXTS:
        return [nvm, *way, f"{name}.nesl", "-e", PROGRAMS[name]]
    return [nvm, *way, str(root / "programs" / f"{name}.nesl"), "-e", PROGRAMS[name]]


def seconds(words, folder):
    """Processor time, all threads: other users of the machine disturb it less than the time on the wall."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def turned(words, by):
    """Each round begins with another: what runs before a command is part of its conditions."""
    return words[by % len(words):] + words[:by % len(words)]


def interval(values):
    """Of the median, with 95 %, whatever the distribution: between these numbers in order of size. How many values lie below the
    true median is a matter of tossing coins."""
    below, tosses, chance = 0, len(values), 0.0
    while True:
        chance += math.comb(tosses, below) / 2**tosses
        if chance > 0.025:
            break
        below += 1
    ordered = sorted(values)
    return ordered[max(below - 1, 0)], ordered[min(tosses - below, tosses - 1)]


def percents(ratios):
    low, high = interval(ratios)
    return f"{100 * (statistics.median(ratios) - 1):7.1f}% ({100 * (low - 1):5.1f} ..{100 * (high - 1):5.1f})"


def kept(file, name, ways, rounds):
    """These rounds, and those of the file, which has them all then."""
    if file is None:
        return rounds
    path = pathlib.Path(file)
    known = json.loads(path.read_text()) if path.exists() else {}
    all_rounds = known.setdefault(f"{name}: {', '.join(ways)}", [])
    all_rounds += rounds
    path.write_text(json.dumps(known))
    return all_rounds


def main(words, watching, file):
    nvm, runs = os.path.abspath(words[0]), int(words[1]) if len(words) > 1 else 15
    root = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TEXTS.items():
            (pathlib.Path(folder) / f"{name}.nesl").write_text(text)
        print(f"{'program':14} {'rounds':>6} {'seconds':>8} " + " ".join(f"{way:>24}" for way in watching))
        for name in words[2:] or PROGRAMS:
            ways = {"": ["run"], **watching}
            rounds = [{way: seconds(command(nvm, name, ways[way], root), folder) for way in turned(list(ways), r)}
                      for r in range(runs + 1)][1:]
            rounds = kept(file, name, ways, rounds)
            plain = statistics.median(r[""] for r in rounds)
            more = [percents([r[way] / r[""] for r in rounds]) for way in watching]
            print(f"{name:14} {len(rounds):6} {plain:8.3f} " + " ".join(f"{m:>24}" for m in more), flush=True)


if __name__ == "__main__":
    arguments, chosen, keep = sys.argv[1:], list(WAYS), None
    while arguments[:1] in (["--ways"], ["--keep"]) and len(arguments) > 1:
        if arguments[0] == "--ways":
            chosen = arguments[1].split(",")
        else:
            keep = arguments[1]
        arguments = arguments[2:]
    if not arguments or not set(chosen) <= set(WAYS):
        sys.exit(__doc__)
    main(arguments, {way: WAYS[way] for way in chosen}, keep)
