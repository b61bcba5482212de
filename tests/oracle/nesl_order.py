"""The order of all values, and NESL's functions that rest on it. Names for the code of nesl_everyday.py.

NaN is one value behind all numbers, and zeros are equal. Which of two equal values is the greatest, or stands at a place, is
Undefined, unless nobody could tell.
"""

import functools

from nesl_meaning import Undefined, differs, eql


def compare(a, b):
  """-1, 0 or 1: sequences from the left, tuples component by component."""
  if isinstance(a, list):
    for x, y in zip(a, b):
      c = compare(x, y)
      if c:
        return c
    a, b = len(a), len(b)
  if isinstance(a, tuple):
    return compare(a[0], b[0]) or compare(a[1], b[1])
  if a != a or b != b:
    return (a != a) - (b != b)
  return (a > b) - (a < b)


KEY = functools.cmp_to_key(compare)


def in_order(v, key=KEY, down=False):
  """Stable in both directions."""
  return sorted(v, key=key, reverse=down)


def plain(v):
  """The values, if equal ones are alike."""
  ordered = in_order(v)
  if any(compare(x, y) == 0 and differs(x, y) for x, y in zip(ordered, ordered[1:])):
    raise Undefined
  return v


def sort_all(v, down=False):
  return in_order(v, down=down)


def kth(v, k):
  return in_order(plain(v))[k]


def argsort(v, down=False):
  return in_order(range(len(v)), key=lambda i: KEY(v[i]), down=down)


def places(v, down=False):
  out = [0] * len(v)
  for place, i in enumerate(argsort(v, down)):
    out[i] = place
  return out


def sort_by(f, v, down=False):
  return in_order(v, key=lambda x: KEY(f(x)), down=down)


def unique(v):
  s = sort_all(v)
  return [x for i, x in enumerate(s) if i == 0 or compare(s[i - 1], x)]


def group_pairs(pairs):
  out = []
  for k, x in [(pairs[i][0], pairs[i][1]) for i in argsort([k for k, _ in pairs])]:
    if not out or compare(out[-1][0], k):
      out.append((k, []))
    out[-1][1].append(x)
  return out


def group_with(f, v):
  return group_pairs([(f(x), x) for x in v])


def value_counts(v):
  return [(k, len(x)) for k, x in group_pairs([(x, 0) for x in v])]


def search_sorted(v, keys):
  return [sum(compare(x, k) < 0 for x in v) for k in keys]


def entries(pairs):
  return [(k, x[-1]) for k, x in group_pairs(pairs)]


def lookup_all(pairs, wanted, default):
  found = entries(pairs)
  return [next((x for k, x in found if compare(k, w) == 0), default) for w in wanted]


def extreme(v, least):
  return kth(v, 0 if least else -1)


def extreme_place(v, least):
  m = extreme(v, least)
  place = next((i for i, x in enumerate(v) if eql(x, m)), None)
  if place is None:  # NaN alone
    raise Undefined
  return place
