"""What nvm's own functions mean: names for the code of nesl_everyday.py."""

import arithmetic


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


def windows(v, n):
  return [v[i:i + n] for i in range(len(v) - n + 1)]


def scattered(d, pairs, op):
  out = list(d)
  for i, x in pairs if d else ():
    out[i % len(d)] = op(out[i % len(d)], x)
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
