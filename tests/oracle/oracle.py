#!/usr/bin/env python3
"""Random programs with known results, run by nvm in every mode. CONTRIBUTING.md and docs/debugging.md say how to use it.

  oracle.py NVM [--language nesl|vcode] [--seed N] [--count N] [--modes LIST]

The first seed may also come from the environment: NVM_ORACLE_SEED. NVM_ORACLE_COUNT multiplies the count.
"""

import argparse
import os
import random
import signal
import sys
import time

import known
import modes
import nesl_run
import nesl_shrink
import vcode_run
import vcode_shrink
from nesl_generator import Generator
from nesl_pipelines import Elementary, Facts, Pipelines
from nesl_python import Evaluator
from vcode_generator import Generator as VcodeGenerator

KINDS = {"pipelines": 0.15, "facts": 0.1, "big": 0.1, "failing": 0.02, "nested": 0.15, "library": 0.25, "elementary": 0.02, "small": 0.21}


class Nesl:
  name, kinds, modes = "nesl", KINDS, list(modes.MODES)

  def __init__(self, bits, changes=None):
    self.bits, self.evaluator = bits, Evaluator(bits, changes)

  def draw(self, seed, kind=None):
    rng = random.Random(seed)
    generator = Generator(rng, self.bits, seed)
    kind = kind or rng.choices(list(KINDS), list(KINDS.values()))[0]
    special = {"pipelines": Pipelines, "facts": Facts, "elementary": Elementary}.get(kind)
    if special:
      program = special(generator).program()
    elif kind == "library":
      program = generator.library()
    else:
      program = generator.program(kind == "big", kind == "failing", kind == "nested")
    return nesl_run.Case(seed, program, ulps=2 if kind == "elementary" else 0)

  def expect(self, case):
    return nesl_run.expect(case, self.evaluator, self.bits)

  def run(self, nvm, mode, cases):
    return nesl_run.run_values(nvm, mode, self.bits, cases)

  def run_fault(self, nvm, mode, case):
    return nesl_run.run_fault(nvm, mode, self.bits, case)

  def shrink(self, d, nvm):
    return nesl_shrink.shrink(d, nvm, self.bits)

  def text(self, case):
    return nesl_run.write(case, self.bits)


class Vcode:
  name, kinds, modes = "vcode", {"big": 0.2, "failing": 0.02, "small": 0.78}, list(modes.MODES) + list(modes.LEGACY)

  def __init__(self, bits, changes=None):
    self.bits, self.changes = bits, changes

  def draw(self, seed, kind=None):
    rng = random.Random(seed)
    kind = kind or rng.choices(list(self.kinds), list(self.kinds.values()))[0]
    return vcode_run.Case(seed, VcodeGenerator(rng, self.bits, seed).program(kind == "big", kind == "failing"), self.bits)

  def expect(self, case):
    return vcode_run.expect(case, self.changes)

  def run(self, nvm, mode, cases):
    return [] if mode in modes.LEGACY and self.bits != 32 else vcode_run.run(nvm, mode, self.bits, cases)

  def run_fault(self, nvm, mode, case):
    return None if mode in modes.LEGACY else vcode_run.run_fault(nvm, mode, self.bits, case)

  def shrink(self, d, nvm):
    return vcode_shrink.shrink(d, nvm, self.bits)

  def text(self, case):
    return vcode_run.source([case])[len(vcode_run.BITS):]


LANGUAGES = {"nesl": Nesl, "vcode": Vcode}


def batch_bits(number):
  """Every third batch has narrow integers."""
  return 32 if number % 3 == 2 else 64


