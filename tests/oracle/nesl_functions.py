"""Random NESL functions: plain, polymorphic, recursive with a decreasing argument, and of functions."""

from nesl_forms import AROUND_FIRST, FEW, HALVES, LENGTH, LESS, MINUS, has_variable, unify
from nesl_tree import Function, Node, pair, seq, substitute


class Functions:
  """The part of a Generator that draws functions and calls."""

  def function(self):
    r = self.rng.random()
    name = f"f{self.suffix}_{len(self.functions)}"
    self.fuel, kept = 15, self.fuel
    if r < 0.3:
      f = self.plain(name)
    elif r < 0.5:
      f = self.polymorphic(name)
    elif r < 0.7:
      f = self.counting(name)
    elif r < 0.85:
      f = self.dividing(name)
    else:
      f = self.higher_order(name)
    self.fuel = kept
    return f

  def plain(self, name):
    parameters = [(self.fresh(), self.type(2)) for _ in range(self.rng.randrange(1, 4))]
    result = self.type(2)
    body = self.expression(result, 3, [(n, t, False) for n, t in parameters])
    return Function(name, parameters, result, body, signature=True)

  def polymorphic(self, name):
    a = ("var", "a", "any")
    parameters = [(self.fresh(), seq(a)), (self.fresh(), a), (self.fresh(), "int")]
    result = self.rng.choice([seq(a), a, "int", pair(a, "int"), seq(seq(a)), seq("bool")])
    body = self.expression(result, 3, [(n, t, False) for n, t in parameters])
    return Function(name, parameters, result, body, signature=True)

  def counting(self, name):
    """f(n, x) = if n < 1 then ... else let r = f(n - 1, ...) in ..."""
    n, x, r = self.fresh(), self.fresh(), self.fresh()
    t, result = self.type(1), self.type(2)
    env = [(n, "int", False), (x, t, False)]
    var = lambda v, type_: Node("var", type_, data=v)
    test = Node("op", "bool", [var(n, "int"), self.int_const(1)], (LESS, {"a": "int"}))
    less = Node("op", "int", [var(n, "int"), self.int_const(1)], (MINUS, {"a": "int"}))
    again = Node("call", result, [less, self.expression(t, 2, env)], (name, {}))
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
    again = Node("each", seq(result), [Node("call", result, [Node("var", t, data=p)], (name, {})), parts], ([p], False))
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
      if unify(f.result, t, instance):
        candidates.append((f, instance))
    if not candidates:
      return None
    f, instance = rng.choice(candidates)
    if "a" not in instance and has_variable(dict(enumerate(p[1] for p in f.parameters if p[1][0] != "function")).get(0, "int")):
      instance["a"] = self.operand_type("any", env)
    args = []
    for i, (_, p) in enumerate(f.parameters):
      if not isinstance(p, str) and p[0] == "function":
        name = self.fresh()
        body = self.expression(p[2], levels - 1, [e for e in env if not e[2]] + [(name, p[1][0], False)])
        args.append(Node("lambda", p[2], [body], [name], big=False))
      elif i == 0 and f.body.kind == "if" and p == "int":
        args.append(Node("op", "int", [self.expression("int", levels - 1, env)], (FEW, {})))
      else:
        args.append(self.expression(substitute(p, instance), levels - 1, env))
    return Node("call", t, args, (f.name, instance))
