"""Random NESL programs that are well typed and, unless a failure is planted, succeed by construction."""

import math

from nesl_forms import (BIG_INDEX, BY_FORM, CLASSES, EMPTY_AND_ONE, GIANT, INDEX_OF, MIDDLE_GROUPS, PLUS_FLOAT, REVERSE, SMALL_GROUPS, TO_FLOAT,
                        has_variable, mentions, reachable, unify)
from nesl_closures import Closures
from nesl_functions import Functions
from nesl_library import FAILURES, OPERATIONS
from nesl_rows import Operation, parse_type
from nesl_tree import SCALARS, Node, Program, depth, pair, seq, substitute, type_text

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 0.1, 1e-3, 3.0, 1e10, -1e10, 2147483647.0, 2147483648.0,
          -2147483649.0, 9.2233720368547758e18, 1e300, -1e300, 1.7976931348623157e308, 5e-324, -5e-324,
          2.2250738585072014e-308, 1e-310, math.inf, -math.inf, math.nan, 1e36, -1e36, 0.49999999999999994]



class Generator(Functions, Closures):
  """Draws programs. `bits` is the width of INT; `suffix` makes names of definitions unique in a file."""

  def __init__(self, rng, bits, suffix):
    self.rng, self.bits, self.suffix = rng, bits, suffix
    self.count = 0
    self.fuel = 0
    self.functions, self.records = [], []
    self.nested_style = False
    greatest = (1 << (bits - 1)) - 1
    self.ints = [0, 1, -1, 2, greatest, -greatest - 1, greatest - 1, -greatest, 1 << (bits - 2), -(1 << (bits - 2)),
                 65535, 65536, (1 << 31) - 1, -(1 << 31)]
    if bits == 64:
      self.ints += [1 << 31, (1 << 31) + 1, -(1 << 31) - 1, 1 << 32, 1 << 62, 1 << 53, (1 << 53) + 1]

  # ------------------------------------------------------------------ programs

  def program(self, big=False, planted=False, nested=False):
    rng = self.rng
    self.nested_style = nested
    self.fuel = rng.choice([6, 12, 20, 35, 50])
    if rng.random() < 0.25:
      types = pair(self.type(1), self.type(1))
      arguments = "(" + ", ".join(type_text(x, True) for x in types[1:]) + ")" if rng.random() < 0.4 else ""
      self.records.append(("record", f"rec{self.suffix}{arguments}", types))
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
      self.add_function()
    results = [f.result for f in self.functions if f.result[0] != "function" and not has_variable(f.result)]
    t = rng.choice(results) if results and rng.random() < 0.4 else self.type(rng.choice([1, 2, 2, 3]) + nested)
    env = []
    bindings = self.inputs(big)
    for name, value in bindings:
      env.append((name, value.type, value.big))
    failure = None
    if planted:
      name, value = self.failure(env)
      failure = value
      bindings.append((name, value))
      env.append((name, value.type, False))
    for _ in range(rng.randrange(3)):
      value = self.expression(self.type(2), 3, env)
      p, names = self.pattern(value.type)
      bindings.append((p, value))
      env += [(name, type_, value.big) for name, type_ in names]
    body = self.expression(t, 4, env)
    if nested and rng.random() < 0.5:
      self.fuel = 15
      body, t = self.comparison(body, env)
    if env and rng.random() < 0.6:  # what was bound is part of the result
      name, type_, is_big = rng.choice(env)
      body = Node("pair", pair(t, type_), [body, Node("var", type_, data=name, big=is_big)])
      t = body.type
    if bindings:
      body = Node("let", t, [v for _, v in bindings] + [body], [n for n, _ in bindings])
    return Program(body, self.functions, self.records, failure, rng.random() < 0.5)

  def library(self):
    """A few operations, each as likely as any other, of small values."""
    results = []
    for _ in range(4):
      node = None
      while node is None:
        self.fuel = 6
        op = self.rng.choice(OPERATIONS)
        instance = {v: self.operand_type(op.klass if v == "a" else "any", []) for v in ("a", "b") if any(mentions(o, v) for o in op.operands)}
        types = [substitute(o, instance) for o in op.operands]
        if max(map(depth, types), default=0) < 4:
          result = substitute(op.result, instance)
          node = self.lifted_operation(op, instance, types) if self.rng.random() < 0.4 and depth(result) < 3 else Node(
              "op", result, [self.longer(t) for t in types], (op, instance))
      results.append(node)
    body = results[0]
    for r in results[1:]:
      body = Node("pair", pair(r.type, body.type), [r, body])
    return Program(body, self.functions, self.records)

  def lifted_operation(self, op, instance, types):
    """The operation for each element of sequences of its operands."""
    n, names = self.rng.choice([0, 1, 2, 3, 5]), [self.fresh() for _ in types]
    if not names:
      names, types = [self.fresh()], ["int"]
    sources = [Node("list", seq(t), [self.longer(t) for _ in range(n)]) if n else Node("empty", seq(t)) for t in types]
    kids = [Node("var", t, data=x) for x, t in zip(names, types)][:len(op.operands)]
    node = Node("op", substitute(op.result, instance), kids, (op, instance))
    return Node("each", seq(node.type), [node] + sources, (names, False))

  def longer(self, t):
    """An expression; flat sequences have more elements than others."""
    if not isinstance(t, str) and t[0] == "seq" and t[1] in SCALARS and self.rng.random() < 0.7:
      return self.constant_sequence(t[1])
    if not isinstance(t, str) and t[0] == "seq" and not isinstance(t[1], str) and t[1][0] == "pair":
      return Node("list", t, [self.constant(t[1]) for _ in range(self.rng.randrange(1, 9))])
    return self.expression(t, 2, [])

  def inputs(self, big):
    """Values that the program works on."""
    rng = self.rng
    if self.nested_style:
      types = [seq(seq("int")), seq(seq(rng.choice(["int", "float", "bool", "char"]))), seq(self.type(2)), seq(seq(self.type(1)))]
      return [(self.fresh(), self.constant(t)) for t in rng.sample(types, rng.randrange(1, 4))]
    if not big:
      return [(self.fresh(), self.constant_sequence(rng.choice(["int", "float", "bool"]))) for _ in range(rng.randrange(3))]
    n = rng.choice([4095, 4096, 4097, 4100, 5000, 6143, 8192, 10001])
    index = Node("op", seq("int"), [self.int_const(n)], (BIG_INDEX, {}), big=True)
    out = [(self.fresh(), index)]
    x = self.fresh()
    env = [(x, "int", False)]
    for t in rng.sample(["int", "float", "bool"], 2):
      body = self.expression(t, 3, env)
      if t == "float" and rng.random() < 0.7:
        body = Node("op", "float", [body, Node("op", "float", [Node("var", "int", data=x)], (TO_FLOAT, {}))], (PLUS_FLOAT, {"a": "float"}))
      v = Node("each", seq(t), [body, Node("var", index.type, data=out[0][0], big=True)], ([x], False), big=True)
      out.append((self.fresh(), v))
    if rng.random() < 0.6:
      out.append(self.nested_input(n, out))
    return out

  def nested_input(self, n, earlier):
    """A big sequence cut into segments: many small ones, one giant one among empty ones."""
    rng = self.rng
    name, value = rng.choice(earlier)
    v = Node("var", value.type, data=name, big=True)
    return (self.fresh(), self.nested(v))

  def operation_of(self, form, kids):
    """The operation with this form, applied to as many of the operands as it takes."""
    for op in BY_FORM[form]:
      instance = {}
      if len(op.operands) <= len(kids) and all(unify(o, k.type, instance) for o, k in zip(op.operands, kids)):
        if "a" in instance and not (CLASSES[op.klass](instance["a"])):
          continue
        return Node("op", substitute(op.result, instance), kids[:len(op.operands)], (op, instance))
    raise KeyError(form)

  def elementary(self, name, x):
    """A function of the C library."""
    op = Operation(name + "($0)", ("float",), "float", ("log" if name == "ln" else name) + "({0})")
    return Node("op", "float", [x], (op, {}))

  def nested(self, v):
    """The variable `v` cut into segments: many small ones, one giant one among empty ones."""
    form = self.rng.choice([GIANT, SMALL_GROUPS, EMPTY_AND_ONE, MIDDLE_GROUPS, MIDDLE_GROUPS])
    return Node("op", seq(v.type), [v], (form, {"a": v.type[1]}), big=True)

  def failure(self, env):
    rng = self.rng
    form, operands, result, kind = rng.choice(FAILURES)
    types = [parse_type(t) for t in operands.split()]
    kids = [self.small_const(t) for t in types]
    op = Operation(form, tuple(types), parse_type(result), f"fail({kind!r}, {{line}})")
    node = Node("op", op.result, kids, (op, {}))
    if rng.random() < 0.5:
      return self.fresh(), node
    source = Node("list", seq("int"), [self.int_const(i) for i in range(rng.randrange(1, 4))])
    each = Node("each", seq(op.result), [node, source], ([self.fresh()], False))
    if rng.random() < 0.5:  # nobody needs an element
      each = self.operation_of(rng.choice(["#$0", "take(o_v, 0)", "{o_x in o_v | f}"]), [each])
    return self.fresh(), each

  # ------------------------------------------------------------------ types

  def type(self, levels):
    rng = self.rng
    r = rng.random()
    if levels <= 0 or r < (0.12 if self.nested_style else 0.3):
      return rng.choice(["int", "int", "float", "bool", "char"])
    if r < 0.75:
      return seq(self.type(levels - 1))
    if r < 0.92 or not self.records:
      return pair(self.type(levels - 1), self.type(levels - 1))
    return rng.choice(self.records)

  def fresh(self):
    self.count += 1
    return f"x{self.count}"

  # ------------------------------------------------------------------ constants

  def int_const(self, n):
    return Node("const", "int", data=n)

  def scalar(self, t):
    rng = self.rng
    if t == "int":
      if rng.random() < 0.5:
        return rng.choice(self.ints)
      return rng.randrange(-3, 12) if rng.random() < 0.7 else rng.randrange(-100000, 100000)
    if t == "float":
      r = rng.random()
      return rng.choice(FLOATS) if r < 0.4 else rng.uniform(-10, 10) if r < 0.8 else float(rng.randrange(-50, 50)) / 4
    if t == "bool":
      return rng.random() < 0.5
    return ord(rng.choice("abcxyzABCXYZ019 .,-\"\\%")) if rng.random() < 0.85 else rng.choice([0, 9, 10, 13, 96, 123, 255, 200, 59, 36])

  def constant(self, t):
    rng = self.rng
    if t in SCALARS:
      return Node("const", t, data=self.scalar(t))
    if t == seq("char") and rng.random() < 0.9:
      begin = [97 + i % 7 for i in range(rng.choice([6, 7, 8, 14, 21]))] if rng.random() < 0.15 else []  # alike for long
      n = rng.choice([0, 1, 2, 5, 12])
      return Node("const", t, data=begin + ([rng.choice(b"ab  \t,") for _ in range(n)] if rng.random() < 0.3 else [self.scalar("char") for _ in range(n)]))
    if t[0] == "seq":
      if has_variable(t[1]):
        return None
      n = rng.choice([0, 0, 1, 1, 2, 3, 4]) if depth(t) < 3 else rng.choice([0, 1, 2])
      return Node("list", t, [self.constant(t[1]) for _ in range(n)]) if n else Node("empty", t)
    if t[0] == "record":
      return Node("record", t, [self.constant(t[2])])
    if t[0] == "var":
      return None
    kids = [self.constant(x) for x in t[1:]]
    return None if None in kids else Node("pair", t, kids)

  def small_const(self, t):
    if t in SCALARS:
      return Node("const", t, data={"int": 3, "float": 1.5, "bool": True, "char": 97}[t])
    return Node("list", t, [self.small_const(t[1]) for _ in range(2)])

  def constant_sequence(self, t):
    n = self.rng.choice([0, 1, 2, 3, 5, 8, 16, 31, 32, 33, 40])
    values = [self.scalar(t) for _ in range(n)]
    if self.rng.random() < 0.4:  # with duplicates
      values = [self.rng.choice(values[:4]) for _ in values]
    return Node("list", seq(t), [Node("const", t, data=x) for x in values]) if n else Node("empty", seq(t))

  # ------------------------------------------------------------------ expressions

  def expression(self, t, levels, env):
    self.fuel -= 1
    rng = self.rng
    if levels <= 0 or self.fuel <= 0 or rng.random() < 0.1:
      return self.leaf(t, env)
    for _ in range(6):
      r = rng.random()
      if rng.random() < 0.06:
        n = rng.choice([self.let_function, self.apply])(t, levels, env)
      elif any(e[1][0] == "function" for e in env) and rng.random() < 0.35:
        n = self.apply(t, levels, env)
      elif self.nested_style and rng.random() < 0.4:
        n = self.constructor(t, levels, env)
      elif r < 0.45:
        n = self.operation(t, levels, env)
      elif r < 0.55:
        n = Node("if", t, [self.expression("bool", levels - 1, env), self.expression(t, levels - 1, env), self.expression(t, levels - 1, env)])
      elif r < 0.63:
        n = self.let(t, levels, env)
      elif r < 0.74:
        n = self.call(t, levels, env)
      elif r < 0.79:
        n = self.leaf(t, env)
      else:
        n = self.constructor(t, levels, env)
      if n is not None:
        return n
    return self.leaf(t, env)

  def leaf(self, t, env):
    rng = self.rng
    fitting = [(n, big) for n, type_, big in env if type_ == t]
    if fitting and (rng.random() < 0.8 or has_variable(t)):
      name, big = rng.choice(fitting[-6:])
      return Node("var", t, data=name, big=big)
    value = self.constant(t)
    if value is not None:
      return value
    return self.of_variable_type(t, env)

  def of_variable_type(self, t, env):
    """A value of a type with variables, made of what the function was given."""
    if t[0] == "seq":
      return Node("list", t, [self.leaf(t[1], env)])
    if t[0] == "pair":
      return Node("pair", t, [self.leaf(t[1], env), self.leaf(t[2], env)])
    raise AssertionError(t)

  def operation(self, t, levels, env):
    rng = self.rng
    for _ in range(8):
      op = rng.choice(OPERATIONS)
      instance = {}
      if not unify(op.result, t, instance):
        continue
      for v in ("a", "b"):
        if v not in instance and any(mentions(o, v) for o in op.operands):
          instance[v] = self.operand_type(op.klass if v == "a" else "any", env)
      if "a" in instance and not CLASSES[op.klass](instance["a"]):
        continue
      if has_variable(t) and not isinstance(op.code, str):
        continue
      types = [substitute(o, instance) for o in op.operands]
      if any(depth(x) > 4 or (has_variable(x) and not any(reachable(x, e[1]) for e in env)) for x in types):
        continue
      return Node("op", t, [self.expression(x, levels - 1, env) for x in types], (op, instance))
    return None

  def operand_type(self, klass, env):
    rng = self.rng
    here = [type_ for _, type_, _ in env if type_[0] != "function"]
    inner = [x[1] for x in here if not isinstance(x, str) and x[0] == "seq"]
    candidates = [x for x in here + inner if CLASSES[klass](x) and depth(x) < 3]
    if candidates and rng.random() < 0.7:
      return rng.choice(candidates)
    if klass in ("number", "ordinal"):
      return rng.choice(["int", "float"])
    if klass == "logical":
      return rng.choice(["int", "bool"])
    while True:
      t = self.type(1)
      if CLASSES[klass](t):
        return t

  def let(self, t, levels, env):
    rng = self.rng
    inner, patterns, kids = list(env), [], []
    for _ in range(rng.choice([1, 1, 2])):
      value = self.expression(self.operand_type("any", env) if rng.random() < 0.3 else self.type(2), levels - 1, inner)
      p, names = self.pattern(value.type)
      patterns.append(p)
      kids.append(value)
      inner = inner + [(n, x, value.big) for n, x in names]
    return Node("let", t, kids + [self.expression(t, levels - 1, inner)], patterns)

  def pattern(self, t):
    """A pattern for values of the type, and the names in it."""
    if not isinstance(t, str) and t[0] == "pair" and self.rng.random() < 0.85:
      p, a = self.pattern(t[1])
      q, b = self.pattern(t[2])
      return ("pair", p, q), a + b
    if not isinstance(t, str) and t[0] == "record" and self.rng.random() < 0.7:
      p, names = self.pattern(t[2])
      return ("record", t[1], p), names
    name = self.fresh()
    return name, [(name, t)]

  def constructor(self, t, levels, env):
    if t in SCALARS or t[0] == "var":
      return None
    if t[0] == "pair":
      return Node("pair", t, [self.expression(x, levels - 1, env) for x in t[1:]])
    if t[0] == "record":
      return Node("record", t, [self.expression(t[2], levels - 1, env)])
    r = self.rng.random()
    if r < 0.25:
      return Node("list", t, [self.expression(t[1], levels - 2, env) for _ in range(self.rng.randrange(1, 4))])
    if r < 0.32:
      return self.map(t, levels, env)
    if r < 0.45 and depth(t) > 1:
      return self.copies(t, levels, env)
    return self.each(t, levels, env)

  def each(self, t, levels, env):
    rng = self.rng
    source = self.source(levels, env)
    sources, patterns = [source], []
    p, names = self.pattern(source.type[1])
    if source.kind == "var" and rng.random() < 0.2:  # written once
      p, names = source.data, [(source.data, source.type[1])]
      env = [e for e in env if e[0] != p]
    patterns.append(p)
    bound = list(names)
    while rng.random() < 0.3 and source.kind == "var":
      other = self.same_length(source, env)
      q, more = self.pattern(other.type[1])
      patterns.append(q)
      sources.append(other)
      bound += more
    outer = [e for e in env if not e[2]] if source.big and rng.random() < 0.98 else env
    inner = outer + [(n, x, False) for n, x in bound]
    body = self.expression(t[1], levels - 1, inner)
    has_sieve = rng.random() < 0.35
    sieve = [self.expression("bool", min(levels - 1, 2), inner)] if has_sieve else []
    serial = rng.random() < 0.08 and not has_variable(t) and not any(s.big for s in sources)
    return Node("serial" if serial else "each", t, [body] + sources + sieve, (patterns, has_sieve), big=any(s.big for s in sources))

  def map(self, t, levels, env):
    """map(x => e, v): one element after the other."""
    x = self.fresh()
    env = [e for e in env if not e[2]]
    source = self.source(levels, env) if self.rng.random() < 0.5 else self.each(seq(self.type(1)), levels, env)
    if has_variable(source.type):
      return None
    body = self.expression(t[1], levels - 1, [e for e in env if not e[2]] + [(x, source.type[1], False)])
    return Node("call", t, [Node("lambda", t[1], [body], [x], big=False), source], ("map", {}, None))

  def comparison(self, body, env):
    """eql(body, something like it), or eql of a constant and copies; and the type."""
    t = body.type
    rows = [x for _, x, _ in env if depth(x) > 1 and not isinstance(x[1], str) and x[1][0] == "seq"]
    if rows and self.rng.random() < 0.7:
      t = seq(seq(self.rng.choice(rows)[1]))
      body = self.constant(t) if self.rng.random() < 0.5 else self.expression(t, 3, env)
      other = self.copies(t, 4, env) or self.expression(t, 3, env)
    else:
      other = self.expression(t, 3, env)
    sides = [body, other] if self.rng.random() < 0.5 else [other, body]
    return self.operation_of("eql($0, $1)", sides), "bool"

  def copies(self, t, levels, env):
    """{{v : x in v} : v in w} and its like: an inner apply-to-each of something from the outer one."""
    rng = self.rng
    source = self.source(levels, [e for e in env if not e[2]])
    if source.kind != "var" or depth(source.type) < 2 or isinstance(source.type[1], str) or source.type[1][0] != "seq":
      return None
    v, x = self.fresh(), self.fresh()
    inner_type = source.type[1]
    inner_env = [(v, inner_type, False), (x, inner_type[1], False)]
    wanted = t[1][1] if not isinstance(t[1], str) and t[1][0] == "seq" else None
    if wanted is None:
      return None
    body = Node("var", inner_type, data=v) if wanted == inner_type else self.expression(wanted, levels - 2, env[-2:] + inner_env)
    sieve = [self.expression("bool", 1, inner_env)] if rng.random() < 0.3 else []
    inner = Node("each", t[1], [body, Node("var", inner_type, data=v)] + sieve, ([x], bool(sieve)))
    return Node("each", t, [inner, source], ([v], False))

  def source(self, levels, env):
    rng = self.rng
    sequences = [e for e in env if not isinstance(e[1], str) and e[1][0] == "seq"]
    if sequences and rng.random() < 0.75:
      big = [e for e in sequences if e[2]]
      name, t, is_big = rng.choice(big if big and rng.random() < 0.6 else sequences)
      return Node("var", t, data=name, big=is_big)
    return self.expression(seq(self.type(1)), levels - 1, env)

  def same_length(self, source, env):
    """A sequence as long as the variable `source`."""
    rng = self.rng
    t = source.type
    again = source.copy()
    r = rng.random()
    if r < 0.3:
      return Node("op", seq("int"), [again], (INDEX_OF, {"a": t[1]}), big=source.big)
    if r < 0.6:
      return Node("op", t, [again], (REVERSE, {"a": t[1]}), big=source.big)
    x = self.fresh()
    outer = [e for e in env if not e[2]]
    result = self.type(1)
    return Node("each", seq(result), [self.expression(result, 2, outer + [(x, t[1], False)]), again], ([x], False), big=source.big)
