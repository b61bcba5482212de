"""Programs that do what is fused: chains of maps, filters, scans, moves and reductions of a long vector."""

from nesl_tree import Node, Program, pair, seq


class Pipelines:
  """Draws them with the expressions of a Generator."""

  def __init__(self, generator):
    self.g, self.rng = generator, generator.rng
    self.bindings, self.results = [], []

  def program(self):
    g, rng = self.g, self.rng
    n = rng.choice([31, 32, 33, 100, 2047, 2048, 2049, 4095, 4096, 4097, 5000, 6143, 8200, 12345, 17000, 20001])
    index = self.bind(self.op("[0 : $0]", [g.int_const(n)]))
    vectors = [index]
    for t in ("float", "int", "bool"):
      if t == "float" or rng.random() < 0.6:
        vectors.append(self.map(index, t))
    if rng.random() < 0.3:
      vectors = [self.nest(v) for v in vectors[1:]]
    for _ in range(rng.randrange(1, 6)):
      v = rng.choice(vectors[-3:])
      w = self.step(v)
      if w is not None:
        vectors.append(w)
    for v in rng.sample(vectors, min(len(vectors), rng.choice([1, 2, 3]))):
      self.results.append(self.end(v))
    if len(self.results) < 2 and rng.random() < 0.5:
      self.results.append(rng.choice(vectors[-2:]))
    body = self.results[0]
    for r in self.results[1:]:
      body = Node("pair", pair(r.type, body.type), [r, body])
    return Program(Node("let", body.type, [v for _, v in self.bindings] + [body], [n for n, _ in self.bindings]), g.functions)

  # A vector is a variable: of [T], or of [[T]] where `lifted` operations work on each inner sequence.

  def bind(self, value):
    name = self.g.fresh()
    self.bindings.append((name, value))
    return Node("var", value.type, data=name, big=True)

  def op(self, form, kids):
    return self.g.operation_of(form, kids)

  def expression(self, t, env, levels=2):
    g = self.g
    g.fuel = 8
    return g.expression(t, levels, env)

  def map(self, v, t):
    x = self.g.fresh()
    env = [(x, v.type[1], False)]
    body = self.expression(t, env)
    if t == "float":
      body = self.op("($0 + $1)", [body, self.inexact(Node("var", v.type[1], data=x))])
    return self.bind(Node("each", seq(t), [body, v], ([x], False), big=True))

  def inexact(self, x):
    """A float that depends on x and whose sums are rounded."""
    rng, g = self.rng, self.g
    if x.type == "float":
      return self.op("($0 * $1)", [x, Node("const", "float", data=rng.choice([0.1, 1.1, -0.7]))])
    if x.type != "int":
      return Node("const", "float", data=0.1)
    k = rng.choice([0.1, 1.0 / 3.0, 1e-3, -0.7, 1e100])
    hashed = self.op("rem($0, max(1, abs($1)))", [self.op("($0 * $1)", [x, g.int_const(7919)]), g.int_const(rng.choice([7, 101, 100003]))])
    return self.op("($0 * $1)", [self.op("float($0)", [hashed]), Node("const", "float", data=k)])

  def nest(self, v):
    return self.bind(self.g.nested(v))

  def element(self, t):
    return t[1] if isinstance(t[1], str) or t[1][0] != "seq" else t[1][1]

  def lifted(self, v, make):
    """make(vector) for the vector, or for each inner sequence of it."""
    if isinstance(v.type[1], str) or v.type[1][0] != "seq":
      return make(v)
    s = self.g.fresh()
    inner = make(Node("var", v.type[1], data=s))
    if inner is None:
      return None
    return Node("each", seq(inner.type), [inner, v], ([s], False), big=True)

  def step(self, v):
    rng = self.rng
    kind = rng.choice(["map", "filter", "filter", "filter", "scan", "scan", "zip", "move", "rank"])
    made = self.lifted(v, lambda x: getattr(self, "_" + kind)(x))
    return None if made is None else self.bind(made)

  def end(self, v):
    rng = self.rng
    kind = rng.choice(["reduce", "reduce", "reduce", "filter_reduce", "filter_reduce", "scan", "length", "check"])
    return self.lifted(v, lambda x: getattr(self, "_" + kind)(x)) or v

  def _map(self, v):
    x = self.g.fresh()
    t = self.rng.choice(["int", "float", "bool", self.element(v.type)])
    body = self.expression(t, [(x, v.type[1], False)])
    if t == "float" and v.type[1] in ("int", "float"):
      body = self.op("($0 + $1)", [body, self.inexact(Node("var", v.type[1], data=x))])
    return Node("each", seq(t), [body, v], ([x], False), big=True)

  def condition(self, x):
    g, rng = self.g, self.rng
    r = rng.random()
    if x.type == "float" and r < 0.7:
      return self.op(f"($0 {rng.choice(['<', '>', '<=', '>='])} $1)", [x, Node("const", "float", data=rng.choice([0.0, 1.0, -0.5, 3.5, 100.0]))])
    if x.type == "int" and r < 0.4:
      return self.op("($0 /= $1)", [self.op("rem($0, max(1, abs($1)))", [x, g.int_const(rng.choice([2, 3, 7, 1000]) + 1)]), g.int_const(0)])
    if x.type == "int" and r < 0.7:
      return self.op(f"($0 {rng.choice(['<', '>', '=='])} $1)", [x, g.int_const(rng.choice([0, 1, 50, 2000, 4096, -1]))])
    if x.type == "bool" and r < 0.7:
      return x
    return self.expression("bool", [(x.data, x.type, False)])

  def _filter(self, v):
    x = self.g.fresh()
    e = Node("var", v.type[1], data=x)
    body = e if self.rng.random() < 0.6 else self.expression(v.type[1], [(x, v.type[1], False)])
    return Node("each", v.type, [body, v, self.condition(e)], ([x], True), big=True)

  def _scan(self, v):
    t = v.type[1]
    names = {"int": ["plus", "plus", "mult", "max", "min", "and", "or", "xor"], "float": ["plus", "plus", "mult", "max", "min"],
             "bool": ["and", "or", "xor"]}.get(t)
    return self.op(self.rng.choice(names) + "_scan($0)", [v]) if names else None

  def _reduce(self, v):
    t = v.type[1]
    names = {"int": ["sum", "sum", "product", "max_val", "min_val", "all", "any", "parity", "max_index"],
             "float": ["sum", "sum", "sum", "product", "product", "max_val", "min_val", "min_index"], "bool": ["all", "any", "parity", "count"]}.get(t)
    if not names:
      return None
    name = self.rng.choice(names)
    return self.op(name + "($0)", [self.near_one(v) if name == "product" and t == "float" else v])

  def near_one(self, v):
    """Factors whose product is rounded and does not overflow."""
    x = self.g.fresh()
    positive = self.op("plusp($0)", [Node("var", "float", data=x)])
    body = self.op("select($0, $1, $2)", [positive, Node("const", "float", data=1.0100000001), Node("const", "float", data=0.9900000007)])
    return Node("each", v.type, [body, v], ([x], False), big=v.big)

  def _filter_reduce(self, v):
    return self._reduce(self._filter(v)) if v.type[1] in ("int", "float", "bool") else None

  def _length(self, v):
    return self.op("#$0", [self._filter(v)])

  def _check(self, v):
    """Facts about a sum: its sign, its size."""
    if v.type[1] != "int":
      return self._reduce(v)
    s = self.g.fresh()
    var = Node("var", "int", data=s)
    body = Node("pair", pair("int", pair("bool", "int")), [var, Node("pair", pair("bool", "int"), [
        self.op(f"($0 {self.rng.choice(['<', '>', '>=', '<='])} $1)", [var, self.g.int_const(self.rng.choice([0, 1, -1]))]),
        self.expression("int", [(s, "int", False)])])])
    return Node("let", body.type, [self._reduce(v), body], [s])

  def _zip(self, v):
    x, y = self.g.fresh(), self.g.fresh()
    other = self.op(self.rng.choice(["reverse($0)", "rotate($0, $1)", "[0 : #$0]", "even_elts($0)"]), [v, self.g.int_const(1)])
    if other.data[0].form.startswith("even"):
      other = self.op("($0 ++ $1)", [other, self.op("odd_elts($0)", [v])])
    t = self.rng.choice(["int", "float", "bool"])
    body = self.expression(t, [(x, v.type[1], False), (y, other.type[1], False)])
    if t == "float" and v.type[1] in ("int", "float"):
      body = self.op("($0 + $1)", [body, self.inexact(Node("var", v.type[1], data=x))])
    return Node("each", seq(t), [body, v, other], ([x, y], False), big=True)

  def _move(self, v):
    rng, g = self.rng, self.g
    form = rng.choice(["reverse($0)", "rotate($0, $1)", "odd_elts($0)", "even_elts($0)", "previous($0, $1)", "next($0, $1)", "take", "drop"])
    if form in ("take", "drop"):
      return self.op(f"(let (o_v, o_i) = ($0, $1) in {form}(o_v, {rng.choice(['', '-'])}mod(o_i, #o_v + 1)))", [v, g.int_const(rng.choice([0, 1, 1000, 3]))])
    second = g.constant(v.type[1]) if form[0] in "pn" else g.int_const(rng.choice([0, 1, -1, 5000]))
    return self.op(form, [v, second])

  def _rank(self, v):
    return self.op(self.rng.choice(["rank($0)", "sort($0)"]), [v]) if v.type[1] == "int" else None


