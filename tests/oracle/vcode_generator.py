"""Random VCODE programs that are well typed and, unless a failure is planted, succeed.

The generator executes each instruction as it writes it, so that it knows all lengths and values.
"""

from dataclasses import dataclass, field

from vcode_machine import Fault, Machine, TooMuch, Undefined
from vcode_operands import WORDS, Operands

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 1e-3, 1e10, 2147483647.0, 2147483648.0, -2147483649.0,
          9.2233720368547758e18, 1e300, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308, 1e-310, 1e36, -1e36,
          0.49999999999999994]
ELEMENTWISE = {  # kind -> words of two operands with a result of that kind
    "I": ["+", "-", "*", "AND", "OR", "XOR", "LSHIFT", "RSHIFT"], "F": ["+", "-", "*", "/"], "B": ["AND", "OR", "XOR"]}
COMPARE = ["<", "<=", ">", ">=", "=", "!="]
UNARY = {"I": ["NOT", "I_TO_F", "I_TO_B"], "F": ["FLOOR", "CEIL", "TRUNC", "ROUND", "SQRT"], "B": ["NOT", "B_TO_I"]}
FOLDS = {"I": ["+", "*", "MAX", "MIN", "AND", "OR", "XOR"], "F": ["+", "*", "MAX", "MIN"], "B": ["AND", "OR", "XOR"]}
I, S = ("CONST", "INT"), ("CONST", "SEGDES")
FAILING = [  # operands that do not fit, and the instruction that finds out
    [(*I, [3, 4]), (*I, [0, 1]), ("/", "INT")], [(*I, [3, 4]), (*I, [1, 0]), ("%", None)],
    [(*I, [3, 4]), (*I, [1]), ("+", "INT")], [(*I, [3, 4]), (*I, [1, 2, 3]), ("<", "INT")],
    [(*I, [3, 4]), (*I, [0, 2]), (*S, [2]), ("PERMUTE", "INT")], [(*I, [3, 4]), (*I, [0, 1]), (*S, [1, 1]), ("PERMUTE", "INT")],
    [(*I, [3, 4]), (*I, [0, 2]), (*S, [2]), (*S, [2]), ("BPERMUTE", "INT")], [(*I, [3, 4]), (*I, [-1]), (*S, [2]), ("EXTRACT", "INT")],
    [(*I, [3, 4]), (*I, [0, 0]), (*S, [2, 0]), ("EXTRACT", "INT")], [(*I, [3, 4]), (*I, [2]), (*I, [1]), (*S, [2]), ("REPLACE", "INT")],
    [(*I, [3, -4]), ("MAKE_SEGDES", None)], [(*I, [3, 4]), (*S, [1, 2]), ("+_REDUCE", "INT")], [(*I, [3, 4]), (*S, []), ("MAX_SCAN", "INT")],
    [(*I, [3, 4]), ("CONST", "BOOL", [True]), (*S, [2]), ("PACK", "INT")], [(*I, [3, 4]), (*S, [1, 1, 1]), ("DIST", "INT")],
    [(*I, [3, 4]), (*I, [1, 1, 1]), (*S, [1, 1]), ("INDEX", None)], [("CONST", "BOOL", [True, False]), ("IF", [], [])],
]


@dataclass
class Program:
  code: list
  functions: dict = field(default_factory=dict)  # name -> code


