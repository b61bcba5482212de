"""Functions as values in random NESL programs: bound, captured, in pairs and sequences, made by functions."""

from nesl_forms import has_variable, unify
from nesl_tree import Node


class Closures:
  """The part of a Generator that draws them. In an environment a function has a type ("function", (T, ...), RESULT)."""

  def closure(self, env):
    """A lambda of what the environment has, and its type."""
    parameters = [(self.fresh(), self.parameter_type()) for _ in range(self.rng.choice([1, 1, 2]))]
    result = self.type(1)
    inner = [e for e in env if not e[2]] + [(n, t, False) for n, t in parameters]
    body = self.expression(result, 2, inner)
    return Node("lambda", result, [body], [n for n, _ in parameters], big=False), ("function", tuple(t for _, t in parameters), result)

  def parameter_type(self):
    """No truth values: a lambda declares no type, and what only INT and BOOL can be is taken for INT."""
    t = self.type(1)
    while "bool" in str(t):
      t = self.type(1)
    return t

  def let_function(self, t, levels, env):
    """let f = x => ... in ..., with one function or a pair of them."""
    rng = self.rng
    if has_variable(t):
      return None
    made = [self.function_value(env) for _ in range(rng.choice([1, 1, 2]))]
    names = [self.fresh() for _ in made]
    inner = env + [(n, kind, False) for n, (_, kind) in zip(names, made)]
    body = self.expression(t, levels - 1, inner)
    if len(made) == 1:
      return Node("let", t, [made[0][0], body], names)
    both = Node("pair", None, [value for value, _ in made], big=False)
    return Node("let", t, [both, body], [("pair", *names)])

  def function_value(self, env):
    rng = self.rng
    made = [f for f in self.functions if f.body and f.body.kind == "lambda"]
    if made and rng.random() < 0.4:
      f = rng.choice(made)
      argument = self.expression(f.parameters[0][1], 2, [e for e in env if not e[2]])
      return Node("call", None, [argument], (f.name, {}, None), big=False), f.result
    value, kind = self.closure(env)
    return (Node("copied", value.type, [value], big=False) if rng.random() < 0.2 else value), kind

  def apply(self, t, levels, env):
    """A call of a function that the environment has, or of what a function gives."""
    rng = self.rng
    fitting = [e for e in env if e[1][0] == "function" and e[1][2] == t]
    if fitting and rng.random() < 0.8:
      name, (_, types, _), _ = rng.choice(fitting)
      return Node("apply", t, [self.expression(x, levels - 1, env) for x in types], name)
    made = [f for f in self.functions if f.body and f.body.kind == "lambda" and unify(f.result[2], t, {})]
    if not made:
      return None
    f = rng.choice(made)
    types = [f.parameters[0][1], f.result[1][0]]
    return Node("curried", t, [self.expression(x, levels - 1, env) for x in types], (f.name, {}))