class Facts:
  """Programs about what may be known of integers: signs and bounds that hold, and that wrapping breaks."""

  def __init__(self, generator):
    self.g, self.rng = generator, generator.rng

  def program(self):
    g, rng = self.g, self.rng
    bindings, names = [], []
    if rng.random() < 0.5:
      v = g.constant_sequence("int") if rng.random() < 0.6 else g.operation_of("[0 : $0]", [g.int_const(rng.choice([0, 1, 5, 40, 4100, 70000]))])
      bindings.append((g.fresh(), v))
    sequences = [Node("var", v.type, data=n, big=True) for n, v in bindings]
    for _ in range(rng.randrange(1, 5)):
      value = self.number(names, sequences, 3)
      name = g.fresh()
      bindings.append((name, value))
      names.append(name)
    results = [self.question(names) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.5:
      results.append(self.lifted(names, sequences))
    body = results[0]
    for r in results[1:]:
      body = Node("pair", pair(r.type, body.type), [r, body])
    return Program(Node("let", body.type, [v for _, v in bindings] + [body], [n for n, _ in bindings]))

  def lifted(self, names, sequences):
    """Questions about each element."""
    g, rng = self.g, self.rng
    x = g.fresh()
    source = rng.choice(sequences) if sequences else g.constant_sequence("int")
    y = g.fresh()
    value = self.number(names[:1] + [x, x], [], 3)
    body = Node("let", None, [value, self.question([y, y, x])], [y])
    body.type = body.kids[1].type
    return Node("each", seq(body.type), [body, source], ([x], False), big=source.big)

  def var(self, name):
    return Node("var", "int", data=name)

  def number(self, names, sequences, levels):
    g, rng = self.g, self.rng
    op = g.operation_of
    r = rng.random()
    if levels == 0 or r < 0.1:
      return self.var(rng.choice(names)) if names and rng.random() < 0.7 else Node("const", "int", data=g.scalar("int"))
    if r < 0.3:
      return op("($0 + $1)" if rng.random() < 0.8 else "($0 * $1)", [self.not_negative(names, sequences), self.not_negative(names, sequences)])
    if sequences and r < 0.45:
      return op(rng.choice(["#$0", "sum($0)", "max_val($0)", "min_val($0)", "product($0)", "any($0)", "all($0)"]), [rng.choice(sequences)])
    a = self.number(names, sequences, levels - 1)
    if r < 0.6:
      form = rng.choice(["abs($0)", "(-$0)", "not($0)", "mod($0, (-7))", "rem($0, 10)", "isqrt(abs(rem($0, 1000000)))"])
      return op(form, [a])
    form = rng.choice(["($0 + $1)", "($0 + $1)", "($0 * $1)", "($0 * $1)", "($0 - $1)", "max($0, $1)", "min($0, $1)", "($0 and $1)", "($0 or $1)",
                       "lshift($0, $1)", "rshift($0, $1)", "rem($0, max(1, abs($1)))", "mod($0, max(1, abs($1)))", "($0 / max(1, abs($1)))", "diff($0, $1)"])
    return op(form, [a, self.number(names, sequences, levels - 1)])

  def not_negative(self, names, sequences):
    """What is seen to be at least 0, and often is so great that a sum wraps."""
    g, rng = self.g, self.rng
    r = rng.random()
    if r < 0.3 or not names:
      return g.int_const(rng.choice([i for i in g.ints if i >= 0]))
    a = self.var(rng.choice(names))
    if sequences and r < 0.4:
      return g.operation_of("#$0", [rng.choice(sequences)])
    if r < 0.7:
      return g.operation_of("abs($0)", [a])
    if r < 0.85:
      return g.operation_of("max($0, $1)", [a, g.int_const(0)])
    return g.operation_of("rshift($0, $1)", [g.int_const(max(g.ints)), g.operation_of("btoi($0)", [g.operation_of("plusp($0)", [a])])])

  def question(self, names):
    g, rng = self.g, self.rng
    op = g.operation_of
    a = self.var(rng.choice(names))
    b = self.var(rng.choice(names)) if rng.random() < 0.3 else g.int_const(rng.choice([0, 0, 1, -1, rng.choice(g.ints)]))
    r = rng.random()
    if r < 0.45:
      return op(rng.choice(["($0 < $1)", "($0 > $1)", "($0 <= $1)", "($0 >= $1)", "($0 == $1)"]), [a, b])
    if r < 0.55:
      return op(rng.choice(["plusp($0)", "minusp($0)", "zerop($0)", "oddp($0)"]), [a])
    if r < 0.8:
      return op(rng.choice(["abs($0)", "max($0, $1)", "min($0, $1)", "(-$0)", "diff($0, $1)", "rshift($0, $1)", "mod($0, (-7))"]), [a, b])
    test = op(rng.choice(["($0 < $1)", "($0 >= $1)"]), [a, b])
    return Node("if", "int", [test, self.number(names, [], 1), self.number(names, [], 1)])


class Elementary:
  """Functions whose results may be an ulp off: applied to constants, at the very end of a program."""

  NAMES = {"sin": 1e3, "cos": 1e3, "tan": 1e3, "exp": 700, "sinh": 700, "cosh": 700, "tanh": 20, "atan": 1e6, "asin": 1, "acos": 1, "ln": 1e9}

  def __init__(self, generator):
    self.g, self.rng = generator, generator.rng

  def program(self):
    rng = self.rng
    name = rng.choice(list(self.NAMES))
    most = self.NAMES[name]
    x = self.g.fresh()
    values = [0.0, 1.0, most] + [rng.uniform(-most, most) for _ in range(rng.choice([1, 5, 40]))] + [rng.uniform(0, 1) * 10.0**rng.randrange(-300, 1)]
    values = Node("list", seq("float"), [Node("const", "float", data=float(abs(v) if name == "ln" else v)) for v in values])
    body = self.g.elementary(name, Node("var", "float", data=x))
    return Program(Node("each", seq("float"), [body, values], ([x], False)))
