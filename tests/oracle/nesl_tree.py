"""Typed NESL programs as trees, and their text.

A type is "int", "float", "bool", "char", ("seq", T), ("pair", A, B), ("record", NAME, T) or ("var", NAME, CLASS);
a variable may also have ("function", (T, ...), RESULT). NAME is that of a type with its arguments: "rec1(int, [char])".
A pattern is a name, ("pair", P, Q) or ("record", NAME, P).
"""

from dataclasses import dataclass, field

SCALARS = ("int", "float", "bool", "char")


def seq(t):
  return ("seq", t)


def pair(a, b):
  return ("pair", a, b)


def type_text(t, inner=False):
  if isinstance(t, str):
    return t
  if t[0] == "seq":
    return "[" + type_text(t[1]) + "]"
  if t[0] == "record":
    return t[1]
  if t[0] == "var":
    return t[1]
  text = type_text(t[1], True) + ", " + type_text(t[2])
  return "(" + text + ")" if inner else text


def substitute(t, instance):
  """The type without the variables that `instance` has."""
  if isinstance(t, str):
    return t
  if t[0] == "var":
    return instance.get(t[1], t)
  if t[0] == "record":
    return ("record", t[1], substitute(t[2], instance))
  return (t[0],) + tuple(substitute(x, instance) for x in t[1:])


def depth(t):
  """Levels of nesting."""
  if isinstance(t, str) or t[0] == "var":
    return 0
  if t[0] == "seq":
    return 1 + depth(t[1])
  return max(depth(x) for x in t[1:] if not (t[0] == "record" and x is t[1]))


def contains(t, what):
  if t == what:
    return True
  return not isinstance(t, str) and t[0] != "var" and any(contains(x, what) for x in t[1:] if x != t[1] or t[0] != "record")


class Node:
  """An expression. kinds and their `data`:

    const value; var name; empty; list; pair
    op        Operation, applied to kids
    if        kids: condition, then, else
    let       [pattern]; kids: a value for each pattern, the body
    each      ([pattern], has_sieve); kids: body, sources, sieve if there is one. A pattern that is the name of its source is
              written once, and a body that is the first element not at all, for some names
    serial    the same, with a star
    record    kids: the components; the type has the name
    call      (function name, {type variable: type}, name of an optional argument, if it is given); kids: arguments, which may be lambdas
    curried   as call, of a function whose result is a lambda; kids: the argument of each
    lambda    [name]; kids: body; the type is that of the body
    copied    kids: a lambda, which is written as an element of a sequence of it
    apply     name of a variable that is a function; kids: arguments
  """

  __slots__ = ("kind", "type", "kids", "data", "big", "line")

  def __init__(self, kind, type_, kids=(), data=None, big=None):
    self.kind, self.type, self.kids, self.data = kind, type_, list(kids), data
    self.line = 0
    holds = not isinstance(type_, str)
    self.big = big if big is not None else holds and any(k.big for k in self.kids)

  def copy(self):
    n = Node(self.kind, self.type, [k.copy() for k in self.kids], self.data, self.big)
    return n


@dataclass
class Function:
  name: str
  parameters: list  # of (pattern, type), or (name, ("function", [types], result))
  result: object
  body: Node  # None: a declaration of what comes later
  signature: bool = False  # whether its text says its type
  default: Node = None  # of the last parameter


@dataclass
class Program:
  body: Node
  functions: list = field(default_factory=list)
  records: list = field(default_factory=list)  # record types
  forms: bool = False  # whether what the body binds first is bound at the top level
  planted: object = None  # the node that fails, of a program that is meant to

  @property
  def type(self):
    return self.body.type


def mentions_variable(t):
  return not isinstance(t, str) and (t[0] == "var" or any(mentions_variable(x) for x in t[1:] if t[0] != "record"))


def constructor(record):
  return record.split("(")[0]


def pattern_text(p):
  if isinstance(p, str):
    return p
  if p[0] == "record":
    return constructor(p[1]) + "(" + pattern_text(p[2]) + ")"
  return "(" + pattern_text(p[1]) + ", " + pattern_text(p[2]) + ")"


