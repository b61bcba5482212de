"""Random NESL functions that are loops of each instance: of numbers, with several ways on and out, reading lists."""

from nesl_forms import LESS, MINUS, find, has_variable, unify
from nesl_library import SCALARS as OPERATIONS
from nesl_tree import SCALARS, Function, Node, seq, substitute

ELEMENT = find("(let (o_v, o_i, o_e) = ($0, $1, $2) in if #o_v == 0 then o_e else o_v[mod(o_i, #o_v)])")
CHOICES = {"number": ("int", "float"), "ordinal": ("int", "float"), "logical": ("int", "bool"), "any": ("int", "float", "bool")}
NUMBERS = [o for o in OPERATIONS if all(x in SCALARS or x[0] == "var" for x in o.operands + (o.result,))]


class Loops:
  """The part of a Generator that draws them."""

  def looping(self, name):
    """f(n, x, ..., v) = if n < 1 then ... else if ... then f(n - 1, ..., v) else ..."""
    rng = self.rng
    n = self.fresh()
    state = [(self.fresh(), rng.choice(["int", "int", "float", "bool"])) for _ in range(rng.randrange(1, 4))]
    lists = [(self.fresh(), seq(rng.choice(["int", "float", "bool"]))) for _ in range(rng.randrange(3))]
    parameters = [(n, "int")] + state + lists
    env = [(x, t, False) for x, t in parameters]
    result = rng.choice(state)[1]
    var = lambda x, t: Node("var", t, data=x)
    less = lambda: Node("op", "int", [var(n, "int"), Node("const", "int", data=1)], (MINUS, {"a": "int"}))
    again = lambda: Node("call", result, [less()] + [self.number(t, 2, env) for _, t in state] + [var(x, t) for x, t in lists], (name, {}, None))

    def way(levels):
      if levels == 0 or rng.random() < 0.3:
        return again()
      other = way(levels - 1) if rng.random() < 0.6 else self.number(result, 2, env)
      return Node("if", result, [self.number("bool", 2, env)] + rng.sample([way(levels - 1), other], 2))

    test = Node("op", "bool", [var(n, "int"), Node("const", "int", data=1)], (LESS, {"a": "int"}))
    return Function(name, parameters, result, Node("if", result, [test, self.number(result, 1, env), way(2)]), signature=True)

  def number(self, t, levels, env):
    """An expression of scalars, and of elements of lists."""
    rng = self.rng
    here = [x for x, type_, _ in env if type_ == t]
    if levels == 0 or rng.random() < 0.15:
      return Node("var", t, data=rng.choice(here)) if here and rng.random() < 0.7 else self.constant(t)
    lists = [x for x, type_, _ in env if type_ == seq(t)]
    if lists and rng.random() < 0.3:
      return Node("op", t, [Node("var", seq(t), data=rng.choice(lists)), self.number("int", levels - 1, env), self.constant(t)], (ELEMENT, {"a": t}))
    while True:
      op, instance = rng.choice(NUMBERS), {}
      if unify(op.result, t, instance) and (not has_variable(op.result) or t in CHOICES[op.klass]):
        instance.setdefault("a", rng.choice(CHOICES[op.klass]))
        return Node("op", t, [self.number(substitute(o, instance), levels - 1, env) for o in op.operands], (op, instance))
