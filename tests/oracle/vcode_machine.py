"""VCODE's instructions, one after the other on a stack of Python values: the evaluator.

A value is (kind, contents): "I", "F", "B" with a list of elements, "S" with a list of lengths, "P" with two values.
Code is a list of instructions: (word, type word or None, argument...); ("CONST", type, list, scalar),
("IF", code, code), ("CALL", name), ("COPY" | "POP" | "CPOP", n, m), ("WRITE", type).
"""

import functools
import operator

import arithmetic

KIND = {"INT": "I", "FLOAT": "F", "BOOL": "B", "SEGDES": "S", "CHAR": "I"}
COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "!=": operator.ne}
FOLD = {"I": "int", "F": "float", "B": "bool"}


class Fault(Exception):
  """The program fails at run time, for this reason."""


class TooMuch(Exception):
  """More steps than are tried here."""


class Undefined(Exception):
  """The result is not defined, such as the rank of NaN."""


def need(condition, reason="lengths"):
  if not condition:
    raise Fault(reason)


class Machine:
  """Executes code. `changes` replaces operations of `table`, for mutants."""

  def __init__(self, bits, changes=None):
    self.wide = arithmetic.Wide(bits)
    self.folds = arithmetic.folds(self.wide)
    self.functions = {}
    self.written = []
    self.left = 0
    self.table = self.operations()
    self.table.update(changes(self) if changes else {})

  def run(self, code, stack, budget=20_000):
    self.left = budget
    self.execute(code, stack)

  def execute(self, code, stack):
    for instruction in code:
      self.step(instruction, stack)

  def step(self, instruction, stack):
    word = instruction[0]
    self.left -= 1
    if self.left < 0:
      raise TooMuch
    if word == "CONST":
      stack.append((KIND[instruction[1]], list(instruction[2])))
    elif word in ("COPY", "POP", "CPOP"):
      self.move(word, instruction[1], instruction[2], stack)
    elif word == "CALL":
      self.execute(self.functions[instruction[1]], stack)
    elif word == "IF":
      kind, flag = stack.pop()
      need(len(flag) == 1)
      self.execute(instruction[1] if flag[0] else instruction[2], stack)
    elif word == "PAIR":
      b, a = stack.pop(), stack.pop()
      stack.append(("P", (a, b)))
    elif word == "UNPAIR":
      stack.extend(stack.pop()[1])
    elif word == "WRITE":
      value = stack.pop()
      self.written.append("".join(chr(c & 255) for c in value[1]) if instruction[1] == "CHAR" else text(value) + "\n")
      stack.extend((("I", []), ("B", [True])))
    else:
      operands, operation = self.table[word]
      taken = stack[len(stack) - operands:]
      del stack[len(stack) - operands:]
      kind = taken[1 if word == "SELECT" else 0][0]
      result = operation(kind, *[v for _, v in taken])
      stack.extend(result if isinstance(result, list) else [result])

  @staticmethod
  def move(word, n, m, stack):
    top = len(stack) - m
    block = stack[top - n:top]
    if word != "COPY":
      del stack[top - n:top]
    if word != "POP":
      stack.extend(block)

  def operations(self):
    """{word: (number of operands, function of the first one's kind and of the contents)}."""
    wide, wrap = self.wide, self.wide.wrap
    table = {}

    def two(word, on_int, on_float=None, on_bool=None, gives=None):
      by_kind = {"I": on_int, "F": on_float, "B": on_bool}

      def operation(kind, a, b):
        need(len(a) == len(b))
        return (gives or kind, list(map(by_kind[kind], a, b)))

      table[word] = (2, operation)

    def one(word, gives, *functions):
      """Functions of I, F, B; the result's kind, or None for that of the operand."""
      by_kind = dict(zip("IFB", functions))
      table[word] = (1, lambda kind, a: (gives or kind, list(map(by_kind[kind], a))))

    def quotient(of):
      def operation(a, b):
        need(b != 0 and not (b == -1 and a == wide.least), "division by zero")
        return of(a, b)
      return operation

    two("+", lambda a, b: wrap(a + b), operator.add)
    two("-", lambda a, b: wrap(a - b), operator.sub)
    two("*", lambda a, b: wrap(a * b), operator.mul)
    two("/", quotient(arithmetic.quotient), arithmetic.divide)
    two("%", quotient(arithmetic.remainder))
    for word, f in COMPARISONS.items():
      two(word, f, f, gives="B")
    two("AND", operator.and_, None, operator.and_)
    two("OR", operator.or_, None, operator.or_)
    two("XOR", operator.xor, None, operator.xor)
    two("LSHIFT", wide.shift_left)
    two("RSHIFT", wide.shift_right)
    one("NOT", None, operator.invert, None, operator.not_)
    one("FLOOR", "I", None, lambda x: wide.of_float(arithmetic.floor(x)))
    one("CEIL", "I", None, lambda x: wide.of_float(arithmetic.ceil(x)))
    one("TRUNC", "I", None, wide.of_float)
    one("ROUND", "I", None, lambda x: wide.of_float(x + 0.5))
    one("SQRT", "F", None, arithmetic.square_root)
    one("I_TO_F", "F", float)
    one("I_TO_B", "B", bool)
    one("B_TO_I", "I", None, None, int)
    table["SELECT"] = (3, self.select)
    for name, word in (("+", "+"), ("*", "*"), ("max", "MAX"), ("min", "MIN"), ("and", "AND"), ("or", "OR"), ("xor", "XOR")):
      table[word + "_REDUCE"] = (2, lambda kind, v, s, name=name: self.reduce(kind, name, v, s))
      table[word + "_SCAN"] = (2, lambda kind, v, s, name=name: self.scan(kind, name, v, s))
      table[word + "_DPERMUTE"] = (5, lambda kind, v, i, d, s, t, name=name: self.combine(kind, name, v, i, d, s, t))
    table.update({
        "PERMUTE": (3, lambda kind, v, i, s: self.scatter(kind, v, i, None, None, s, s)),
        "DPERMUTE": (5, lambda kind, v, i, d, s, t: self.scatter(kind, v, i, None, d, s, t)),
        "FPERMUTE": (5, lambda kind, v, i, f, s, t: self.scatter(kind, v, i, f, None, s, t)),
        "DFPERMUTE": (6, self.scatter),
        "BPERMUTE": (4, lambda kind, v, i, s, t: self.gather(kind, v, i, None, s, t)),
        "BFPERMUTE": (5, self.gather),
        "EXTRACT": (3, self.extract), "REPLACE": (4, self.replace), "PACK": (3, self.pack), "DIST": (2, self.dist),
        "INDEX": (3, self.index), "LENGTH": (1, lambda kind, v: ("I", [len(v)])),
        "MAKE_SEGDES": (1, self.make_segdes), "LENGTHS": (1, lambda kind, s: ("I", list(s))),
        "RANK_UP": (2, lambda kind, v, s: self.rank(kind, v, s, False)),
        "RANK_DOWN": (2, lambda kind, v, s: self.rank(kind, v, s, True)),
    })
    return table

  @staticmethod
  def segments(v, s):
    need(sum(s) == len(v))
    out, at = [], 0
    for n in s:
      out.append(v[at:at + n])
      at += n
    return out

  @staticmethod
  def select(kind, f, a, b):
    need(len(f) == len(a) == len(b))
    return (kind, [x if g else y for g, x, y in zip(f, a, b)])

  def reduce(self, kind, name, v, s):
    fold = self.folds[FOLD[kind], name][0]
    return (kind, [fold(x) for x in self.segments(v, s)])

  def scan(self, kind, name, v, s):
    fold = self.folds[FOLD[kind], name][1]
    return (kind, [y for x in self.segments(v, s) for y in fold(x)])

  def zeros(self, kind, n):
    return [{"I": 0, "F": 0.0, "B": False}[kind]] * n

  def scatter(self, kind, v, i, f, d, s, t):
    need(len(v) == len(i) and (f is None or len(f) == len(v)) and sum(s) == len(v) and len(s) == len(t))
    need(d is None or sum(t) == len(d))
    out = list(d) if d is not None else self.zeros(kind, sum(t))
    at = base = 0
    for n, m in zip(s, t):
      for j in range(at, at + n):
        if f is None or f[j]:
          need(0 <= i[j] < m, "index out of range")
          out[base + i[j]] = v[j]
      at, base = at + n, base + m
    return (kind, out)

  def combine(self, kind, name, v, i, d, s, t):
    """Of each place the default and then what goes there, from the left."""
    need(len(v) == len(i) and sum(s) == len(v) and len(s) == len(t) and sum(t) == len(d))
    come = [[x] for x in d]
    places = iter(i)
    base = 0
    for part, m in zip(self.segments(v, s), t):
      for x in part:
        place = next(places)
        need(0 <= place < m, "index out of range")
        come[base + place].append(x)
      base += m
    return (kind, [functools.reduce(arithmetic.combining(self.wide, FOLD[kind], name), x) for x in come])

  def gather(self, kind, v, i, f, s, t):
    need(sum(s) == len(v) and sum(t) == len(i) and len(s) == len(t) and (f is None or len(f) == len(i)))
    out = self.zeros(kind, len(i))
    at = base = 0
    for n, m in zip(s, t):
      for j in range(base, base + m):
        if f is None or f[j]:
          need(0 <= i[j] < n, "index out of range")
          out[j] = v[at + i[j]]
      at, base = at + n, base + m
    return (kind, out)

  def extract(self, kind, v, i, s):
    need(len(i) == len(s))
    out = []
    for x, k in zip(self.segments(v, s), i):
      need(0 <= k < len(x), "index out of range")
      out.append(x[k])
    return (kind, out)

  def replace(self, kind, v, i, x, s):
    need(len(i) == len(s) == len(x))
    out = []
    for part, k, y in zip(self.segments(v, s), i, x):
      if part:  # into an empty segment goes nothing
        need(0 <= k < len(part), "index out of range")
        part[k] = y
      out += part
    return (kind, out)

  def pack(self, kind, v, f, s):
    need(len(v) == len(f))
    lengths = [sum(x) for x in self.segments(f, s)]
    return [(kind, [x for x, g in zip(v, f) if g]), ("S", lengths)]

  def dist(self, kind, x, s):
    need(len(x) == len(s))
    return (kind, [y for y, n in zip(x, s) for _ in range(n)])

  def index(self, _, a, b, s):
    need(len(a) == len(b) == len(s))
    return ("I", [self.wide.wrap(x + y * j) for x, y, n in zip(a, b, s) for j in range(n)])

  def make_segdes(self, _, lengths):
    need(all(n >= 0 for n in lengths), "negative length")
    return ("S", list(lengths))

  def rank(self, kind, v, s, down):
    if kind == "F" and any(x != x for x in v):
      raise Undefined
    key = arithmetic.float_key if kind == "F" else None
    return ("I", [y for x in self.segments(v, s) for y in arithmetic.ranks(x, key, down)])


def text(value):
  """As VCODE prints a value without floats."""
  kind, v = value
  if kind == "P":
    names = {"I": "Int", "F": "Float", "B": "Bool", "S": "Segdes", "P": "Pair"}
    return f"pair({names[v[0][0]]},{names[v[1][0]]}) "
  if kind == "B":
    return "( " + "".join("T " if x else "F " for x in v) + ")"
  left, right = ("[ ", "]") if kind == "S" else ("( ", ")")
  return left + "".join(f"{x} " for x in v) + right
