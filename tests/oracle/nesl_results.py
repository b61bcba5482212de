"""Results of NESL programs with every bit: floats are shown as three integers, characters as codes."""

from nesl_tree import constructor, contains
from arithmetic import exact


def _ladders():
  """NESL that brings o_a into [1, 2) by exact multiplications, and counts them in o_e."""
  lines = []
  for k in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
    big, small = (repr(2.0**k), repr(2.0**-k))
    lines.append(f"o_c = o_a >= {_float(big)}; o_a = select(o_c, o_a * {_float(small)}, o_a); o_e = o_e + select(o_c, {k}, 0);")
  for k in (512, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
    big, least = repr(2.0**k), repr(2.0**(1 - k))
    lines.append(f"o_c = o_a < {_float(least)}; o_a = select(o_c, o_a * {_float(big)}, o_a); o_e = o_e - select(o_c, {k}, 0);")
  return "\n".join(lines)


def _float(text):
  return text.replace("e+", "e") if "." in text else text.replace("e+", "e").replace("e", ".0e")


BITS = f"""function o_bits(o_x) : float -> (int, int, int) =
let o_n = o_x < 0.0 or div_internal(1.0, o_x) < 0.0;
o_b = select(o_x < 0.0, 0.0 - o_x, o_x);
o_i = o_b > 1.7976931348623157e308;
o_z = o_x == 0.0;
o_a = select(o_b > 0.0 and not(o_i), o_b, 1.0);
o_e = 0;
{_ladders()}
o_h = trunc(o_a * 67108864.0);
o_l = trunc((o_a * 67108864.0 - float(o_h)) * 67108864.0);
o_s = select(o_n, 10000, 0);
o_plain = o_x == o_x and not(o_i or o_z)
in (select(o_plain, o_e + o_s, select(o_i, 4000 + o_s, select(o_z, 3000 + o_s, 5000))),
select(o_plain, o_h, 0), select(o_plain, o_l, 0)) $
"""


def plain(t):
  return not contains(t, "float") and not contains(t, "char")


def shown(t, e, level=0):
  """NESL for the value of the expression `e` with integers in place of floats and characters."""
  if t == "float":
    return f"o_bits({e})"
  if t == "char":
    return f"char_code({e})"
  if isinstance(t, str):
    return e
  if t[0] == "record":
    return f"(let {constructor(t[1])}(o_r{level}) = {e} in {shown(t[2], f'o_r{level}', level + 1)})"
  if plain(t) and not has_record(t):
    return e
  if t[0] == "seq":
    return "{" + shown(t[1], f"o_x{level}", level + 1) + f" : o_x{level} in {e}" + "}"
  a, b = f"o_p{level}", f"o_q{level}"
  return f"(let ({a}, {b}) = {e} in ({shown(t[1], a, level + 1)}, {shown(t[2], b, level + 1)}))"


def has_record(t):
  return not isinstance(t, str) and (t[0] == "record" or any(has_record(x) for x in t[1:]))


def printed(x, t):
  """The value as nvm prints it, shown, without blanks."""
  if t == "float":
    return "(%d,%d,%d)" % exact(x)
  if t in ("int", "char"):
    return str(x)
  if t == "bool":
    return "T" if x else "F"
  if t[0] == "record":
    return printed(x, t[2])
  if t[0] == "seq":
    if t[1] in ("int", "char"):
      return "[" + ",".join(map(str, x)) + "]"
    return "[" + ",".join([printed(y, t[1]) for y in x]) + "]"
  return "(" + components(x, t) + ")"


def components(x, t):
  rest = t[2]
  while not isinstance(rest, str) and rest[0] == "record":
    rest = rest[2]
  if rest == "float":
    right = printed(x[1], rest)[1:-1]
  else:
    right = components(x[1], rest) if not isinstance(rest, str) and rest[0] == "pair" else printed(x[1], rest)
  return printed(x[0], t[1]) + "," + right
