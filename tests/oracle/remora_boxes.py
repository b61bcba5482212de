"""Boxes in random programs: what is in them has a leading axis of any length, and what is said of it is found by opening them."""

from remora_arrays import ASSOCIATIVE, at_items, joined, lifted, states, type_of
from remora_meaning import Array, Failure, count, scalar

LIMIT = 300  # atoms of an array


class Made:
    """A text, its shape and type of atoms, and what gives its value where names mean arrays."""

    def __init__(self, text, shape, atom, value):
        self.text, self.shape, self.atom, self.value = text, tuple(shape), atom, value


class Boxes:
    """Of a generator, which has `rng`, `fresh`, `make`, `literal` and `beginning`."""

    def unboxed(self, shape, atom, depth, names):
        frame = self.beginning(shape)
        cell, kind = shape[len(frame):], atom
        boxes, inner = self.boxes(frame, cell, kind, depth, names)
        x, n = self.fresh(), self.fresh()
        text, f = self.of_box(x, cell, atom)
        return Made(f"(unbox {boxes} ({x} {n}) {text})", shape, atom,
                    lambda env: joined(shape, [f(content) for content in inner(env)]))

    def of_box(self, x, cell, atom):
        """Of its content: items of shape `cell`, any number of them."""
        op, f = self.rng.choice(ASSOCIATIVE[atom])
        zero = self.literal((), atom)
        start = Array(cell, zero.value({}).atoms * count(cell))
        way = self.rng.randint(0, 4)
        if way == 0 and not cell and atom == "int":
            return f"(length {x})", lambda v: scalar(v.shape[0])
        if way == 1:
            return (f"(reduce/zero {op} {zero.text} (reverse {x}))", lambda v: states(f, [start] + v.items()[::-1])[-1])
        if way == 2:
            return (f"(reduce/zero {op} {zero.text} (append {x} (rotate {x} 1)))",
                    lambda v: states(f, [start] + v.items() + v.items()[1:] + v.items()[:1])[-1])
        if way == 3:
            return (f"(reduce/zero {op} {zero.text} (scan/zero {op} {zero.text} {x}))",
                    lambda v: states(f, [start] + states(f, [start] + v.items())[1:])[-1])
        if way == 4 and cell == ():
            y, m = self.fresh(), self.fresh()
            return (f"(unbox (take* {x} (/ (length {x}) 2)) ({y} {m}) (reduce/zero {op} {zero.text} {y}))",
                    lambda v: states(f, [start] + v.items()[:v.shape[0] // 2])[-1])
        return f"(reduce/zero {op} {zero.text} {x})", lambda v: states(f, [start] + v.items())[-1]

    def boxes(self, frame, cell, atom, depth, names):
        """A frame of boxes: the text, and a function to the list of what is in them."""
        n = self.rng.choice([0, 1, 2, 3, 5, 9])
        if count(frame + (n,) + cell) > LIMIT:
            n = 1
        way = self.rng.randint(0, 4)
        if way == 0:  # lanes of rows, filtered
            x, m = self.fresh(), self.fresh()
            values = self.make(frame + (n,) + cell, atom, depth, names)
            flags = self.make(self.beginning(frame) + (n,), "bool", depth, names)
            text = f"((fn ([{x} {type_of((n,) + cell, atom)}] [{m} {type_of((n,), 'bool')}]) (filter {x} {m})) {values.text} {flags.text})"
            return text, lambda env: self.contents(lambda v, k: at_items(v, [i for i, b in enumerate(k.atoms) if b]),
                                                   [values.value(env), flags.value(env)], [1 + len(cell), 1])
        values = self.make((n,) + cell, atom, depth, names)
        if way == 1:
            flags = self.make(frame + (n,), "bool", depth, names)
            return f"(filter {values.text} {flags.text})", lambda env: self.contents(
                lambda v, k: at_items(v, [i for i, b in enumerate(k.atoms) if b]), [values.value(env), flags.value(env)], [None, 1])
        if way == 2:
            counts = self.make(frame + (n,), "int", depth, names)
            return f"(replicate* {values.text} (mod {counts.text} 3))", lambda env: self.contents(
                lambda v, k: at_items(v, [i for i, c in enumerate(k.atoms) for _ in range(c % 3)]),
                [values.value(env), counts.value(env)], [None, 1])
        name = self.rng.choice(["take*", "drop*"])
        much = self.make(frame, "int", depth, names)
        bounded = f"(mod {much.text} {n + 1})" if self.rng.random() < 0.9 else much.text

        def some(v, k):
            k = k.atoms[0] % (n + 1) if bounded != much.text else k.atoms[0]
            if not 0 <= k <= n:
                raise Failure("bounds")
            return at_items(v, range(k) if name == "take*" else range(k, n))
        return f"({name} {values.text} {bounded})", lambda env: self.contents(some, [values.value(env), much.value(env)], [None, 0])

    @staticmethod
    def contents(f, arguments, ranks):
        out = []

        def collected(*cells):
            out.append(f(*cells))
            return scalar(0)
        lifted(collected, arguments, ranks, ())
        return out