class Text:
  """Writes programs, and into every node the line it stands on."""

  def __init__(self, bits, first_line=1):
    self.bits = bits
    self.parts = []
    self.line = first_line

  def put(self, text):
    self.parts.append(text)
    self.line += text.count("\n")

  def text(self):
    return "".join(self.parts)

  def row(self, nodes):
    for i, n in enumerate(nodes):
      if i:
        self.put(", ")
      self.node(n)

  def node(self, n):
    n.line = self.line
    getattr(self, "_" + n.kind)(n)

  def _const(self, n):
    self.put(const_text(n.data, n.type, self.bits))

  def _var(self, n):
    self.put(n.data)

  def _empty(self, n):
    t = n.type[1]
    self.put("([] " + ("(" + type_text(t) + ")" if not isinstance(t, str) and t[0] == "pair" else type_text(t)) + ")")

  def _list(self, n):
    self.put("[")
    self.row(n.kids)
    self.put("]")

  def _pair(self, n):
    self.put("(")
    self.row(n.kids)
    self.put(")")

  def _op(self, n):
    pieces, operands = n.data[0].form_parts
    for piece, operand in zip(pieces, operands):
      self.put(piece)
      self.node(n.kids[operand])
    self.put(pieces[-1])

  def _if(self, n):
    for word, kid in zip(("(if ", " then ", " else "), n.kids):
      self.put(word)
      self.node(kid)
    self.put(")")

  def _let(self, n):
    self.put("(let ")
    for i, (p, value) in enumerate(zip(n.data, n.kids)):
      self.put((";\n " if i else "") + pattern_text(p) + " = ")
      self.node(value)
    self.put("\n in ")
    self.node(n.kids[-1])
    self.put(")")

  def _each(self, n, begin="{"):
    patterns, has_sieve = n.data
    self.put(begin)
    first = n.kids[0].kind == "var" and n.kids[0].data == patterns[0] and len(patterns[0]) % 2 == 0
    if not first:
      self.node(n.kids[0])
    for i, p in enumerate(patterns):
      self.put(("" if first else " : ") if i == 0 else "; ")
      if n.kids[1 + i].kind == "var" and n.kids[1 + i].data == p:
        self.put(p)
        continue
      self.put(pattern_text(p) + " in ")
      self.node(n.kids[1 + i])
    if has_sieve:
      self.put(" | ")
      self.node(n.kids[-1])
    self.put("}")

  def _serial(self, n):
    self._each(n, "{* ")

  def _record(self, n):
    self.put(constructor(n.type[1]) + "(")
    self.row(n.kids)
    self.put(")")

  def _call(self, n):
    name, _, optional = n.data
    self.put(name + "(")
    self.row(n.kids[:-1] if optional else n.kids)
    if optional:
      self.put(f", {optional} := ")
      self.node(n.kids[-1])
    self.put(")")

  def _curried(self, n):
    self.put(n.data[0])
    for k in n.kids:
      self.put("(")
      self.node(k)
      self.put(")")

  def _copied(self, n):
    self.put("dist(")
    self.node(n.kids[0])
    self.put(", 2)[1]")

  def _lambda(self, n):
    self.put("((" + ", ".join(n.data) + ") => " if len(n.data) > 1 else "(" + n.data[0] + " => ")
    self.node(n.kids[0])
    self.put(")")

  def _apply(self, n):
    self.put(n.data + "(")
    self.row(n.kids)
    self.put(")")

  def function(self, f):
    self.put("function " + f.name + "(" + ", ".join(pattern_text(p) for p, _ in f.parameters))
    if f.default:
      self.put(" := ")
      self.node(f.default)
    self.put(")")
    if f.signature:
      types = ", ".join(type_text(t, True) for _, t in f.parameters)
      result = type_text(f.result)
      self.put(" : (" + types + ") -> " + ("(" + result + ")" if "," in result else result))
      if any(mentions_variable(t) for _, t in f.parameters):
        self.put(" :: (a in any)")
    if f.body:
      self.put(" =\n ")
      self.node(f.body)
    self.put(" $\n")

  def program(self, program, name):
    """Definitions, and the value bound to `name`."""
    for r in program.records:
      plain = constructor(r[1]) == r[1]
      self.put("datatype " + (r[1] + " (" + type_text(r[2]) + ")" if plain else constructor(r[1]) + "(a, b) :: (a in any; b in any)") + " $\n")
    for f in program.functions:
      self.function(f)
    body = program.body
    while program.forms and body.kind == "let":
      for p, value in zip(body.data, body.kids):
        self.bind(pattern_text(p), value)
      body = body.kids[-1]
    self.bind(name, body)

  def bind(self, pattern, value):
    self.put(pattern + " =\n ")
    self.node(value)
    self.put(" $\n")


ESCAPES = {ord(c): "\\" + e for c, e in zip('\n\t\r\0"\\', 'ntr0"\\')}


def const_text(value, t, bits):
  if t == "int":
    if value == -(1 << (bits - 1)):
      return f"({value + 1} - 1)"
    return str(value) if value >= 0 else f"({value})"
  if t == "bool":
    return "t" if value else "f"
  if t == "char":
    return {9: "tab", 10: "newline", 13: "code_char(13)", 0: "code_char(0)"}.get(value, "`" + chr(value))
  if t == "float":
    return float_text(value)
  assert t == ("seq", "char")
  return '"' + "".join(ESCAPES.get(c, chr(c)) for c in value) + '"'


def float_text(x):
  if x != x:
    return "div_internal(0.0, 0.0)"
  if x in (float("inf"), float("-inf")):
    return f"div_internal({1.0 if x > 0 else '(-1.0)'}, 0.0)"
  text = repr(abs(x)).replace("e+", "e")
  if "e" in text and "." not in text:
    text = text.replace("e", ".0e")
  if str(x)[0] == "-":
    return f"(-1.0 * {text})"
  return text
