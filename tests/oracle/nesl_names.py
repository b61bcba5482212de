"""All names that the code of a program's operations uses, for INT of a given width."""

import math

import arithmetic
import nesl_everyday_meaning
import nesl_meaning
import nesl_order

FOLD_NAMES = {"plus": "+", "times": "*", "max": "max", "min": "min", "and": "and", "or": "or", "xor": "xor"}
MOST = 400_000  # steps of loops before a program is given up


class Meaning:
  """The names of a program's code: `names`, and `reset` before each program."""

  def __init__(self, bits):
    wide = arithmetic.Wide(bits)
    self.wide = wide
    self.left = MOST
    self.names = {k: v for m in (nesl_meaning, nesl_order, nesl_everyday_meaning) for k, v in vars(m).items() if callable(v)}
    self.names.update(
        wrap=wide.wrap, least=wide.least, greatest=wide.greatest, of_float=wide.of_float, to_float=float,
        shift_left=wide.shift_left, shift_right=wide.shift_right, quotient=arithmetic.quotient, remainder=arithmetic.remainder,
        modulo=lambda a, b: a % b, divide=arithmetic.divide, floor=arithmetic.floor, ceil=arithmetic.ceil, larger=arithmetic.larger,
        smaller=arithmetic.smaller, square_root=arithmetic.square_root, isqrt=math.isqrt, gcd=math.gcd,
        int_abs=lambda x: wide.wrap(-x) if x < 0 else x, span=self.span, tick=self.tick,
        extreme_index=self.extreme_index, inf=math.inf, nan=math.nan, log=lambda x: math.log(x) if x else -math.inf,
        **{name: getattr(math, name) for name in ("sin", "cos", "tan", "exp", "sinh", "cosh", "tanh", "asin", "acos", "atan")})
    self.folds = arithmetic.folds(wide)
    for (kind, fold), (reduce, scan) in self.folds.items():
      word = next(w for w, f in FOLD_NAMES.items() if f == fold)
      self.names[f"reduce_{kind}_{word}"] = reduce
      self.names[f"scan_{kind}_{word}"] = scan

  def reset(self):
    self.left = MOST

  def tick(self, n):
    self.left -= n
    if self.left < 0:
      raise nesl_meaning.TooMuch

  def span(self, start, extent, step):
    return list(range(start, start + extent, step))

  def extreme_index(self, v, which):
    """Leftmost index of the greatest or smallest element, the greatest INT if there is none."""
    if v and isinstance(v[0], float):
      nesl_meaning.no_nan(v)
      m = arithmetic.float_reduce("max" if which is max else "min", v)
    else:
      m = which(v, default=None)
    return next((i for i, x in enumerate(v) if x == m), self.wide.greatest)
