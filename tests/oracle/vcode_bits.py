"""A VCODE function that makes three Int vectors of a Float vector, which tell all bits: see arithmetic.exact."""


def float_text(x):
  t = repr(x)
  if "e" in t and "." not in t:
    t = t.replace("e", ".0e")
  return t


class Assembler:
  """Writes the function, with names for the entries of the stack; new entries hide older ones of the same name."""

  def __init__(self, entry):
    self.out, self.names = [], [entry]

  def push(self, name):
    self.out.append(f"COPY 1 {self.names[::-1].index(name)}")
    self.names.append("")

  def const(self, type_word, value, name=""):
    """As long as the operand."""
    self.out.append(f"CONST {type_word} {value}")
    self.names.append("")
    self.push("s")
    self.out.append(f"DIST {type_word}")
    self.names.pop()
    self.names[-1] = name

  def operand(self, what):
    """A name, or (type word, constant)."""
    self.push(what) if isinstance(what, str) else self.const(*what)

  def do(self, words, *operands, name=""):
    """An instruction on operands, of which None stand on the stack already, deepest."""
    for what in operands:
      if what is not None:
        self.operand(what)
    self.out.append(words)
    del self.names[len(self.names) - len(operands):]
    self.names.append(name)


def flags(a):
  """Which elements are negative, infinite, zero, and plain numbers; and absolute values."""
  a.do("< FLOAT", "x", ("FLOAT", "0.0"), name="below")
  a.do("/ FLOAT", ("FLOAT", "1.0"), "x")
  a.do("< FLOAT", None, ("FLOAT", "0.0"), name="behind")
  a.do("OR BOOL", "below", "behind", name="negative")
  a.do("- FLOAT", ("FLOAT", "0.0"), "x", name="minus")
  a.do("SELECT FLOAT", "below", "minus", "x", name="abs")
  a.do("> FLOAT", "abs", ("FLOAT", "1.7976931348623157e308"), name="infinite")
  a.do("= FLOAT", "x", ("FLOAT", "0.0"), name="zero")
  a.do("> FLOAT", "abs", ("FLOAT", "0.0"), name="positive")
  a.do("NOT BOOL", "infinite", name="finite")
  a.do("AND BOOL", "positive", "finite", name="plain")


def step(a, word, bound, factor, k):
  """Where the bound is passed: `a` by the factor, `e` by k."""
  a.do(f"{word} FLOAT", "a", ("FLOAT", float_text(bound)), name="c")
  a.do("* FLOAT", "a", ("FLOAT", float_text(factor)), name="scaled")
  a.do("SELECT FLOAT", "c", "scaled", "a", name="a")
  a.do("SELECT INT", "c", ("INT", k), ("INT", 0), name="k")
  a.do("+ INT", "e", "k", name="e")


def digits(a, source, name):
  """The next 26 bits of `source`, and the rest."""
  a.do("* FLOAT", source, ("FLOAT", "67108864.0"), name="scaled")
  a.do("TRUNC", "scaled", name=name)
  a.do("I_TO_F", name, name="whole")
  a.do("- FLOAT", "scaled", "whole", name="rest")


def bits_function():
  a = Assembler("x")
  a.do("LENGTH FLOAT", "x", name="n")
  a.do("MAKE_SEGDES", "n", name="s")
  flags(a)
  a.do("SELECT FLOAT", "plain", "abs", ("FLOAT", "1.0"), name="a")
  a.const("INT", 0, "e")
  for k in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
    step(a, ">=", 2.0**k, 2.0**-k, k)
  for k in (512, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1):
    step(a, "<", 2.0**(1 - k), 2.0**k, -k)
  digits(a, "a", "high")
  digits(a, "rest", "low")
  a.do("B_TO_I", "negative", name="one")
  a.do("* INT", "one", ("INT", 10000), name="sign")
  for code, name in ((3000, "for zero"), (4000, "for infinity")):
    a.do("+ INT", "sign", ("INT", code), name=name)
  a.do("+ INT", "e", "sign", name="exponent")
  a.do("SELECT INT", "zero", "for zero", ("INT", 5000), name="other")
  a.do("SELECT INT", "infinite", "for infinity", "other", name="other")
  a.do("SELECT INT", "plain", "exponent", "other", name="r1")
  a.do("SELECT INT", "plain", "high", ("INT", 0), name="r2")
  a.do("SELECT INT", "plain", "low", ("INT", 0), name="r3")
  return "FUNC BITS\n" + "\n".join(a.out) + f"\nPOP {len(a.names) - 3} 3\nRET\n"


BITS = bits_function()
