"""Operands of VCODE instructions: vectors, descriptors and indices that fit what is on the stack."""

WORDS = {"I": "INT", "F": "FLOAT", "B": "BOOL"}


class Operands:
  """A block under construction: its code and the stack behind it."""

  def __init__(self, generator, stack):
    self.g, self.rng, self.machine = generator, generator.rng, generator.machine
    self.code, self.stack = [], stack

  def do(self, *instruction):
    self.machine.left = 20_000
    self.machine.step(instruction, self.stack)
    self.code.append(instruction)

  # ---------------------------------------------------------------- operands: each pushes one entry

  def push(self, depth):
    self.do("COPY", 1, depth)

  def depths(self, test):
    """Depths of the entries that `test` holds for."""
    return [d for d, v in enumerate(reversed(self.stack)) if test(v)]

  def constant(self, kind, elements):
    self.do("CONST", WORDS.get(kind, "SEGDES"), elements)

  def draw(self, kind, n):
    return [self.g.scalar(kind) for _ in range(n)]

  def vector(self, kind=None):
    """Any vector, of the kind."""
    rng = self.rng
    have = self.depths(lambda v: v[0] in "IFB" and (kind is None or v[0] == kind))
    if have and rng.random() < 0.75:
      return self.push(rng.choice(have))
    kind = kind or rng.choice("IIFFB")
    n = rng.choice([0, 1, 1, 2, 3, 5, 8, 17, 32, 33, 40])
    if self.g.big and rng.random() < 0.6:
      return self.long(kind)
    self.constant(kind, self.draw(kind, n))

  def long(self, kind):
    rng = self.rng
    n = rng.choice([2048, 4095, 4096, 4097, 5000, 8193])
    if kind == "I" or rng.random() < 0.7:
      self.constant("I", [rng.randrange(-5, 5)])
      self.constant("I", [rng.choice([0, 1, 3, -7, 7919, 1 << 30])])
      self.constant("S", [n])
      self.do("INDEX", None)
      if kind != "I" or rng.random() < 0.5:
        self.of_length(n, "I", [rng.choice([7, 101, 1000])])
        self.do("%", None)
      if kind == "F":
        self.do("I_TO_F", None)
        self.of_length(n, "F", [rng.choice([0.1, 1 / 3, 1e100, -0.7])])
        self.do("*", "FLOAT")
      if kind == "B":
        self.do("I_TO_B", None)
    else:
      self.of_length(n, kind, self.draw(kind, 1))

  def of_length(self, n, kind, value=None):
    """A vector of n elements."""
    rng = self.rng
    have = self.depths(lambda v: v[0] == kind and len(v[1]) == n)
    if value is None and have and rng.random() < 0.8:
      return self.push(rng.choice(have))
    if n <= 40 and value is None:
      return self.constant(kind, self.draw(kind, n))
    self.constant(kind, value or self.draw(kind, 1))
    if rng.random() < 0.5:
      self.constant("S", [n])
    else:
      self.constant("I", [n])
      self.do("MAKE_SEGDES", None)
    self.do("DIST", WORDS[kind])

  def segdes(self, n, segments=None):
    """A descriptor with the total n."""
    rng = self.rng
    have = self.depths(lambda v: v[0] == "S" and sum(v[1]) == n and segments in (None, len(v[1])))
    if have and rng.random() < 0.8:
      return self.push(rng.choice(have))
    lengths = self.lengths(n, segments)
    self.constant("S", lengths)

  def lengths(self, n, segments):
    rng = self.rng
    if segments is None:
      shape = rng.random()
      if n == 0 and shape < 0.3:
        return []
      if shape < 0.3:
        return [n]
      if shape < 0.45 and n <= 64:
        return [1] * n if n else [0]
      if shape < 0.6:
        return [0] * rng.randrange(3) + [n] + [0] * rng.randrange(3)
      segments = rng.randrange(1, 9)
    if segments == 0:
      return []
    cuts = sorted(rng.choice([0, n, rng.randrange(n + 1)]) for _ in range(segments - 1))
    return [b - a for a, b in zip([0] + cuts, cuts + [n])]

  def any_segdes(self, segments, most=60):
    rng = self.rng
    have = self.depths(lambda v: v[0] == "S" and len(v[1]) == segments)
    if have and rng.random() < 0.7:
      return self.push(rng.choice(have))
    self.constant("S", self.lengths(rng.randrange(most), segments))

  def indices(self, bounds):
    """Indices below the bounds, one each; a bound of 0 is not looked at."""
    rng = self.rng
    n = len(bounds)
    if n <= 64:
      return self.constant("I", [rng.choice([0, b - 1, rng.randrange(b)]) if b > 0 else rng.randrange(-3, 9) for b in bounds])
    least = min(b for b in bounds)
    self.of_length(n, "I", [rng.choice([0, least - 1, rng.randrange(least)])])