class Giving(Operands):
  """The instructions of a block under construction."""

  # ---------------------------------------------------------------- instructions

  def top(self, depth=0):
    return self.stack[-1 - depth]

  def some(self):
    """One instruction with its operands, or a construct."""
    rng = self.rng
    kinds = ["elementwise"] * 5 + ["unary"] * 2 + ["compare", "select", "fold", "fold", "fold", "scan", "scan", "pack", "pack", "dist", "index", "rank",
             "permute", "dpermute", "gather", "extract", "replace", "lengths", "pair", "move", "divide", "branch", "call", "recursion", "write"]
    getattr(self, "_" + rng.choice(kinds))()

  def _elementwise(self):
    self.vector()
    kind, v = self.top()
    self.of_length(len(v), kind)
    self.do(self.rng.choice(ELEMENTWISE[kind]), WORDS[kind])

  def _divide(self):
    self.vector("I")
    n = len(self.top()[1])
    self.of_length(n, "I")
    self.of_length(n, "I", [255])
    self.do("AND", "INT")
    self.of_length(n, "I", [1])
    self.do("OR", "INT")
    self.do(self.rng.choice(["/", "%"]), "INT")

  def _compare(self):
    self.vector(self.rng.choice("IF"))
    kind, v = self.top()
    self.of_length(len(v), kind)
    self.do(self.rng.choice(COMPARE), WORDS[kind])

  def _unary(self):
    self.vector()
    kind = self.top()[0]
    self.do(self.rng.choice(UNARY[kind]), WORDS[kind])

  def _select(self):
    self.vector("B")
    n, kind = len(self.top()[1]), self.rng.choice("IFB")
    self.of_length(n, kind)
    self.of_length(n, kind)
    self.do("SELECT", WORDS[kind])

  def _fold(self, suffix="_REDUCE"):
    self.vector()
    kind, v = self.top()
    self.segdes(len(v))
    self.do(self.rng.choice(FOLDS[kind]) + suffix, WORDS[kind])

  def _scan(self):
    self._fold("_SCAN")

  def _pack(self):
    self.vector()
    kind, v = self.top()
    self.of_length(len(v), "B")
    self.segdes(len(v))
    self.do("PACK", WORDS[kind])

  def _dist(self):
    self.vector()
    kind, v = self.top()
    if len(v) > 200:
      return
    self.any_segdes(len(v))
    self.do("DIST", WORDS[kind])

  def _index(self):
    self.vector("I")
    n = len(self.top()[1])
    if n > 200:
      return
    self.of_length(n, "I")
    self.any_segdes(n)
    self.do("INDEX", None)

  def _rank(self):
    self.vector(self.rng.choice("IIF"))
    kind, v = self.top()
    if any(x != x for x in v):
      return
    self.segdes(len(v))
    self.do(self.rng.choice(["RANK_UP", "RANK_DOWN"]), WORDS[kind])

  def _permute(self):
    self.vector()
    kind, v = self.top()
    self.segdes(len(v))
    lengths = self.top()[1]
    bounds = [n for n in lengths for _ in range(n)]
    if self.rng.random() < 0.5 and all(x == x for x in v) and kind in "IF":
      self.push(1)
      self.push(1)
      self.do("RANK_UP", WORDS[kind])
    else:
      self.indices(bounds)
    self.do("CPOP", 1, 1)
    self.do("PERMUTE", WORDS[kind])

  def _dpermute(self):
    """DPERMUTE, FPERMUTE, DFPERMUTE, and DPERMUTE that combines."""
    rng = self.rng
    word = rng.choice(["DPERMUTE", "FPERMUTE", "DFPERMUTE", ""])
    self.vector()
    kind, v = self.top()
    word = word or rng.choice(FOLDS[kind]) + "_DPERMUTE"
    n = len(v)
    source = self.lengths(n, None)
    target = [rng.randrange(1, 6) if m else rng.choice([0, 1, 3]) for m in source]
    bounds = [t for m, t in zip(source, target) for _ in range(m)]
    self.indices(bounds)
    if word in ("FPERMUTE", "DFPERMUTE"):
      self.of_length(n, "B")
    if word != "FPERMUTE":
      self.of_length(sum(target), kind)
    self.constant("S", source)
    self.constant("S", target)
    self.do(word, WORDS[kind])

  def _gather(self):
    rng = self.rng
    word = rng.choice(["BPERMUTE", "BFPERMUTE"])
    self.vector()
    kind, v = self.top()
    source = self.lengths(len(v), None)
    target = [rng.choice([0, 1, 2, 5]) if m else 0 for m in source]
    if len(source) == 1 and source[0] and rng.random() < 0.3:
      target = [rng.choice([len(v), 4096 if self.g.big else 50])]
    bounds = [m for m, t in zip(source, target) for _ in range(t)]
    self.indices(bounds)
    if word == "BFPERMUTE":
      self.of_length(len(bounds), "B")
    self.constant("S", source)
    self.constant("S", target)
    self.do(word, WORDS[kind])

  def full_segments(self, n):
    """Lengths with the total n, none of them 0; [] for 0."""
    return [x for x in self.lengths(n, None) if x]

  def _extract(self):
    self.vector()
    kind, v = self.top()
    lengths = self.full_segments(len(v))
    self.indices(lengths)
    self.constant("S", lengths)
    self.do("EXTRACT", WORDS[kind])

  def _replace(self):
    self.vector()
    kind, v = self.top()
    lengths = self.lengths(len(v), None)
    self.indices(lengths)
    self.of_length(len(lengths), kind)
    self.constant("S", lengths)
    self.do("REPLACE", WORDS[kind])

  def _lengths(self):
    rng = self.rng
    have = self.depths(lambda v: v[0] == "S")
    if have and rng.random() < 0.6:
      self.push(rng.choice(have))
      return self.do("LENGTHS", None)
    if rng.random() < 0.5:
      self.vector()
      return self.do("LENGTH", WORDS[self.top()[0]])
    self.constant("I", [rng.choice([0, 1, 2, 7]) for _ in range(rng.randrange(5))])
    self.do("MAKE_SEGDES", None)

  def _pair(self):
    if len(self.stack) > self.g.base and self.top()[0] == "P" and self.rng.random() < 0.7:
      return self.do("UNPAIR", None)
    if len(self.stack) > self.g.base + 2:
      self.do("PAIR", None)

  def _move(self):
    rng = self.rng
    free = len(self.stack) - self.g.base
    if free < 2:
      return
    m = rng.randrange(free)
    n = rng.randrange(min(4, free - m) + 1)
    word = rng.choice(["COPY", "CPOP", "CPOP", "POP"])
    if word == "POP" and (free < 6 or n > 2):
      return
    self.do(word, n, m)

  def _write(self):
    if self.g.writes and self.rng.random() < 0.3:
      have = self.depths(lambda v: v[0] in "IBS" and len(v[1]) < 50)
      if have:
        self.push(self.rng.choice(have))
        self.do("WRITE", {"I": "INT", "B": "BOOL", "S": "SEGDES"}[self.top()[0]])

  def fail(self):
    """Code that fails, whatever is on the stack; the machine raises Fault."""
    for instruction in self.rng.choice(FAILING):
      if instruction[0] == "CONST":
        self.do(*instruction)
      else:
        self.code.append(instruction)
        self.machine.step(instruction, self.stack)

  # ---------------------------------------------------------------- constructs

  def leave_one(self, height, kind):
    """Leaves one entry of the kind on top of `height` entries."""
    have = [d for d in self.depths(lambda v: v[0] == kind) if d < len(self.stack) - height]
    if have:
      self.push(have[0])
    elif kind == "S":
      self.constant("S", [2, 0])
    else:
      self.constant(kind, self.draw(kind, 2))
    extra = len(self.stack) - height - 1
    if extra:
      self.do("POP", extra, 1)

  def block(self, stack, kind, steps):
    """Code that leaves one more entry, of the kind, on a copy of the stack."""
    inner = Giving(self.g, list(stack))
    base, self.g.base = self.g.base, len(stack)
    writes, self.g.writes = self.g.writes, False
    self.g.depth += 1
    for _ in range(steps):
      inner.some()
    inner.leave_one(len(stack), kind)
    self.g.depth -= 1
    self.g.base, self.g.writes = base, writes
    return inner.code

  def _branch(self):
    rng = self.rng
    if self.g.depth > 2:
      return
    kind = rng.choice("IIFBS")
    flags = self.depths(lambda v: v[0] == "B" and len(v[1]) == 1)
    if flags and rng.random() < 0.7:
      self.push(rng.choice(flags))
    else:
      self.vector("I")
      self.do("LENGTH", "INT")
      self.constant("I", [rng.choice([0, 1, 100])])
      self.do(rng.choice(["<", ">"]), "INT")
    rest = self.stack[:-1]
    first = self.block(rest, kind, rng.randrange(4))
    second = self.block(rest, kind, rng.randrange(4))
    self.do("IF", first, second)

  def _call(self):
    rng, g = self.rng, self.g
    if g.depth > 1:
      return
    known = [(name, kinds) for name, kinds in g.signatures.items() if all(self.depths(lambda v, k=k: v[0] == k) for k in kinds)]
    if known and rng.random() < 0.5:
      name, kinds = rng.choice(known)
      length = len(self.code)
      before = list(self.stack)
      for k in kinds:
        self.push(rng.choice(self.depths(lambda v, k=k: v[0] == k)))
      try:
        self.do("CALL", name)
      except (Fault, TooMuch, Undefined):  # not for these operands
        del self.code[length:]
        self.stack[:] = before
      return
    if len(g.signatures) >= 4:
      return
    have = self.depths(lambda v: v[0] in "IFBS")
    if not have:
      return
    for _ in range(rng.randrange(1, 4)):
      self.push(rng.choice(self.depths(lambda v: v[0] in "IFBS")))
    kinds = [v[0] for v in self.stack[-1:]]
    arity = 1
    arguments = self.stack[len(self.stack) - arity:]
    name = f"F{g.suffix}_{len(g.signatures)}"
    g.signatures[name] = ["X"]
    code = self.block(arguments, rng.choice("IFB"), rng.randrange(1, 6))
    code.append(("POP", arity, 1))
    self.machine.functions[name] = code
    g.signatures[name] = kinds
    self.do("CALL", name)

  def _recursion(self):
    """f(n, v): v where n < 1, else something of f(n - 1, w) where w is as long as v, or shorter."""
    rng, g = self.rng, self.g
    if g.depth > 1 or len(g.signatures) >= 4:
      return
    self.vector(rng.choice("IF"))
    kind, v = self.top()
    word = WORDS[kind]
    name = f"R{g.suffix}_{len(g.signatures)}"
    update = rng.choice([
        [("COPY", 1, 0), (rng.choice(["+", "*"]), word)],
        [("COPY", 1, 0), ("COPY", 1, 0), (rng.choice(["<", "!="]), word), ("COPY", 1, 1), ("LENGTH", word), ("MAKE_SEGDES", None),
         ("PACK", word), ("POP", 1, 0)],
        [("COPY", 1, 0), ("LENGTH", word), ("MAKE_SEGDES", None), (rng.choice(["+", "MAX"]) + "_SCAN", word)],
        [("COPY", 1, 0), ("LENGTH", word), ("MAKE_SEGDES", None), ("COPY", 2, 0), ("+_REDUCE", word), ("CPOP", 1, 1), ("DIST", word),
         (rng.choice(["-", "+"]), word)],
    ])
    after = [("COPY", 1, 0), ("-", word)] if rng.random() < 0.2 else []
    more = [("CPOP", 1, 1), ("CONST", "INT", [1]), ("-", "INT"), ("CPOP", 1, 1)] + update + [("CALL", name)] + after
    code = [("COPY", 1, 1), ("CONST", "INT", [1]), ("<", "INT"), ("IF", [("POP", 1, 1)], more)]
    self.machine.functions[name] = code
    self.constant("I", [rng.randrange(0, 12)])
    self.do("CPOP", 1, 1)
    length, before = len(self.code), list(self.stack)
    try:
      self.do("CALL", name)
      g.signatures[name] = ["X"]  # not called again
    except (Fault, TooMuch, Undefined):
      del self.code[length:]
      self.stack[:] = before
      del self.machine.functions[name]