class Report:
  """Prints each program with a difference once, as small as can be, and counts."""

  def __init__(self, options):
    self.options = options
    self.seen, self.hidden = {}, {}
    self.count = 0

  def __call__(self, language, d):
    text = language.text(d.case)
    hidden = next((k for k in known.KNOWN if k.hides(language.name, text, d.mode, d.got)), None)
    if hidden:
      self.hidden[hidden.name] = self.hidden.get(hidden.name, 0) + 1
      return
    self.count += 1
    if d.case.seed in self.seen:
      print(f"  seed {d.case.seed} differs in mode {d.mode}, too", flush=True)
      return
    self.seen[d.case.seed] = d.mode
    if not self.options.no_shrink and len(self.seen) <= 20:
      d = language.shrink(d, self.options.nvm)
    expected = d.case.fault if d.case.fault is not None else d.case.expected
    if isinstance(expected, list):
      expected = "\n         ".join(expected)
    print(f"DIFFERENCE in {language.name}, seed {d.case.seed}, mode {d.mode}: {' '.join(modes.options(d.mode, language.bits))}")
    print(language.text(d.case))
    print(f"expected {str(expected)[:1500]}")
    print(f"got      {d.got[:1500]}\n", flush=True)


def run_batch(options, language, seeds, batch_modes, report):
  """The number of programs whose result is defined."""
  cases = [c for c in (language.draw(s, options.kind) for s in seeds) if language.expect(c)]
  good = [c for c in cases if c.fault is None]
  bad = [c for c in cases if c.fault is not None]
  for mode in batch_modes:
    differences = language.run(options.nvm, mode, good)
    differences += [d for d in (language.run_fault(options.nvm, mode, c) for c in bad) if d]
    for d in differences:
      report(language, d)
  return len(cases)


def stale(options):
  """Known defects that are gone."""
  gone = []
  for k in known.KNOWN:
    if k.language == "nesl":
      status, out, err = nesl_run.nvm(options.nvm, "run", k.mode, 64, k.program, 60)
    else:
      status, out, err = vcode_run.nvm(options.nvm, k.mode, 64, k.program, 60)
    if k.right in out + err:
      gone.append(k)
      print(f"the known defect '{k.name}' is gone: remove it from tests/oracle/known.py")
  return gone


def parse_arguments():
  parser = argparse.ArgumentParser(description="Compares nvm with an independent evaluator on random programs.")
  parser.add_argument("nvm", help="the binary")
  parser.add_argument("--language", choices=list(LANGUAGES), default="nesl")
  parser.add_argument("--seed", type=int, default=1, help="of the first program; the others count on")
  parser.add_argument("--count", type=int, default=1000)
  parser.add_argument("--batch", type=int, default=100, help="programs for each process")
  parser.add_argument("--modes", default="rotate", help="a list, all, or rotateN: N of them for each batch; default: rotate3")
  parser.add_argument("--bits", type=int, choices=(32, 64), help="of integers; default: 64 and, every third batch, 32")
  parser.add_argument("--kind", help="only programs of this kind: " + ", ".join(KINDS))
  parser.add_argument("--no-shrink", action="store_true", help="show programs as they were drawn")
  parser.add_argument("--fresh", action="store_true", help="let the environment choose seed and count")
  options = parser.parse_args()
  if options.fresh:
    options.seed = int(os.environ.get("NVM_ORACLE_SEED", options.seed))
    options.count *= int(os.environ.get("NVM_ORACLE_COUNT", 1))
  return options


def modes_of(options, kind, seed):
  """The modes for the batch that begins with the seed."""
  if options.modes.startswith("rotate"):
    return random.Random(seed).sample(kind.modes, int(options.modes[6:] or 3))
  return kind.modes if options.modes == "all" else options.modes.split(",")


def interrupt(*_):
  raise KeyboardInterrupt


def main():
  options = parse_arguments()
  signal.signal(signal.SIGTERM, interrupt)  # as Ctrl-C: the programs so far count
  sys.setrecursionlimit(20000)
  kind = LANGUAGES[options.language]
  report = Report(options)
  started, done = time.time(), 0
  ends = options.seed + options.count
  try:
    for number, start in enumerate(range(options.seed, ends, options.batch)):
      language = kind(options.bits or batch_bits(number))
      seeds = range(start, min(start + options.batch, ends))
      done += run_batch(options, language, seeds, modes_of(options, kind, start), report)
  except KeyboardInterrupt:
    print("interrupted")
  gone = stale(options)
  for name, times in report.hidden.items():
    print(f"{times} differences are the known defect '{name}'")
  print(f"{done} programs from seed {options.seed} on, {report.count} differences, {time.time() - started:.0f} s")
  return 1 if report.count or gone else 0


if __name__ == "__main__":
  sys.exit(main())
