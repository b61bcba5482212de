#!/usr/bin/env python3
"""Random programs in Remora with known results, run by nvm in several modes.

    remora_oracle.py NVM [--kind ints|shapes|functions|mismatches] [--seed N] [--count N]

The first seed may also come from the environment: NVM_ORACLE_SEED. NVM_ORACLE_COUNT multiplies the count.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import remora_meaning
from remora_functions import Functions
from remora_generator import Generator
from remora_mismatches import mismatch
from remora_shapes import Shapes

MODES = [{}, {"NVM_JIT": "always", "NVM_BLOCK_THRESHOLD": "off"}, {"NVM_JIT": "off"}, {"NVM_BLOCK_THRESHOLD": "1"}]


FAILURES = ("division", "bounds", "negative", "size", "domain")  # while a program runs


def ints(seed):
    """A program, and what it prints without the types; or the kind of its failure; or nothing."""
    text = Generator(random.Random(seed)).program()
    try:
        return text, remora_meaning.results(text)
    except remora_meaning.Failure as failure:
        return text, str(failure)
    except NotImplementedError:
        return text, None


def printed(run):
    return [line.rsplit(" : ", 1)[0] for line in run.stdout.splitlines()]


class Ints:
    @staticmethod
    def program(seed):
        return ints(seed)

    @staticmethod
    def right(run, expected):
        if isinstance(expected, str):
            return run.returncode == 1 and f"error[{expected}]" in run.stderr
        return printed(run) == expected


class OfFunctions(Ints):
    @staticmethod
    def program(seed):
        return Functions(random.Random(seed)).program()


class Typed:
    """With the types; the two zeros are one. Of several failures any may be told."""

    @staticmethod
    def program(seed):
        return Shapes(random.Random(seed)).program()

    @staticmethod
    def right(run, expected):
        if isinstance(expected, str):
            return run.returncode == 1 and any(f"error[{kind}]" in run.stderr for kind in FAILURES)
        return run.stdout.replace("-0.0", "0.0").splitlines() == expected


class Wrong:
    """One mistake, which is said with its kind and place before anything runs."""

    @staticmethod
    def program(seed):
        text, kind, line, column = mismatch(random.Random(seed))
        return text, f":{line}:{column}: error[{kind}]: "

    @staticmethod
    def right(run, expected):
        return run.returncode == 2 and expected in run.stderr and not run.stdout


KINDS = {"ints": Ints, "shapes": Typed, "functions": OfFunctions, "mismatches": Wrong}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nvm")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("NVM_ORACLE_SEED", "1")))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", choices=KINDS, default="ints")
    options = parser.parse_args()
    kind = KINDS[options.kind]
    total = options.count * int(os.environ.get("NVM_ORACLE_COUNT", "1"))
    sys.setrecursionlimit(10000)
    defined = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.remora"
        for seed in range(options.seed, options.seed + total):
            text, expected = kind.program(seed)
            if expected is None:
                continue
            defined += 1
            path.write_text(text, encoding="utf-8")
            mode = MODES[seed % len(MODES)]
            run = subprocess.run([options.nvm, "run", str(path)], capture_output=True, text=True, check=False, timeout=120,
                                 stdin=subprocess.DEVNULL, env={**os.environ, **mode})
            if kind.right(run, expected):
                continue
            wrong += 1
            print(f"DIFFERENCE, seed {seed}, {mode}\n{text}expected {expected}\ngot      {run.stdout}\n{run.stderr[:600]}\n")
    print(f"{defined} programs with a meaning of {total}, {wrong} differences")
    return 1 if wrong or defined * 2 < total else 0


if __name__ == "__main__":
    sys.exit(main())
