"""Rows of the tables of operations: NESL text, types, and what they mean in Python.

- `form` is NESL with $0, $1 for the operands, each once, outside of the form's own variables. Forms guard what may fail, so that programs succeed.
- Types are written in NESL; `a` and `b` are type variables. Classes of `a` are those of nesl_forms.py.
- `code` is a Python expression in which {0}, {1} are the operands, {line} the line, and the names those of
  nesl_meaning.py and nesl_order.py; or one for each type of `a`: {"int": code, "float": code}.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Operation:
  form: str
  operands: tuple
  result: object
  code: object
  klass: str = "any"

  @property
  def form_parts(self):
    """The texts between operands, and which operand stands behind each."""
    return re.split(r"\$\d", self.form), [int(d) for d in re.findall(r"\$(\d)", self.form)]

  def code_for(self, instance):
    return self.code if isinstance(self.code, str) else self.code[instance["a"]]


def parse_type(text):
  """The type that NESL text like "[(int, [a])]" denotes."""
  tokens = re.findall(r"\w+|[\[\](),]", text)

  def tight():
    t = tokens.pop(0)
    if t == "[":
      inner = loose()
      assert tokens.pop(0) == "]"
      return ("seq", inner)
    if t == "(":
      inner = loose()
      assert tokens.pop(0) == ")"
      return inner
    return ("var", t, "any") if t in ("a", "b") else t

  def loose():
    first = tight()
    if tokens and tokens[0] == ",":
      tokens.pop(0)
      return ("pair", first, loose())
    return first

  return loose()


def row(form, operands, result, code, klass="any"):
  types = [parse_type(t) for t in operands.split()] if operands else []
  return Operation(form, tuple(types), parse_type(result.replace("_", " ")), code, klass)


def infix(name, operands, result, code, klass="any"):
  return row(f"($0 {name} $1)", operands, result, code, klass)


def call(name, operands, result, code, klass="any"):
  n = len(operands.split())
  return row(name + "(" + ", ".join(f"${i}" for i in range(n)) + ")", operands, result, code, klass)


def both(i, f):
  return {"int": i, "float": f}


def logic(i, b):
  return {"int": i, "bool": b}


def fold(kind, name):
  """{kind of fold}_{operation} of each type."""
  return {t: f"{kind}_{t}_{name}({{0}})" for t in ("int", "float", "bool")}
