"""What NESL's functions of release 3.1 mean: names for the code of nesl_library.py."""

import decimal
import math

import arithmetic


class Fault(Exception):
  """The program fails: what the message has, and the line."""

  def __init__(self, kind, line):
    super().__init__(kind, line)
    self.kind, self.line = kind, line


class Undefined(Exception):
  """The result is not defined by the documents, such as the rank of NaN."""


class TooMuch(Exception):
  """The program would take too long here."""


def select(flag, a, b):
  return a if flag else b


def eql(a, b):
  if isinstance(a, list):
    return len(a) == len(b) and all(map(eql, a, b))
  if isinstance(a, tuple):
    return eql(a[0], b[0]) and eql(a[1], b[1])
  return a == b


def identity(x):
  if isinstance(x, list):
    return []
  if isinstance(x, tuple):
    return (identity(x[0]), identity(x[1]))
  return type(x)(0)


def key(x):
  """Hashable, equal where `eql` is true."""
  if isinstance(x, list):
    return tuple(map(key, x))
  if isinstance(x, tuple):
    return (key(x[0]), key(x[1]))
  return object() if x != x else x


def at(v, i, default):
  return v[i % len(v)] if v else default


def rep(v, i, x):
  if not v:
    return v
  out = list(v)
  out[i % len(v)] = x
  return out


def gather(v, indices):
  n = len(v)
  return [v[i % n] for i in indices] if n else v


def write(d, pairs):
  if not d:
    return d
  out = list(d)
  for i, x in pairs:
    out[i % len(d)] = x
  return out


def split(v, flags):
  return [[x for x, f in zip(v, flags) if not f], [x for x, f in zip(v, flags) if f]]


def flatten(v):
  return [x for inner in v for x in inner]


def partition3(v, k):
  k = min(k, len(v))
  return [v[:k], [], v[k:]]


def unzip(v):
  return ([x for x, _ in v], [y for _, y in v])


def enumerate_flags(flags):
  out, n = [], 0
  for f in flags:
    out.append(n)
    n += f
  return out


def rotate(v, i):
  k = -i % len(v) if v else 0
  return v[k:] + v[:k]


def subseq(v, s, e):
  s %= len(v) + 1
  return v[s:s + e % (len(v) - s + 1)]


def take(v, i):
  return v[:i % (len(v) + 1)]


def drop(v, i):
  return v[i % (len(v) + 1):]


def take_last(v, i):
  return v[len(v) - i % (len(v) + 1):]


def drop_last(v, i):
  return v[:len(v) - i % (len(v) + 1)]


def interleave(v, w):
  return [x for p in zip(v, w) for x in p]


def flag_merge(flags, v):
  flags = flags[:len(v)]
  n = len(flags)
  trues = iter(v[::-1][:sum(flags)])
  falses = iter(v[:n - sum(flags)])
  return [next(trues) if f else next(falses) for f in flags]


def unpack(v, flags):
  elements = iter(v)
  return [next(elements) if f else 0 for f in flags[:len(v)]]


def groups(v, flags):
  """Groups that begin at true flags; the first element always begins one."""
  out = []
  for i, (x, f) in enumerate(zip(v, flags)):
    if f or i == 0:
      out.append([])
    out[-1].append(x)
  return out


def flag_partition(v, flags):
  n = min(len(v), len(flags))
  return groups([0] + v[:n], [True] + flags[:n])


def runs(v, flags, with_empty):
  out = [[]]
  for x, f in zip(v, flags):
    if f:
      out.append([])
    else:
      out[-1].append(x)
  if not with_empty:
    return [r for r in out if r]
  return out if out[-1] else out[:-1]


def group_by(v, n):
  return [v[i:i + n] for i in range(0, len(v), n)]


def split_index(flags):
  zeros = len(flags) - sum(flags)
  places, f, t = [], 0, zeros
  for flag in flags:
    places.append(t if flag else f)
    t, f = t + flag, f + (not flag)
  return ([zeros, len(flags) - zeros], places)


def no_nan(v):
  if any(x != x for x in v):
    raise Undefined
  return v


def rank(v, down=False):
  if v and isinstance(v[0], float):
    return arithmetic.ranks(no_nan(v), arithmetic.float_key, down)
  return arithmetic.ranks(v, None, down)


def sort(v):
  places = rank(v)
  out = [0] * len(v)
  for x, p in zip(v, places):
    out[p] = x
  return out


def kth_smallest(v, k):
  x = sorted(v, key=lambda y: (y != y, y))[k % len(v)]
  if x == 0.0 and isinstance(x, float) and len({math.copysign(1.0, y) for y in v if y == 0.0}) > 1:
    raise Undefined  # which of two equal elements
  return x


def search(w, v):
  return [i for i in range(len(v) - len(w) + 1) if all(eql(w[j], v[i + j]) for j in range(len(w)))]


def name(v):
  """The index of the last element with the same value."""
  keys = list(map(key, v))
  last = {k: i for i, k in enumerate(keys)}
  return [last[k] for k in keys]


