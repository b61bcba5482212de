#!/usr/bin/env python3
"""Shows that the oracle sees errors: each evaluator with one wrong operation must differ on the fixed programs.

  mutants.py [--count N]

The fixed programs are those that the tests compare with nvm, so that what is wrong in nvm in the same way is seen there.
"""

import argparse
import math
import sys

import arithmetic
import nesl_everyday_meaning as everyday
import nesl_meaning as meaning
import nesl_order as order
import nesl_python
from oracle import Nesl, Vcode, batch_bits

FOLD = arithmetic.float_reduce


def shifted(v):
  """An inclusive scan that forgets the first identity: what a scan gives if it is off by one."""
  return v[1:] + v[-1:]


def left_to_right(name):
  def reduce(v):
    op, acc = arithmetic.FLOAT_FOLDS[name]
    for x in v:
      acc = op(acc, x)
    return acc
  return reduce


def scan_left_to_right(v):
  out, acc = [], 0.0
  for x in v:
    out.append(acc)
    acc += x
  return out


def narrow(x):
  return ((x + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def first_label(v):
  from nesl_meaning import key
  keys = list(map(key, v))
  return [keys.index(k) for k in keys]


def saturating(x):
  if x != x:
    return 0
  return max(-(1 << 63), min((1 << 63) - 1, int(x))) if not math.isinf(x) else (1 << 63) - 1


NESL = {  # names of nesl_meaning.py, replaced
    "inclusive scan": {"scan_int_plus": lambda v: shifted(arithmetic.folds(arithmetic.Wide(64))["int", "+"][1](v))},
    "exclusive maximum scan from 0": {"scan_int_max": lambda v: [max([0] + v[:i]) for i in range(len(v))]},
    "float sum from left to right": {"reduce_float_plus": left_to_right("+")},
    "float product from left to right": {"reduce_float_times": left_to_right("*")},
    "float scan from left to right": {"scan_float_plus": scan_left_to_right},
    "maximum of nothing is 0": {"reduce_int_max": lambda v: max(v, default=0)},
    "minimum of floats from infinity": {"reduce_float_min": lambda v: min(v, default=math.inf)},
    "or of no elements is true": {"reduce_bool_or": lambda v: any(v) or not v},
    "32-bit wrapping": {"wrap": narrow},
    "no wrapping": {"wrap": lambda x: x},
    "saturating conversion": {"of_float": saturating},
    "quotient toward minus infinity": {"quotient": lambda a, b: a // b},
    "remainder with the divisor's sign": {"remainder": lambda a, b: a % b},
    "modulo with the dividend's sign": {"modulo": arithmetic.remainder},
    "shift count not taken modulo the width": {"shift_left": lambda a, n: 0 if n < 0 or n > 63 else arithmetic.Wide(64).wrap(a << n)},
    "logical right shift": {"shift_right": lambda a, n: (a & ((1 << 64) - 1)) >> (n % 64)},
    "rotate to the left": {"rotate": lambda v, i: v[i % len(v):] + v[:i % len(v)] if v else v},
    "take off by one": {"take": lambda v, i: v[:i % (len(v) + 1) + 1]},
    "drop off by one": {"drop": lambda v, i: v[i % (len(v) + 1) + 1:]},
    "range with its end": {"span": lambda s, n, d: list(range(s, s + n + 1, d))},
    "write: the first of equal indices": {
        "write": lambda d, p: [next((x for i, x in p if i % len(d) == j), y) for j, y in enumerate(d)] if d else d},
    "split: the groups exchanged": {"split": lambda v, f: [[x for x, g in zip(v, f) if g], [x for x, g in zip(v, f) if not g]]},
    "eql: lengths do not matter": {"eql": lambda a, b: a == b if not isinstance(a, (list, tuple)) else str(a)[:3] == str(b)[:3]},
    "label of the first": {"name": first_label},
    "rank: not stable": {"rank": lambda v, down=False: arithmetic.ranks(v[::-1], None, down)[::-1]},
    "flatten: empty ones count": {"flatten": lambda v: [x for w in v for x in (w or v[0])]},
    "runs: a trailing empty one stays": {"runs": lambda v, f, e: [r for r in _runs(v, f) if r or e]},
    "compare: the longer one is greater": {"compare": lambda a, b: order.compare(*(([len(x)] + x if isinstance(x, list) else x) for x in (a, b)))},
    "sort: equal ones only once": {"sort_all": lambda v, down=False: order.unique(v)[::-1 if down else 1]},
    "argsort: not stable": {"argsort": lambda v, down=False: order.argsort(v, not down)[::-1]},
    "sort_by: descending reverses equal ones": {"sort_by": lambda f, v, down=False: order.sort_by(f, v)[::-1 if down else 1]},
    "dictionary: the first of equal keys": {"entries": lambda p: [(k, x[0]) for k, x in order.group_pairs(p)]},
    "lookup: the default where the key is": {"lookup_all": lambda p, w, d: [d for _ in w]},
    "search_sorted: behind equal ones": {"search_sorted": lambda v, w: [sum(order.compare(x, k) <= 0 for x in v) for k in w]},
    "group_with: in order of occurrence": {"group_with": lambda f, v: order.group_pairs([(f(x), x) for x in v])[::-1]},
    "greatest of all: the first": {"extreme": lambda v, least: v[0]},
    "cumsum without the element": {"cumulated": lambda scan, op, v: scan(v)},
    "mean of integers": {"mean": lambda v: float(sum(v) // max(1, len(v)))},
    "variance of a sample": {"variance": lambda v: everyday.variance(v) * len(v) / max(1, len(v) - 1)},
    "windows: one less": {"windows": lambda v, n: everyday.windows(v, n)[:-1]},
    "split_at: no empty parts": {"split_at": lambda s, c: [x for x in everyday.split_at(s, c) if x]},
    "trim: only in front": {"trim": lambda s: list(bytes(s).lstrip(everyday.BLANKS))},
    "scatter: the last wins": {"scattered": lambda d, p, op: everyday.scattered(d, p, lambda a, b: b)},
    "text of a tuple with parentheses in it": {"show": lambda x, t: [ord("(")] + meaning.show(x, t) + [ord(")")]},
    "interleave: second first": {"interleave": lambda v, w: [x for p in zip(w, v) for x in p]},
}


def _runs(v, flags):
  out = [[]]
  for x, f in zip(v, flags):
    out.append([]) if f else out[-1].append(x)
  return out


def lifted(word, change):
  """A table of changes: the result of `word` changed."""

  def changes(machine):
    operands, operation = machine.table[word]
    return {word: (operands, lambda *values: change(machine, operation(*values), *values))}

  return changes


def elements(f):
  return lambda machine, result, *_: (result[0], f(result[1]))


VCODE = {  # word, what becomes of its result
    "+_SCAN inclusive": ("+_SCAN", elements(shifted)),
    "+_REDUCE drops empty segments": ("+_REDUCE", lambda m, r, k, v, s: (r[0], [x for x, n in zip(r[1], s) if n])),
    "MAX_REDUCE of nothing is 0": ("MAX_REDUCE", lambda m, r, k, v, s: (r[0], [x if n else x * 0 for x, n in zip(r[1], s)])),
    "MIN_SCAN ignores segments": ("MIN_SCAN", lambda m, r, k, v, s: m.scan(k, "min", v, [len(v)])),
    "PACK keeps the old lengths": ("PACK", lambda m, r, k, v, f, s: [r[0], ("S", list(s))]),
    "PERMUTE gathers": ("PERMUTE", lambda m, r, k, v, i, s: m.gather(k, v, i, None, s, s)),
    "DPERMUTE without defaults": ("DPERMUTE", lambda m, r, k, v, i, d, s, t: m.scatter(k, v, i, None, None, s, t)),
    "DPERMUTE: the first wins": ("DPERMUTE", lambda m, r, k, v, i, d, s, t: m.scatter(k, v[::-1], i[::-1], None, d, s[::-1], t) if len(s) == 1 else r),
    "+_DPERMUTE: the last wins": ("+_DPERMUTE", lambda m, r, k, v, i, d, s, t: m.scatter(k, v, i, None, d, s, t)),
    "+_DPERMUTE over zeros": ("+_DPERMUTE", lambda m, r, k, v, i, d, s, t: m.combine(k, "+", v, i, m.zeros(k, len(d)), s, t)),
    "MIN_DPERMUTE is MAX_DPERMUTE": ("MIN_DPERMUTE", lambda m, r, k, v, i, d, s, t: m.combine(k, "max", v, i, d, s, t)),
    "BFPERMUTE copies where F": ("BFPERMUTE", lambda m, r, k, v, i, f, s, t: (r[0], [x if g else type(x)(1) for x, g in zip(r[1], f)])),
    "EXTRACT the first": ("EXTRACT", lambda m, r, k, v, i, s: m.extract(k, v, [0] * len(i), s)),
    "REPLACE does nothing": ("REPLACE", lambda m, r, k, v, i, x, s: (k, list(v))),
    "DIST one more": ("DIST", lambda m, r, k, x, s: (k, r[1] + r[1][-1:])),
    "INDEX without stride": ("INDEX", lambda m, r, k, a, b, s: m.index(k, a, [1] * len(b), s)),
    "RANK_DOWN reverses ties": ("RANK_DOWN", lambda m, r, k, v, s: ("I", [y for x in m.segments(v, s) for y in [len(x) - 1 - z for z in arithmetic.ranks(x)]])),
    "SELECT the other way": ("SELECT", lambda m, r, k, f, a, b: (k, [y if g else x for g, x, y in zip(f, a, b)])),
    "FLOOR truncates": ("FLOOR", lambda m, r, k, v: ("I", [m.wide.of_float(x) for x in v])),
    "ROUND to even": ("ROUND", lambda m, r, k, v: ("I", [m.wide.of_float(float(round(x))) if abs(x) < 1e15 else y for x, y in zip(v, r[1])])),
    "RSHIFT logical": ("RSHIFT", lambda m, r, k, a, b: ("I", [(x & (1 << m.wide.bits) - 1) >> (n % m.wide.bits) for x, n in zip(a, b)])),
    "% with the divisor's sign": ("%", lambda m, r, k, a, b: ("I", [x % y for x, y in zip(a, b)])),
    "NOT of INT is logical": ("NOT", lambda m, r, k, v: (k, [int(not x) for x in v]) if k == "I" else r),
    "<= is <": ("<=", lambda m, r, k, a, b: ("B", [x < y for x, y in zip(a, b)])),
    "LENGTHS of all": ("LENGTHS", lambda m, r, k, s: ("I", [sum(s)] * len(s))),
}


class SieveOffByOne(nesl_python.Body):
  """Apply-to-each with a sieve loses its last element."""

  def _each(self, n):
    result = super()._each(n)
    if n.data[1]:
      self.add(f"{result} = {result}[:-1]")
    return result


def drawn(kind, count, batch=100):
  for number in range((count + batch - 1) // batch):
    language = kind(batch_bits(number))
    for seed in range(1 + number * batch, min(1 + (number + 1) * batch, 1 + count)):
      case = language.draw(seed)
      if language.expect(case):
        yield language, case, (case.expected, case.fault and str(case.fault), getattr(case, "written", ""))


def differs(mutant, case, right):
  """Whether the mutant sees another result; failing in its own way counts."""
  try:
    if not mutant.expect(case):
      return False
  except Exception:
    return True
  return (case.expected, case.fault and str(case.fault), getattr(case, "written", "")) != right


def survivors(kind, mutants, count):
  """The mutants, {name: maker of a mutant for a width}, that no program kills."""
  alive = {name: {bits: make(bits) for bits in (32, 64)} for name, make in mutants.items()}
  for language, case, right in drawn(kind, count):
    for name in list(alive):
      case.expected = case.fault = None
      if differs(alive[name][language.bits], case, right):
        del alive[name]
    if not alive:
      break
  return list(alive)


class SieveMutant(Nesl):
  def expect(self, case):
    kept, nesl_python.Body = nesl_python.Body, SieveOffByOne
    try:
      return super().expect(case)
    finally:
      nesl_python.Body = kept


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--count", type=int, default=1000)
  count = parser.parse_args().count
  sys.setrecursionlimit(20000)
  nesl = {name: (lambda bits, changes=changes: Nesl(bits, changes)) for name, changes in NESL.items()}
  nesl["sieve off by one"] = SieveMutant
  vcode = {name: (lambda bits, change=change: Vcode(bits, lifted(*change))) for name, change in VCODE.items()}
  alive = survivors(Nesl, nesl, count) + survivors(Vcode, vcode, count)
  for name in alive:
    print(f"not seen: {name}")
  print(f"{len(nesl) + len(vcode) - len(alive)} of {len(nesl) + len(vcode)} wrong operations seen")
  return 1 if alive else 0


if __name__ == "__main__":
  sys.exit(main())
