"""Makes a program that shows a difference small, as long as it shows one."""

import re

from nesl_python import Evaluator
from nesl_run import Case, expect, run_fault, run_values
from nesl_tree import SCALARS, Function, Node, Program

MOST_RUNS = 400


def shrink(difference, nvm, bits, evaluator=None):
  """The difference of the smallest program found."""
  evaluator = evaluator or Evaluator(bits)
  best, runs = difference, 0
  improved = True
  while improved and runs < MOST_RUNS:
    improved = False
    for program in smaller(best.case.program):
      runs += 1
      if runs >= MOST_RUNS:
        break
      d = differs(program, best, nvm, bits, evaluator)
      if d:
        best, improved = d, True
        break
  return best


def differs(program, d, nvm, bits, evaluator):
  case = Case(d.case.seed, program, ulps=d.case.ulps)
  try:
    if not expect(case, evaluator, bits):
      return None
  except Exception:  # the smaller program makes no sense
    return None
  if (case.fault is None) != (d.case.fault is None):
    return None
  if case.fault is not None:
    new = run_fault(nvm, d.mode, bits, case)
  else:
    found = run_values(nvm, d.mode, bits, [case], timeout=20)
    new = found[0] if found else None
  if new is None or sort_of(new.got) != sort_of(d.got):
    return None
  return new


def sort_of(got):
  """A difference must not turn into one of another sort: a wrong value, an error, a refusal."""
  if not got.startswith("status"):
    return "value"
  message = re.search(r"(?:error|ERROR): ([^(\d:]*)", got)
  return got.split()[1] + (message.group(1)[:40] if message else "")


def smaller(program):
  """Programs with one thing less, the greatest steps first."""
  used = {n.data[0] for root in [program.body] + [f.body for f in program.functions if f.body] for n in walk(root) if n.kind in ("call", "curried")}
  if any(f.name not in used for f in program.functions):
    yield with_body(program, program.body, [f for f in program.functions if f.name in used])
  if program.forms:
    yield Program(program.body, program.functions, program.records, program.planted)
  for node in [n for n in walk(program.body) if n is not program.body]:
    if node.kind not in ("lambda", "copied") and node.type:
      yield with_body(program, node, program.functions)
  for body in changes(program.body):
    yield with_body(program, body, program.functions)
  for i, f in enumerate(program.functions):
    for body in changes(f.body) if f.body else ():
      g = Function(f.name, f.parameters, f.result, body, f.signature, f.default)
      yield with_body(program, program.body, program.functions[:i] + [g] + program.functions[i + 1:])


def with_body(program, body, functions):
  return Program(body, functions, program.records, program.planted, program.forms)


def walk(node):
  yield node
  for k in node.kids:
    yield from walk(k)


def changes(node):
  """The expression with one change, near the root first."""
  for new in here(node):
    yield new
  for i, k in enumerate(node.kids):
    for new in changes(k):
      copy = Node(node.kind, node.type, node.kids, node.data, node.big)
      copy.kids[i] = new
      yield copy


def here(node):
  if node.kind in ("lambda", "copied") or node.type is None:
    return
  value = least(node.type)
  if node.kind not in ("const", "empty", "var", "lambda") and value is not None:
    yield value
  for k in walk(node):
    if k is not node and k.type == node.type and k.kind not in ("lambda", "copied"):
      yield k
  if node.kind == "list" and len(node.kids) > 1:
    yield Node("list", node.type, node.kids[:len(node.kids) // 2], big=node.big)
    yield Node("list", node.type, node.kids[1:], big=node.big)
  if node.kind == "let":
    for i in range(len(node.data)):
      if len(node.data) == 1:
        yield node.kids[-1]
      else:
        yield Node("let", node.type, node.kids[:i] + node.kids[i + 1:], node.data[:i] + node.data[i + 1:], node.big)
  if node.kind == "serial":
    yield Node("each", node.type, node.kids, node.data, node.big)
  if node.kind == "each":
    patterns, has_sieve = node.data
    if has_sieve:
      yield Node("each", node.type, node.kids[:-1], (patterns, False), node.big)
    for i in range(len(patterns)):
      if len(patterns) > 1:
        yield Node("each", node.type, node.kids[:1 + i] + node.kids[2 + i:], (patterns[:i] + patterns[i + 1:], has_sieve), node.big)
  if node.kind == "const" and node.type == "int" and abs(node.data) > 1:
    for n in (0, 1, node.data // 2, node.data - 1):
      if n != node.data and n < node.data:
        yield Node("const", "int", data=n)
  if node.kind == "const" and node.type == "float" and node.data not in (0.0, 1.0, 1.5):
    yield Node("const", "float", data=1.5)
  if node.kind == "const" and node.type not in SCALARS and node.data:
    yield Node("const", node.type, data=node.data[1:])


def least(t):
  if t in SCALARS:
    return Node("const", t, data={"int": 0, "float": 1.0, "bool": True, "char": 97}[t])
  if t[0] == "seq":
    return None if has_variable(t) else Node("empty", t)
  if t[0] == "pair":
    kids = [least(x) for x in t[1:]]
    return None if None in kids else Node("pair", t, kids)
  if t[0] == "record":
    kid = least(t[2])
    return None if kid is None else Node("record", t, [kid])
  return None


def has_variable(t):
  return not isinstance(t, str) and (t[0] == "var" or any(has_variable(x) for x in t[1:] if not isinstance(x, str) or t[0] != "record"))
