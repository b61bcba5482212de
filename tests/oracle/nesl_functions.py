"""Random NESL functions: plain, polymorphic, recursive with a decreasing argument, and of functions."""

from nesl_forms import AROUND_FIRST, FEW, HALVES, LENGTH, LESS, MANY, MINUS, has_variable, unify
from nesl_loops import Loops
from nesl_tree import Function, Node, pair, seq, substitute


class Functions(Loops):
  """The part of a Generator that draws functions and calls."""

  def add_function(self):
    """One, or two that call each other behind a declaration."""
    r = self.rng.random()
    name = f"f{self.suffix}_{len(self.functions)}"
    self.fuel, kept = 15, self.fuel
    for most, draw in ((0.25, self.plain), (0.38, self.polymorphic), (0.47, self.counting), (0.55, self.mutual), (0.64, self.dividing),
                       (0.76, self.looping), (0.88, self.curried), (1.0, self.higher_order)):
      if r < most:
        f = draw(name)
        break
    self.functions += f if isinstance(f, list) else [f]
    self.fuel = kept

  def plain(self, name):
    parameters, env = [], []
    for _ in range(self.rng.choice([1, 2, 2, 3])):
      t = self.type(2)
      p, names = self.pattern(t)
      parameters.append((p, t))
      env += [(n, x, False) for n, x in names]
    result = self.type(2)
    default = self.constant(parameters[-1][1]) if isinstance(parameters[-1][0], str) and len(parameters) > 1 and self.rng.random() < 0.9 else None
    return Function(name, parameters, result, self.expression(result, 3, env), signature=True, default=default)

  def polymorphic(self, name):
    a = ("var", "a", "any")
    parameters = [(self.fresh(), seq(a)), (self.fresh(), a), (self.fresh(), "int")]
    result = self.rng.choice([seq(a), a, "int", pair(a, "int"), seq(seq(a)), seq("bool")])
    body = self.expression(result, 3, [(n, t, False) for n, t in parameters])
    return Function(name, parameters, result, body, signature=True)

  def curried(self, name):
    """f(x) = (y => ...)"""
    x, t = self.fresh(), self.type(1)
    value, kind = None, None
    while value is None or len(value.data) > 1:
      value, kind = self.closure([(x, t, False)])
    return Function(name, [(x, t)], kind, value)

  def mutual(self, name):
    """A declaration of f, g that calls f, and f that calls g."""
    t, result = self.type(1), self.type(2)
    f = self.counting(name, name + "g", t, result)
    return [Function(name, f.parameters, result, None, signature=True), self.counting(name + "g", name, t, result), f]

  def counting(self, name, other=None, t=None, result=None):
    """f(n, x) = if n < 1 then ... else let r = f(n - 1, ...) in ..., or with a call of another one."""
    n, x, r = self.fresh(), self.fresh(), self.fresh()
    t, result = t or self.type(1), result or self.type(2)
    env = [(n, "int", False), (x, t, False)]
    var = lambda v, type_: Node("var", type_, data=v)
    test = Node("op", "bool", [var(n, "int"), self.int_const(1)], (LESS, {"a": "int"}))
    less = Node("op", "int", [var(n, "int"), self.int_const(1)], (MINUS, {"a": "int"}))
    again = Node("call", result, [less, self.expression(t, 2, env)], (other or name, {}, None))
    rest = Node("let", result, [again, self.expression(result, 2, env + [(r, result, False)])], [r])
    body = Node("if", result, [test, self.expression(result, 2, env), rest])
    return Function(name, [(n, "int"), (x, t)], result, body, signature=True)

  def dividing(self, name):
    """f(v) = if #v < 2 then ... else let r = {f(p) : p in bottop(v)} in ..."""
    v, p, r = self.fresh(), self.fresh(), self.fresh()
    e, result = self.rng.choice(["int", "float", pair("int", "bool")]), self.type(1)
    t = seq(e)
    env = [(v, t, False)]
    length = Node("op", "int", [Node("var", t, data=v)], (LENGTH, {"a": e}))
    test = Node("op", "bool", [length, self.int_const(2)], (LESS, {"a": "int"}))
    parts = Node("op", seq(t), [Node("var", t, data=v)], (self.rng.choice([HALVES, AROUND_FIRST] if e != pair("int", "bool") else [HALVES]), {"a": e}))
    again = Node("each", seq(result), [Node("call", result, [Node("var", t, data=p)], (name, {}, None)), parts], ([p], False))
    rest = Node("let", result, [again, self.expression(result, 2, env + [(r, seq(result), False)])], [r])
    body = Node("if", result, [test, self.expression(result, 2, env), rest])
    return Function(name, [(v, t)], result, body, signature=True)

  def higher_order(self, name):
    """f(g, x) uses the function g: on x, or on each element of it."""
    g, x, e = self.fresh(), self.fresh(), self.fresh()
    t, result = self.type(1), self.type(1)
    each = self.rng.random() < 0.6
    argument = Node("var", t, data=e if each else x)
    body = Node("apply", result, [argument], g)
    kind = ("function", [t], result)
    if each:
      body = Node("each", seq(result), [body, Node("var", seq(t), data=x)], ([e], False))
      return Function(name, [(g, kind), (x, seq(t))], seq(result), body)
    return Function(name, [(g, kind), (x, t)], result, body)

  def call(self, t, levels, env):
    rng = self.rng
    candidates = []
    for f in self.functions:
      instance = {}
      if f.body and unify(f.result, t, instance):
        candidates.append((f, instance))
    if not candidates:
      return self.apply(t, levels, env)
    f, instance = rng.choice(candidates)
    if "a" not in instance and has_variable(dict(enumerate(p[1] for p in f.parameters if p[1][0] != "function")).get(0, "int")):
      instance["a"] = self.operand_type("any", env)
    args = []
    for i, (_, p) in enumerate(f.parameters[:-1] if f.default and rng.random() < 0.3 else f.parameters):
      if not isinstance(p, str) and p[0] == "function":
        name = self.fresh()
        body = self.expression(p[2], levels - 1, [e for e in env if not e[2]] + [(name, p[1][0], False)])
        args.append(Node("lambda", p[2], [body], [name], big=False))
      elif i == 0 and f.body.kind == "if" and p == "int":
        rounds = FEW if f.body.kids[2].kind == "let" else MANY
        args.append(Node("op", "int", [self.expression("int", levels - 1, env)], (rounds, {})))
      else:
        args.append(self.expression(substitute(p, instance), levels - 1, env))
    return Node("call", t, args, (f.name, instance, f.parameters[-1][0] if f.default and len(args) == len(f.parameters) else None))
