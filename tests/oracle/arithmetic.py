"""What INT and FLOAT operations give, exactly: written from docs/vcode.md and docs/language.md, not from nvm.

INT wraps around at 32 or 64 bits. FLOAT is Python's float, an IEEE double, rounded to nearest. FLOAT folds
follow the order that docs/vcode.md defines under "The order of FLOAT folds". NaN is one value: its sign and
payload are not defined.
"""

import math
import operator

SEQUENTIAL, BLOCK, LANES, GROUP = 32, 2048, 16, 8
GREAT = 999999961690316245365415600208216064.0  # the least FLOAT that a minimum starts at
INF = math.inf
NAN = math.nan


class Wide:
  """INT of `bits` bits: `least`, `greatest`, and `wrap`, which takes any Python integer."""

  def __init__(self, bits):
    self.bits = bits
    self.least = -(1 << (bits - 1))
    self.greatest = (1 << (bits - 1)) - 1
    half, mask = 1 << (bits - 1), (1 << bits) - 1
    self.wrap = lambda x: ((x + half) & mask) - half

  def shift_left(self, a, n):
    return self.wrap(a << (n % self.bits))

  def shift_right(self, a, n):
    return a >> (n % self.bits)

  def of_float(self, x):
    """`x`, already rounded to an integer, as INT: the least INT where it does not fit, and for NaN."""
    if x != x or x in (INF, -INF):
      return self.least
    n = int(x)
    return n if self.least <= n <= self.greatest else self.least


def quotient(a, b):
  """Toward zero."""
  q = abs(a) // abs(b)
  return q if (a < 0) == (b < 0) else -q


def remainder(a, b):
  """With the sign of `a`."""
  r = abs(a) % abs(b)
  return -r if a < 0 else r


def divide(a, b):
  """IEEE quotient."""
  if b != 0.0:
    return a / b
  if a == 0.0 or a != a or b != b:
    return NAN
  return math.copysign(INF, a) * math.copysign(1.0, b)


def floor(x):
  return x if math.isinf(x) or x != x else math.floor(x)


def ceil(x):
  return x if math.isinf(x) or x != x else math.ceil(x)


def multiply(a, b):
  return a * b


def larger(a, b):
  return a if a > b else b


def smaller(a, b):
  return a if a < b else b


def square_root(x):
  return math.sqrt(x) if x >= 0.0 else (x if x == 0.0 else NAN)


FLOAT_FOLDS = {  # operation -> (combination, identity)
    "+": (operator.add, 0.0),
    "*": (operator.mul, 1.0),
    "max": (larger, -GREAT),
    "min": (smaller, GREAT),
}


def _in_order(op, start, v):
  acc = start
  for x in v:
    acc = op(acc, x)
  return acc


def _block(op, identity, v):
  lanes = [identity] * LANES
  for l in range(min(LANES, len(v))):
    lanes[l] = _in_order(op, identity, v[l::LANES])
  width = LANES // 2
  while width:
    for l in range(width):
      lanes[l] = op(lanes[l], lanes[l + width])
    width //= 2
  return lanes[0]


def float_reduce(name, v):
  op, identity = FLOAT_FOLDS[name]
  if len(v) <= SEQUENTIAL:
    return _in_order(op, identity, v)
  while True:
    v = [_block(op, identity, v[i:i + BLOCK]) for i in range(0, len(v), BLOCK)]
    if len(v) <= BLOCK:
      return _in_order(op, identity, v)


def _group(op, s):
  """Inclusive scan of up to eight elements."""
  s = s + [0.0] * (GROUP - len(s))
  s = [s[0], op(s[0], s[1]), s[2], op(s[2], s[3]), s[4], op(s[4], s[5]), s[6], op(s[6], s[7])]
  s = s[:2] + [op(s[1], s[2]), op(s[1], s[3])] + s[4:6] + [op(s[5], s[6]), op(s[5], s[7])]
  return s[:4] + [op(s[3], x) for x in s[4:]]


def _scan_in_order(op, identity, v):
  out = []
  acc = identity
  for x in v:
    out.append(acc)
    acc = op(acc, x)
  return out


def _scan_blocks(op, identity, v):
  out = []
  totals = []
  for b in range(0, len(v), BLOCK):
    block = v[b:b + BLOCK]
    local = identity
    for g in range(0, len(block), GROUP):
      part = block[g:g + GROUP]
      s = _group(op, part)
      before = [identity] + s[:7]
      out.extend(op(local, before[i]) for i in range(len(part)))
      local = op(local, s[7])
    totals.append(local)
  scan = _scan_blocks if len(totals) > BLOCK else _scan_in_order
  carries = scan(op, identity, totals)
  return [op(carries[i // BLOCK], x) for i, x in enumerate(out)]


def float_scan(name, v):
  op, identity = FLOAT_FOLDS[name]
  scan = _scan_in_order if len(v) <= SEQUENTIAL else _scan_blocks
  return scan(op, identity, v)


def int_folds(wide):
  """operation -> (combination, identity) of INT."""
  wrap = wide.wrap
  return {
      "+": (lambda a, b: wrap(a + b), 0),
      "*": (lambda a, b: wrap(a * b), 1),
      "max": (larger, wide.least),
      "min": (smaller, wide.greatest),
      "and": (operator.and_, -1),
      "or": (operator.or_, 0),
      "xor": (operator.xor, 0),
  }


BOOL_FOLDS = {"and": (operator.and_, True), "or": (operator.or_, False), "xor": (operator.xor, False)}


def folds(wide):
  """Reductions and scans by kind and operation: {(kind, name): (reduce, scan)} with kind int, float or bool."""
  table = {}
  for name in FLOAT_FOLDS:
    table["float", name] = (lambda v, n=name: float_reduce(n, v), lambda v, n=name: float_scan(n, v))
  for kind, of_kind in (("int", int_folds(wide)), ("bool", BOOL_FOLDS)):
    for name, (op, identity) in of_kind.items():

      def scan(v, op=op, identity=identity):
        out, acc = [], identity
        for x in v:
          out.append(acc)
          acc = op(acc, x)
        return out

      table[kind, name] = (lambda v, op=op, identity=identity: _in_order(op, identity, v), scan)
  return table


def combining(wide, kind, name):
  """The function of two values that reductions fold, of kind int, float or bool."""
  return {"int": int_folds(wide), "float": FLOAT_FOLDS, "bool": BOOL_FOLDS}[kind][name][0]


def float_key(x):
  """The order of ranks: by value, -0.0 below 0.0. NaN has no place that is defined."""
  return (x, math.copysign(1.0, x))


def ranks(v, key=None, down=False):
  """Place of each element in sorted order; stable in both directions."""
  order = sorted(range(len(v)), key=lambda i: key(v[i]) if key else v[i], reverse=False)
  if down:
    order = sorted(range(len(v)), key=lambda i: key(v[i]) if key else v[i], reverse=True)
  out = [0] * len(v)
  for place, i in enumerate(order):
    out[i] = place
  return out


def exact(x):
  """A FLOAT as three integers that tell all its bits but those of NaN: (exponent, 27 bits, 26 bits); the
  exponent is 10000 more for negative numbers."""
  if x != x:
    return 5000, 0, 0
  sign = 10000 if math.copysign(1.0, x) < 0 else 0
  if math.isinf(x):
    return 4000 + sign, 0, 0
  if x == 0:
    return 3000 + sign, 0, 0
  m, e = math.frexp(abs(x))
  high = int(m * 2**27)
  low = int((m * 2**27 - high) * 2**26)
  return e - 1 + sign, high, low
