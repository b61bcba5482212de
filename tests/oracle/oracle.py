#!/usr/bin/env python3
"""Random programs with known results, run by nvm in every mode. docs/debugging.md says how to use it.

  oracle.py NVM [--seed N] [--count N] [--modes LIST] [--language nesl|vcode]
"""

import argparse
import random
import sys
import time

import modes
from nesl_generator import Generator
from nesl_python import Evaluator
from nesl_pipelines import Facts, Pipelines
from nesl_run import Case, expect, run_fault, run_values, write
from nesl_shrink import shrink


KINDS = {"pipelines": 0.15, "facts": 0.1, "big": 0.1, "failing": 0.02, "nested": 0.25, "small": 0.38}


def draw(seed, bits, kind=None):
  rng = random.Random(seed)
  generator = Generator(rng, bits, seed)
  kind = kind or rng.choices(list(KINDS), list(KINDS.values()))[0]
  if kind in ("pipelines", "facts"):
    return Case(seed, {"pipelines": Pipelines, "facts": Facts}[kind](generator).program())
  return Case(seed, generator.program(kind == "big", kind == "failing", kind == "nested"))


def nesl_batch(options, seeds, bits, batch_modes, report):
  evaluator = Evaluator(bits)
  cases = [c for c in (draw(s, bits, options.kind) for s in seeds) if expect(c, evaluator, bits)]
  good = [c for c in cases if c.fault is None]
  bad = [c for c in cases if c.fault is not None]
  for mode in batch_modes:
    differences = run_values(options.nvm, mode, bits, good)
    for case in bad:
      d = run_fault(options.nvm, mode, bits, case)
      if d:
        differences.append(d)
    for d in differences:
      report(d, bits)
  return len(cases)


class Report:
  def __init__(self, options):
    self.options = options
    self.seen = set()
    self.count = 0

  def __call__(self, d, bits):
    self.count += 1
    if d.case.seed in self.seen:
      print(f"  also: seed {d.case.seed} in mode {d.mode}", flush=True)
      return
    self.seen.add(d.case.seed)
    if not self.options.no_shrink:
      d = shrink(d, self.options.nvm, bits)
    print(f"DIFFERENCE seed {d.case.seed} mode {d.mode} bits {bits}")
    print(write(d.case, bits))
    print(f"expected {str(d.case.expected if d.case.fault is None else d.case.fault)[:1500]}")
    print(f"got      {d.got[:1500]}\n", flush=True)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("nvm")
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--count", type=int, default=1000)
  parser.add_argument("--batch", type=int, default=200)
  parser.add_argument("--modes", default="rotate", help="a list, all, or rotate: three of them for each batch")
  parser.add_argument("--bits", type=int, help="32 or 64; default: both, in turn")
  parser.add_argument("--kind", choices=list(KINDS), help="only programs of this kind")
  parser.add_argument("--no-shrink", action="store_true")
  options = parser.parse_args()
  sys.setrecursionlimit(20000)
  report = Report(options)
  started, done = time.time(), 0
  names = list(modes.MODES)
  for b, start in enumerate(range(options.seed, options.seed + options.count, options.batch)):
    seeds = range(start, min(start + options.batch, options.seed + options.count))
    bits = options.bits or (32 if b % 3 == 2 else 64)
    if options.modes == "rotate":
      batch_modes = random.Random(start).sample(names, 3)
    else:
      batch_modes = names if options.modes == "all" else options.modes.split(",")
    done += nesl_batch(options, seeds, bits, batch_modes, report)
  print(f"{done} programs, {report.count} differences, {time.time() - started:.0f} s")
  return 1 if report.count else 0


if __name__ == "__main__":
  sys.exit(main())
