#!/usr/bin/env python3
"""Times VCODE programs that an older interpreter was timed on, and prints a table.

    legacy.py NVM DIRECTORY [--runs N] [--match REGEX] [-- OPTION ...]

DIRECTORY has NAME.vcode, NAME.out and index.tsv: program, lines, seconds of the whole process, seconds that the
program printed as its last result ("-" if it prints none). Every program is run N times (3), its output compared
but for that last line, and the best times are set against the given ones; whole-process times below 0.02 s in
the table are left out of the mean, being rounded to hundredths. OPTIONs replace those of nvm run.
"""

import argparse
import csv
import math
import pathlib
import re
import subprocess
import sys
import time

DEFAULT_OPTIONS = ["--rand", "lcg48", "--int-bits", "32"]


def run_once(nvm, options, program):
    begin = time.perf_counter()
    done = subprocess.run([nvm, "run", *options, str(program)], capture_output=True, text=True, check=False)
    return done, time.perf_counter() - begin


def printed_seconds(text):
    numbers = re.findall(r"^\( (\S+) \)$", text, re.MULTILINE)
    return float(numbers[-1]) if numbers else None


def measure(nvm, options, program, runs, timed):
    """(whole, printed, verdict): best times, and whether the output is the expected one."""
    expected = program.with_suffix(".out").read_text()
    whole, printed, verdict = math.inf, math.inf, "same"
    for _ in range(runs):
        done, seconds = run_once(nvm, options, program)
        if done.returncode != 0:
            return math.nan, math.nan, f"exit {done.returncode}: {done.stderr.splitlines()[0] if done.stderr else ''}"
        got, want = done.stdout.splitlines(), expected.splitlines()
        if (got[:-1], len(got)) != (want[:-1], len(want)) if timed else got != want:
            verdict = "DIFFERENT OUTPUT"
        whole = min(whole, seconds)
        if timed:
            printed = min(printed, printed_seconds(done.stdout))
    return whole, printed, verdict


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("nvm")
    words.add_argument("directory", type=pathlib.Path)
    words.add_argument("--runs", type=int, default=3)
    words.add_argument("--match", default="")
    given, options = sys.argv[1:], []
    if "--" in given:
        given, options = given[: given.index("--")], given[given.index("--") + 1 :]
    args = words.parse_args(given)
    print(f"{'program':28} {'whole':>9} {'then':>7} {'ratio':>6}  {'printed':>10} {'then':>10} {'ratio':>6}  output")
    whole_ratios, printed_ratios = [], []
    with open(args.directory / "index.tsv", encoding="utf-8") as index:
        for name, _, whole_then, printed_then in list(csv.reader(index, delimiter="\t"))[1:]:
            if not re.search(args.match, name):
                continue
            timed = printed_then != "-"
            whole, printed, verdict = measure(args.nvm, options or DEFAULT_OPTIONS, args.directory / name,
                                              args.runs, timed)
            whole_ratio, printed_ratio = float(whole_then) / whole, float(printed_then) / printed if timed else math.nan
            if float(whole_then) >= 0.02 and whole_ratio > 0:
                whole_ratios.append(whole_ratio)
            if timed and printed_ratio > 0:
                printed_ratios.append(printed_ratio)
            print(f"{name:28} {whole:9.3f} {whole_then:>7} {whole_ratio:6.2f}  {printed:10.6f} "
                  f"{float(printed_then) if timed else math.nan:10.6f} {printed_ratio:6.2f}  {verdict}", flush=True)
    print(f"geometric mean of the ratios: whole process {geometric_mean(whole_ratios):.2f}, "
          f"printed {geometric_mean(printed_ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
