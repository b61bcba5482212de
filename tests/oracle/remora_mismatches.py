"""Programs in Remora with one mistake of shape or type inside of a random expression, and what must be said of it.

    mismatch(random) -> (text, kind, line, column)
"""

from remora_arrays import type_of
from remora_boxes import LIMIT
from remora_meaning import count
from remora_shapes import DEFINITIONS, Shapes


class Mismatches:
    def __init__(self, rng):
        self.rng, self.shapes = rng, Shapes(rng)

    def drawn(self):
        """A text, and the part of it that is wrong: kind, first character."""
        ways = [self.frames, self.cells, self.atoms, self.elements, self.branches, self.missing, self.number, self.items, self.nothing,
                self.taken, self.turned, self.opened]
        return self.rng.choice(ways)()

    def of(self, shape, atom="int"):
        return self.shapes.make(shape, atom, self.rng.randint(0, 2), []).text

    def shape(self, least=0):
        while True:
            shape = self.shapes.shape()
            if len(shape) >= least and count(shape) <= LIMIT:
                return shape

    def other(self, d):
        return d + self.rng.randint(1, 3)

    def frames(self):
        """Two frames, none of which begins with the other."""
        a = self.shape(1)
        k = self.rng.randrange(len(a))
        b = a[:k] + (self.other(a[k]),) + self.shapes.shape()[:1]
        first, second = f"({self.rng.choice(['+', '-', 'max'])} {self.of(a)} ", self.of(b)
        at = len(first) if len(b) <= len(a) else first.index(" ") + 1
        return f"{first}{second})", "frame", at

    def cells(self):
        a = self.shape(1)
        start = f"((fn ([x {type_of((self.other(a[-1]),), 'int')}]) (reverse x)) "
        return f"{start}{self.of(a)})", "cell-shape", len(start)

    def atoms(self):
        start = f"(+ {self.of(())} "
        return f"{start}{self.of(self.shape(), self.rng.choice(['bool', 'float', 'char']))})", "argument-type", len(start)

    def elements(self):
        a = self.shape(1)
        start = f"[{self.of(a)} "
        return f"{start}{self.of(a[:-1] + (self.other(a[-1]),))}]", "element-type", len(start)

    def branches(self):
        a = self.shape()
        start = f"(if {self.of((), 'bool')} {self.of(a)} "
        return f"{start}{self.of(a + (1,))})", "branches", len(start)

    def missing(self):
        return f"(max {self.of(self.shape())})", "arity", 0

    def number(self):
        a = self.of(self.shape()[:1])
        return f"(frame [2] {a} {a} {a})", "element-count", 0

    def items(self):
        a = self.shape(2)
        start = f"(append {self.of(a)} "
        return f"{start}{self.of(a[:-1] + (self.other(a[-1]),))})", "cell-shape", len(start)

    def nothing(self):
        start = f"({self.rng.choice(['reduce +', 'scan max', 'reduce (fn ([a int] [b int]) a)'])} "
        return f"{start}{self.of((0,) + self.shape()[:1])})", "cell-shape", len(start)

    def taken(self):
        d = self.rng.randint(0, 4)
        start = f"({self.rng.choice(['take', 'drop'])}{{ | {self.other(d)}}} "
        return f"{start}{self.of((d,) + self.shape()[:1])})", "cell-shape", len(start)

    def turned(self):
        start = "(transpose "
        return f"{start}{self.of(self.shape(1)[:1])})", "cell-shape", len(start)

    def opened(self):
        start = "(unbox "
        return f"{start}{self.of(self.shape())} (x n) 0)", "not-a-box", len(start)

    def program(self):
        text, kind, at = self.drawn()
        around = ["{}", "(let [u {}] 1)", "(define u {})", "((fn ([u int]) {}) [1 2])", "(define (u{{ | n}} [v [int n]]) (let [w {}] v))",
                  "[(length [1]) (let [u {}] 2)]"]
        before, after = self.rng.choice(around).format("\0").split("\0")
        lines = DEFINITIONS + [self.of(self.shape())]
        return "\n".join(lines + [before + text + after]) + "\n", kind, len(lines) + 1, len(before) + at + 1


def mismatch(rng):
    return Mismatches(rng).program()
