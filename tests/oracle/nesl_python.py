"""NESL programs as Python functions: the evaluator. Each function is translated for each combination of types."""

from nesl_meaning import Fault, TooMuch
from nesl_names import Meaning
from nesl_tree import substitute


class Translator:
  """Writes the Python of one program."""

  def __init__(self, program):
    self.program = program
    self.functions = {f.name: f for f in program.functions if f.body}
    self.done = {}
    self.out = []
    self.names = 0

  def text(self):
    main = Body(self, {})
    main.run("main", [], self.program.body)
    return "\n".join(self.out)

  def fresh(self, stem="t"):
    self.names += 1
    return f"{stem}{self.names}"

  def function(self, name, instance):
    """The Python name of a function for these types."""
    if name not in self.functions:
      return "nesl_" + name
    key = (name, tuple(sorted(instance.items())))
    if key not in self.done:
      self.done[key] = self.fresh(name + "_")
      f = self.functions[name]
      Body(self, instance).run(self.done[key], [p for p, _ in f.parameters], f.body, f.default)
    return self.done[key]


def pattern(p):
  if isinstance(p, str):
    return "_" if p == "_" else "v_" + p
  if p[0] == "record":
    return pattern(p[2])
  return "(" + pattern(p[1]) + ", " + pattern(p[2]) + ")"


class Body:
  """The statements of one Python function."""

  def __init__(self, translator, instance):
    self.translator, self.instance = translator, instance
    self.lines, self.indent = [], 1

  def run(self, name, parameters, body, default=None):
    names = [pattern(p) if isinstance(p, str) else self.translator.fresh() for p in parameters]
    for n, p in zip(names, parameters):
      if not isinstance(p, str):
        self.add(f"{pattern(p)} = {n}")
    if default:
      names[-1] += "=" + self.value(default)
    result = self.value(body)
    head = f"def {name}(" + ", ".join(names) + "):"
    self.translator.out.append("\n".join([head, " tick(1)"] + self.lines + [f" return {result}"]))

  def add(self, line):
    self.lines.append(" " * self.indent + line)

  def named(self, expression):
    name = self.translator.fresh()
    self.add(f"{name} = {expression}")
    return name

  def value(self, node):
    return getattr(self, "_" + node.kind)(node)

  def _const(self, n):
    return f"float('{n.data!r}')" if n.type == "float" and (n.data - n.data != 0.0) else f"({n.data!r})"

  def _var(self, n):
    return "v_" + n.data

  def _empty(self, _):
    return "[]"

  def _list(self, n):
    return "[" + ", ".join(self.value(k) for k in n.kids) + "]"

  def _pair(self, n):
    return "(" + ", ".join(self.value(k) for k in n.kids) + ")"

  def _record(self, n):
    values = [self.value(k) for k in n.kids]
    out = values.pop()
    while values:
      out = f"({values.pop()}, {out})"
    return out

  def _op(self, n):
    operation, instance = n.data
    args = [self.value(k) for k in n.kids]
    instance = {v: substitute(t, self.instance) for v, t in instance.items()}
    code = operation.code_for(instance)
    for i, arg in enumerate(args):
      if code.count("{%d}" % i) > 1 and not arg.isidentifier():
        args[i] = self.named(arg)
    return self.named(code.replace("type_a", repr(instance.get("a"))).format(*args, line=n.line))

  def _if(self, n):
    result = self.translator.fresh()
    self.add(f"if {self.value(n.kids[0])}:")
    for i, kid in enumerate(n.kids[1:]):
      if i:
        self.add("else:")
      self.indent += 1
      self.add(f"{result} = {self.value(kid)}")
      self.indent -= 1
    return result

  def _let(self, n):
    for p, kid in zip(n.data, n.kids):
      self.add(f"{pattern(p)} = {self.value(kid)}")
    return self.value(n.kids[-1])

  def _each(self, n):
    patterns, has_sieve = n.data
    sources = [self.named(self.value(k)) for k in n.kids[1:1 + len(patterns)]]
    for s in sources[1:]:
      self.add(f"if len({s}) != len({sources[0]}): fail('Length mismatch in an apply-to-each', {n.line})")
    self.add(f"tick(len({sources[0]}))")
    result, instance = self.named("[]"), self.translator.fresh("e")
    values = [self.translator.fresh() for _ in patterns]
    self.add(f"def {instance}({', '.join(values)}):")
    self.indent += 1
    for p, v in zip(patterns, values):
      self.add(f"{pattern(p)} = {v}")
    if has_sieve:
      self.add(f"if not {self.value(n.kids[-1])}: return")
    self.add(f"{result}.append({self.value(n.kids[0])})")
    self.indent -= 1
    self.add(f"for {', '.join(values)}{',' if len(patterns) == 1 else ''} in zip({', '.join(sources)}): {instance}({', '.join(values)})")
    return result

  _serial = _each

  def _call(self, n):
    name, instance, _ = n.data
    instance = {v: substitute(t, self.instance) for v, t in instance.items()}
    args = [self.value(k) for k in n.kids]
    return self.named(f"{self.translator.function(name, instance)}({', '.join(args)})")

  def _curried(self, n):
    name, instance = n.data
    first, second = [self.value(k) for k in n.kids]
    return self.named(f"{self.translator.function(name, instance)}({first})({second})")

  def _copied(self, n):
    return self.value(n.kids[0])

  def _lambda(self, n):
    name = self.translator.fresh("g")
    self.add(f"def {name}({', '.join('v_' + p for p in n.data)}):")
    self.indent += 1
    self.add(f"return {self.value(n.kids[0])}")
    self.indent -= 1
    return name

  def _apply(self, n):
    return self.named(f"v_{n.data}({', '.join(self.value(k) for k in n.kids)})")


def fail(kind, line):
  raise Fault(kind, line)


class Evaluator:
  """What programs give, with INT of `bits` bits. `changes` replaces names of the meaning, for mutants."""

  def __init__(self, bits, changes=None):
    self.meaning = Meaning(bits)
    self.names = dict(self.meaning.names, fail=fail, **(changes or {}))

  def run(self, program):
    """The value; raises Fault, Undefined or TooMuch."""
    names = dict(self.names)
    exec(compile(Translator(program).text(), "program", "exec"), names)
    self.meaning.reset()
    try:
      return names["main"]()
    except (OverflowError, MemoryError) as e:
      raise TooMuch from e
