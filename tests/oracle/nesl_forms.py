"""Operations by their form, those that only the generators use, and how types fit."""

from nesl_library import OPERATIONS
from nesl_rows import Operation, parse_type
from nesl_tree import contains

CLASSES = {
    "any": lambda t: True,
    "number": lambda t: t in ("int", "float"),
    "ordinal": lambda t: t in ("int", "float"),  # what ordered has not
    "logical": lambda t: t in ("int", "bool"),
    "ordered": lambda t: not has_variable(t) and t not in ("int", "float"),
    "sortable": lambda t: not has_variable(t),
    "printable": lambda t: not has_variable(t) and not contains(t, "float"),
}

def has_variable(t):
  return not isinstance(t, str) and (t[0] == "var" or any(has_variable(x) for x in t[1:] if not (t[0] == "record" and x is t[1])))


def unify(shape, t, instance):
  """Extends `instance` so that `shape` becomes `t`; whether that is possible."""
  if isinstance(shape, str):
    return shape == t
  if shape[0] == "var":
    if shape[1] in instance:
      return instance[shape[1]] == t
    instance[shape[1]] = t
    return True
  if isinstance(t, str) or t[0] != shape[0] or shape[0] == "record":
    return shape == t
  return all(unify(s, x, instance) for s, x in zip(shape[1:], t[1:]))


def mentions(t, v):
  return not isinstance(t, str) and (t[1] == v if t[0] == "var" else any(mentions(x, v) for x in t[1:]))


def reachable(t, available):
  """Whether the variables of `t` occur in a type of the environment."""
  return has_variable(available)


def find(form):
  return next(o for o in OPERATIONS if o.form == form)


def special(form, operands, result, code):
  return Operation(form, tuple(parse_type(t) for t in operands.split()), parse_type(result), code)


BY_FORM = {}
for _op in OPERATIONS:
  BY_FORM.setdefault(_op.form, []).append(_op)

LESS = find("($0 < $1)")
MINUS = find("($0 - $1)")
PLUS_FLOAT = find("($0 + $1)")
TO_FLOAT = find("float($0)")
LENGTH = find("#$0")
REVERSE = find("reverse($0)")
HALVES = find("bottop($0)")
MIDDLE_GROUPS = special("group_by($0, 40)", "[a]", "[[a]]", "group_by({0}, 40)")
FEW = special("mod($0, 5)", "int", "int", "({0} % 5)")
MANY = special("mod($0, 30)", "int", "int", "({0} % 30)")
INDEX_OF = special("[0 : #$0]", "[a]", "[int]", "list(range(len({0})))")
BIG_INDEX = special("[0 : $0]", "int", "[int]", "list(range({0}))")
AROUND_FIRST = special("(let o_v = $0; o_p = o_v[0] in [{o_x in o_v | o_x < o_p}, {o_x in o_v | o_x > o_p}])", "[a]", "[[a]]",
                       "[[x for x in {0} if x < {0}[0]], [x for x in {0} if x > {0}[0]]]")
GIANT = special("(let o_v = $0 in partition(o_v, [0, 0, #o_v - 1, 0, 1, 0]))", "[a]", "[[a]]", "[[], [], {0}[:-1], [], {0}[-1:], []]")
SMALL_GROUPS = special("group_by($0, 3)", "[a]", "[[a]]", "group_by({0}, 3)")
EMPTY_AND_ONE = special("(let o_v = $0 in partition(o_v, {mod(o_i, 2) : o_i in [0 : 2 * #o_v]}))", "[a]", "[[a]]",
                        "[p for x in {0} for p in ([], [x])]")
for _form in ("take(o_v, 0)", "{o_x in o_v | f}"):
  BY_FORM[_form] = [special("(let o_v = $0 in " + _form + ")", "[a]", "[a]", "{0}[:0]")]
BY_FORM[INDEX_OF.form] = [INDEX_OF]
BY_FORM[BIG_INDEX.form] = [BIG_INDEX]
