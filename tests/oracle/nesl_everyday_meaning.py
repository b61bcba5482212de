"""What nvm's own functions mean: names for the code of nesl_everyday.py."""

import arithmetic
from nesl_order import compare


def mean(v):
  return arithmetic.divide(arithmetic.float_reduce("+", [float(x) for x in v]), float(len(v)))


def variance(v):
  m = mean(v)
  return mean([(x - m) * (x - m) for x in v])


def quantile(v, quarters):
  """Of integers, so that it is exact."""
  s = sorted(v)
  i, part = divmod(quarters * (len(s) - 1), 4)
  return s[i] + (s[min(i + 1, len(s) - 1)] - s[i]) * part / 4


def cumulated(scan, op, v):
  return [op(before, x) for before, x in zip(scan(v), v)]


def running_max(v):
  """The later one of equal zeros, and NaN for good."""
  out = []
  for x in v:
    out.append(out[-1] if out and compare(out[-1], x) > 0 else x)
  return out


def windows(v, n):
  return [v[i:i + n] for i in range(len(v) - n + 1)]


def scattered(d, pairs, op):
  out = list(d)
  for i, x in pairs if d else ():
    out[i % len(d)] = op(out[i % len(d)], x)
  return out


def tree(v):
  return [x % (i + 1) for i, x in enumerate(v)]


def some_tree(v):
  return [min((i * 7 + len(x)) % len(v) // 2, i) for i, x in enumerate(v)]


def way_up(parents, i):
  return [i] if parents[i] == i else [i] + way_up(parents, parents[i])


def tree_depths(parents):
  return [len(way_up(parents, i)) - 1 for i in range(len(parents))]


def tree_children(parents):
  return [[c for c, p in enumerate(parents) if p == i and c != i] for i in range(len(parents))]


def tree_levels(parents):
  depths = tree_depths(parents)
  return [[i for i, d in enumerate(depths) if d == k] for k in range(max(depths, default=-1) + 1)]


def rootfix(op, parents, v):
  out = []
  for i in range(len(parents)):
    way = way_up(parents, i)[::-1]
    x = v[way[0]]
    for j in way[1:]:
      x = op(x, v[j])
    out.append(x)
  return out


def leaffix(op, parents, v):
  children = tree_children(parents)

  def of(i):
    x = v[i]
    for c in children[i]:
      x = op(x, of(c))
    return x
  return [of(i) for i in range(len(parents))]


def tree_parents(depths):
  way, out = [], []
  for i, d in enumerate(depths):
    way = way[:d] + [i]
    out.append(way[d - 1] if d else i)
  return out


def put_reversed(v, d):
  n = min(len(v), len(d))
  return v[:n][::-1] + d[n:]


def small(x):
  return x if abs(x) < 1.0e6 else 7.0


BLANKS = b" \t\n\r"


def trim(s):
  return list(bytes(s).strip(BLANKS))


def split_at(s, separator):
  return [list(part) for part in bytes(s).split(bytes([separator]))]


def join_with(parts, separator):
  return list(bytes(separator).join(map(bytes, parts)))


def scalar_value(x):
  """65533 for what is no code point."""
  return x if 0 <= x < 0x110000 and not 0xD800 <= x < 0xE000 else 65533


def utf8_string(codes):
  return list("".join(chr(scalar_value(x)) for x in codes).encode())
