#!/usr/bin/env python3
"""The seven programs of the paper on Ikra: nvm, fused, not fused and without its compiler, beside loops by hand, NumPy, Numba and JAX.

    ikra.py [--full] [--threads N] [--repeats N] [P1 ...]

with neslvm installed (or PYTHONPATH=build/python/site); small sizes unless --full. The loops by hand are compiled here by g++; Numba and
JAX take part where they are installed. Every result is compared with NumPy's before times are taken; then the contestants run in turn,
and the best of each counts: milliseconds of one run. `/hand` is nvm against the fused loop by hand; `gain` is not fused / fused of nvm
against the same of the loops by hand. Prints Markdown."""
import argparse
import importlib
import time

import hand
import numpy as np
import nvm
import ikra_programs
from hand import Missing

TINY, SMALL, FULL = (4, 6, 5, 3), (20, 50, 50, 12), (20, 500, 500, 2)
HIMENO = {TINY: (6, 5, 7), SMALL: (33, 17, 17), FULL: (129, 65, 65)}
TURNS = {"P1": (10, 10), "P2": (10, 10), "P3": (50, 100), "P4": (20, 40), "P5": (100, 100), "P6": (10, 20), "P7": (20, 40)}
TARGETS = {"P1": 1.25, "P2": 1.5, "P3": 1.25, "P4": 1.5, "P5": 1.5, "P6": 1.25, "P7": 1.25}
MAPS = ("P1", "P3", "P6", "P7")  # a stencil by hand is a pass of its own, fused or not
BY_HAND = {"P1": "p1", "P2": "stencils", "P3": "p3", "P4": "stencils", "P6": "p6", "P7": "p7"}


def with_options(**options):
    def run(name, given, turns):
        with nvm.options(**options):
            return ikra_programs.NVM[name](given, turns)

    return run


def by_hand(fused, threads):
    def run(name, given, turns):
        if name == "P5":
            return hand.himeno(given, turns, threads)
        return hand.ints(BY_HAND[name], given, turns, fused, threads)

    hand.library()
    return run


def optional(module, threads):
    try:
        found = importlib.import_module(module)
    except ImportError as e:
        raise Missing(f"{e.name or module} is not installed") from None
    if hasattr(found, "threads"):
        found.threads(threads)
    return lambda name, given, turns: found.PROGRAMS[name](given, turns)


def contestants(threads):
    """By name: a function of program, what it is given and turns; and why others cannot take part."""
    makers = {
        "nvm": lambda: with_options(threads=threads), "nvm unfused": lambda: with_options(threads=threads, fusion="off"),
        "jit off": lambda: with_options(threads=threads, jit="off"), "hand": lambda: by_hand(True, threads),
        "hand unfused": lambda: by_hand(False, threads), "NumPy": lambda: lambda name, given, turns: ikra_programs.NUMPY[name](given, turns),
        "Numba": lambda: optional("ikra_numba", threads), "JAX": lambda: optional("ikra_jax", threads)}
    found, missing = {}, {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except Missing as why:
            missing[name] = str(why)
    return found, missing


def takes_part(contestant, program):
    return contestant != "hand unfused" or program in MAPS


def compare(program, contestant, got, want):
    got = got.to_numpy() if isinstance(got, nvm.Array) else np.asarray(got)
    if program == "P5":
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12, err_msg=f"{program}: {contestant}")
    else:
        np.testing.assert_array_equal(got, want, err_msg=f"{program}: {contestant}")


def given_to(program, dims, himeno=ikra_programs.himeno_arrays):
    return himeno(HIMENO[dims]) if program == "P5" else dims


def check(program, dims, turns, found, himeno=ikra_programs.himeno_arrays):
    """All contestants make what NumPy makes."""
    given = given_to(program, dims, himeno)
    want = ikra_programs.NUMPY[program](given, turns)
    for name, run in found.items():
        if takes_part(name, program):
            compare(program, name, run(program, given, turns), want)


def measure(program, dims, turns, found, repeats, clock=time.perf_counter):
    """Milliseconds, the best of each; its first run was the check."""
    given = given_to(program, dims)
    best = {}
    for _ in range(repeats):
        for name, run in found.items():
            if takes_part(name, program):
                begin = clock()
                run(program, given, turns)
                best[name] = min(best.get(name, np.inf), (clock() - begin) * 1e3)
    return best


def row(program, best, names):
    cells = [f"{best[n]:.1f}" if n in best else "" for n in names]
    ratio = gain = ""
    if "hand" in best:
        ratio = f"{best['nvm'] / best['hand']:.2f} ({TARGETS[program]})"
        if program in MAPS and "nvm unfused" in best and "hand unfused" in best:
            gain = f"{best['nvm unfused'] / best['nvm'] / (best['hand unfused'] / best['hand']):.2f}"
    return "| " + " | ".join([program, *cells, ratio, gain]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--processor-time", action="store_true", help="where other work runs beside this, with --threads 1")
    parser.add_argument("--only", default="", help="contestants, between commas")
    parser.add_argument("programs", nargs="*", default=list(TURNS))
    a = parser.parse_args()
    dims = FULL if a.full else SMALL
    found, missing = contestants(a.threads)
    clock = time.process_time if a.processor_time else time.perf_counter
    found = {n: f for n, f in found.items() if not a.only or n in a.only.split(",")}
    for name, why in missing.items():
        print(f"{name} does not take part: {why}\n")
    print("| " + " | ".join(["", *found, "/hand", "gain"]) + " |\n| :--- |" + " ---: |" * (len(found) + 2))
    for program in a.programs:
        turns = TURNS[program][a.full]
        check(program, dims, turns, found)
        print(row(program, measure(program, dims, turns, found, a.repeats, clock), list(found)), flush=True)


if __name__ == "__main__":
    main()