def remove_duplicates(v):
  return [x for i, (x, n) in enumerate(zip(v, name(v))) if i == n]


def intersection(a, b, both):
  values = set(map(key, b))
  if both:
    a, b = remove_duplicates(a), remove_duplicates(b)
  return [x for x in a if (key(x) in values) == both]


def collect(pairs):
  labels = name([k for k, _ in pairs])
  found = {}
  for label, (k, v) in zip(labels, pairs):
    found.setdefault(label, (pairs[label][0], []))[1].append(v)
  for label, (k, _) in list(found.items()):
    if any(differs(k, x) for l, (x, _) in zip(labels, pairs) if l == label):
      raise Undefined  # keys that are equal and not alike, 0.0 and -0.0
  return [found[label] for label in sorted(found)]


def differs(a, b):
  """Whether values that are equal can be told apart."""
  if isinstance(a, (list, tuple)):
    return any(map(differs, a, b))
  return isinstance(a, float) and a == 0.0 and math.copysign(1.0, a) != math.copysign(1.0, b)


def int_collect(pairs):
  found = {}
  for k, v in pairs:
    found.setdefault(k, []).append(v)
  return sorted(((k, v) for k, v in found.items()), key=lambda p: p[0])


def search_table(v, more):
  entries = [7] + remove_duplicates([x for x in v if x != 7])
  place = {x: i for i, x in enumerate(entries)}
  return [(place[x], True) if x in place else (0, False) for x in v + more]


def show(x, t):
  """What @ gives, as codes."""
  return codes(show_text(x, t))


def show_text(x, t):
  if t == "int":
    return str(x)
  if t == "bool":
    return "t" if x else "f"
  if t == "char":
    return "`" + chr(x)
  if t[0] == "seq":
    return "[" + ", ".join(show_text(y, t[1]) for y in x) + "]"
  if t[0] == "record":
    return show_text(x, t[2])
  return "(" + show_components(x, t) + ")"


def show_components(x, t):
  rest = t[2]
  while not isinstance(rest, str) and rest[0] == "record":
    rest = rest[2]
  right = show_components(x[1], rest) if rest[0] == "pair" else show_text(x[1], rest)
  return show_text(x[0], t[1]) + ", " + right


def pad(s, n):
  spaces = [32] * (abs(n) - len(s))
  return s + spaces if n >= 0 else spaces + s


def words(s, separators):
  out, word = [], []
  for c in s + list(separators[:1]):
    if c in separators:
      if word:
        out.append(word)
      word = []
    else:
      word.append(c)
  return out + [word] if word else out


def lines(s):
  out, line = [], []
  for c in s:
    if c == 10:
      out.append(line)
      line = []
    else:
      line.append(c)
  return out + [line] if line else out


def lowercase(c):
  return c + 32 if 65 <= c <= 90 else c


def uppercase(c):
  return c - 32 if 97 <= c <= 122 else c


def round_small(x):
  if not abs(x) < 1.0e6:
    return 7
  m = int(x)
  d = x - m
  return m + (1 if d >= 0.5 else -1 if d <= -0.5 else 0)


def euclid(a, b):
  while b:
    a, b = b, arithmetic.remainder(a, b)
  return a


def decimal_digits(x, n):
  """The first n decimal digits of |x|, the last one rounded, halves away from zero, and the power of ten of the first."""
  rounded = decimal.Context(prec=n, rounding=decimal.ROUND_HALF_UP).plus(decimal.Decimal(abs(x)))
  digits = "".join(map(str, rounded.as_tuple().digits)).ljust(n, "0")[:n]
  return digits, rounded.adjusted()


def with_exponent(digits, fraction, power):
  return digits[0] + "." + fraction + "e" + ("-" if power < 0 else "+") + str(abs(power))


def float_string(x):
  sign = "-" if x < 0.0 else ""
  if x != x or math.isinf(x):
    return codes(sign + ("nan" if x != x else "inf"))
  if x == 0.0:
    return codes("0.0")
  digits, power = decimal_digits(x, 8)
  if power > 6 or power < -3:
    return codes(sign + with_exponent(digits, digits[1:].rstrip("0") or "0", power))
  digits = "0" * -power + digits
  point = max(power, 0) + 1
  return codes(sign + digits[:point] + "." + (digits[point:].rstrip("0") or "0"))


def exp_string(x, n):
  if x == 0.0 or x != x or math.isinf(x):
    return float_string(x)
  digits, power = decimal_digits(x, n + 1)
  return codes(("-" if x < 0.0 else "") + with_exponent(digits, digits[1:], power))


def codes(text):
  return [ord(c) for c in text]


def fdiv(a, b):
  return a / (1.5 if b == 0.0 else b)


def zero(_, value):
  return value


def float_abs(x):
  return 0.0 - x if x < 0.0 else x


def find(x, v):
  return next((i for i, y in enumerate(v) if eql(x, y)), -1)


def parse_float(whole, fraction, exponent):
  return float(f"{whole}.{fraction}e{exponent}")


def nesl_map(f, v):
  return [f(x) for x in v]
