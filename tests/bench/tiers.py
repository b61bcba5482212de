#!/usr/bin/env python3
"""Times programs with and without the compiling tier, and prints a table: what it gains, and that it costs nothing.

    tiers.py NVM FILE ... [--runs N] [-- OPTION ...]

Every program is run N times (5) with --jit off and --jit hot in turn; the least seconds and processor seconds of the
whole process are compared. OPTIONs are those of nvm run.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import time


def run_once(nvm, options, mode, program):
    """(seconds, processor seconds) of one process."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([nvm, "run", *options, "--jit", mode, program], capture_output=True, check=True)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("nvm")
    words.add_argument("programs", nargs="+")
    words.add_argument("--runs", type=int, default=5)
    own, options = sys.argv[1:], []
    if "--" in own:
        own, options = own[: own.index("--")], own[own.index("--") + 1 :]
    args = words.parse_args(own)
    print(f"{'program':28} {'off':>8} {'hot':>8} {'ratio':>6}   {'cpu off':>8} {'cpu hot':>8} {'ratio':>6}")
    for program in args.programs:
        seen = {"off": [], "hot": []}
        for _ in range(args.runs):
            for mode, times in seen.items():
                times.append(run_once(args.nvm, options, mode, program))
        (off, cpu_off), (hot, cpu_hot) = ([min(column) for column in zip(*seen[mode])] for mode in ("off", "hot"))
        print(f"{pathlib.Path(program).name:28} {off:8.3f} {hot:8.3f} {hot / off:6.2f}   "
              f"{cpu_off:8.3f} {cpu_hot:8.3f} {cpu_hot / cpu_off:6.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