class Generator:
  def __init__(self, rng, bits, suffix):
    self.rng, self.bits, self.suffix = rng, bits, suffix
    greatest = (1 << (bits - 1)) - 1
    self.ints = [0, 1, -1, 2, greatest, -greatest - 1, greatest - 1, 1 << (bits - 2), 65536, (1 << 31) - 1, -(1 << 31)]
    if bits == 64:
      self.ints += [1 << 31, 1 << 32, 1 << 62, (1 << 53) + 1]
    self.machine = Machine(bits)
    self.signatures = {}
    self.base, self.depth, self.big, self.writes = 0, 0, False, False

  def scalar(self, kind):
    rng = self.rng
    if kind == "I":
      return rng.choice(self.ints) if rng.random() < 0.3 else rng.randrange(-5, 20)
    if kind == "F":
      return rng.choice(FLOATS) if rng.random() < 0.4 else rng.uniform(-10, 10)
    return rng.random() < 0.5

  def program(self, big=False, failing=False):
    self.big, self.writes = big, not failing
    giving = Giving(self, [])
    giving.vector("I")
    giving.vector("F")
    for _ in range(self.rng.choice([2, 5, 10, 20])):
      giving.some()
      if len(giving.stack) > 25:
        giving.do("POP", len(giving.stack) - 12, 4)
    if failing:
      try:
        giving.fail()
      except Fault:
        pass
      return Program(giving.code, dict(self.machine.functions))
    while any(v[0] == "P" for v in giving.stack):
      depth = next(d for d, v in enumerate(reversed(giving.stack)) if v[0] == "P")
      giving.do("CPOP", 1, depth)
      giving.do("UNPAIR", None)
    return Program(giving.code, dict(self.machine.functions))
