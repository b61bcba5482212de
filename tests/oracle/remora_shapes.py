"""Random programs in Remora about shapes: frames and axes of no items, cells of any rank, boxes, every type of atoms.

    Shapes(random).program() -> (text, ["[1 2 3] : [int 3]", ...] or the kind of a failure)

An expression is made together with what it means, so nothing has to be read again.
"""

from remora_arrays import (ASSOCIATIVE, PLAIN, at_items, block, dims, elementwise, joined, lifted, show, states,
                           transposed, type_of)
from remora_boxes import LIMIT, Boxes, Made
from remora_meaning import Array, Failure, count, quotient, scalar, scattered, wrap

LETTERS = "abcxyz"
DEFINITIONS = ["(define (both{t | m n @s} [x [t m @s]] [y [t n @s]]) (append (reverse x) y))",
               "(define (total{ | d} [v [int d]]) (reduce/zero + 0 v))",
               "(define (twice-less{ | d} [x [int d]] [y [int d]]) (- (* 2 x) y))"]


class Shapes(Boxes):
    def __init__(self, rng):
        self.rng, self.names = rng, 0

    def program(self):
        names, lines, values = [], list(DEFINITIONS), []
        for k in range(self.rng.randint(2, 5)):
            none = (0,) if self.rng.random() < 0.2 else ()
            made = (self.lambdas if none else self.make)(none + self.shape(), self.atom(), self.rng.randint(1, 4), names)
            if k < 2 and self.rng.random() < 0.5:
                name = self.fresh()
                lines.append(f"(define {name} {made.text})")
                names.append((name, made.shape, made.atom))
                values.append((name, made))
            else:
                lines.append(made.text)
                values.append((None, made))
        return "\n".join(lines) + "\n", self.results(values)

    @staticmethod
    def results(values):
        known, out = {}, []
        try:
            for name, made in values:
                value = made.value(known)
                assert value.shape == made.shape, (made.text, value.shape, made.shape)
                if name:
                    known[name] = value
                else:
                    out.append(f"{show(value, made.atom)} : {type_of(made.shape, made.atom)}")
        except Failure as failure:
            return str(failure)
        return out

    def fresh(self):
        self.names += 1
        return f"v{self.names}"

    def atom(self):
        return self.rng.choice(["int", "int", "int", "float", "bool", "char"])

    def dim(self):
        return self.rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 9])

    def shape(self):
        return tuple(self.dim() for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3])))

    def beginning(self, shape):
        return shape[:self.rng.randint(0, len(shape))]

    # ---- an expression of this type; names: (name, shape, atom)

    def make(self, shape, atom, depth, names):
        if depth <= 0 or count(shape) > LIMIT or self.rng.random() < 0.08:
            return self.leaf(shape, atom, names)
        ways = [self.plain, self.plain, self.lambdas, self.choice, self.let, self.reduction, self.fold, self.unboxed, self.record,
                self.repeated, self.indexed, self.generic]
        if atom == "int":
            ways += [self.measured, self.measured]
        if shape:
            ways += [self.moved, self.moved, self.moved, self.scan, self.stacked, self.reshaped, self.by_cells, self.scattered]
        return self.rng.choice(ways)(shape, atom, depth - 1, names)

    def leaf(self, shape, atom, names):
        fitting = [n for n, s, a in names if s == shape and a == atom]
        if fitting and self.rng.random() < 0.7:
            name = self.rng.choice(fitting)
            return Made(name, shape, atom, lambda env: env[name])
        if 0 in shape or (shape and self.rng.random() < 0.3):
            n = count(shape)
            if 0 in shape:
                return Made(f"(array {dims(shape)} {atom})", shape, atom, lambda env: Array(shape, []))
            if atom == "int":
                return Made(f"iota{{ | {dims(shape)}}}", shape, atom, lambda env: Array(shape, range(n)))
        return self.literal(shape, atom)

    def literal(self, shape, atom):
        draw = {"int": lambda: self.rng.choice([0, 1, 2, 3, -1, 5, -7]), "float": lambda: self.rng.choice([0.0, 0.5, -1.5, 2.0, 7.25]),
                "bool": lambda: self.rng.random() < 0.5, "char": lambda: self.rng.choice(LETTERS)}[atom]
        value = Array(shape, [draw() for _ in range(count(shape))])
        text = f"(array {dims(shape)} {' '.join(show(scalar(a), atom) for a in value.atoms)})" if shape else show(value, atom)
        return Made(text, shape, atom, lambda env: value)

    def call(self, text, parts, shape, atom, f):
        """A function of the values of `parts`, which the text names {0}, {1}, ..."""
        return Made(text.format(*[p.text for p in parts]), shape, atom, lambda env: f(*[p.value(env) for p in parts]))

    def plain(self, shape, atom, depth, names):
        text, f = self.rng.choice(PLAIN[atom])
        if atom == "bool" and self.rng.random() < 0.6:
            atom_of, (text, f) = self.rng.choice([("int", ("<", lambda a, b: a < b)), ("int", ("=", lambda a, b: a == b)),
                                                  ("float", ("<=.", lambda a, b: a <= b)), ("char", ("char<", lambda a, b: a < b))])
        elif atom == "int" and self.rng.random() < 0.15:
            atom_of, (text, f) = "int", ("/", quotient)
        else:
            atom_of = atom
        shapes = [shape, self.beginning(shape)]
        self.rng.shuffle(shapes)
        parts = [self.make(s, atom_of, depth, names) for s in shapes]
        return self.call(f"({text} {{0}} {{1}})", parts, shape, atom, lambda a, b: elementwise(f, a, b))

    def lambdas(self, shape, atom, depth, names):
        """Frames of every beginning, cells of any shape."""
        least = shape.index(0) + 1 if 0 in shape and self.rng.random() < 0.5 else 0
        split = self.rng.randint(least, len(shape))
        frame, cell = shape[:split], shape[split:]
        own, parts = [], []
        for k in range(self.rng.randint(1, 3)):
            inner, kind = (self.shape()[:2] if self.rng.random() < 0.6 else cell), self.rng.choice([atom, self.atom()])
            if count(frame + inner) > LIMIT:
                inner = ()
            own.append((self.fresh(), inner, kind))
            parts.append(self.make((frame if k == 0 else self.beginning(frame)) + inner, kind, depth, names))
        # Bodies of what lies outside, too, in particular where there is no cell.
        outside = self.rng.random() < (0.7 if 0 in frame else 0.1)
        body = self.make(cell, atom, depth + outside, names if outside else names + own)
        text = f"((fn ({' '.join(f'[{n} {type_of(s, a)}]' for n, s, a in own)}) {body.text}) {' '.join(p.text for p in parts)})"

        def value(env):
            def of_cells(*cells):
                return body.value({**env, **{n: c for (n, _, _), c in zip(own, cells)}})
            return lifted(of_cells, [p.value(env) for p in parts], [len(s) for _, s, _ in own], cell)
        return Made(text, shape, atom, value)

    def choice(self, shape, atom, depth, names):
        if self.rng.random() < 0.5:
            parts = [self.make(shape, "bool", depth, names)] + [self.make(self.beginning(shape), atom, depth, names) for _ in "ab"]
            return self.call("(select {0} {1} {2})", parts, shape, atom, lambda c, a, b: elementwise(lambda c, a, b: a if c else b, c, a, b))
        c, a, b = self.make((), "bool", depth, names), self.make(shape, atom, depth, names), self.make(shape, atom, depth, names)
        return Made(f"(if {c.text} {a.text} {b.text})", shape, atom, lambda env: (a if c.value(env).atoms[0] else b).value(env))

    def let(self, shape, atom, depth, names):
        name, own, kind = self.fresh(), self.shape(), self.atom()
        first = self.make(own, kind, depth, names)
        body = self.make(shape, atom, depth, names + [(name, own, kind)])
        return Made(f"(let [{name} {first.text}] {body.text})", shape, atom, lambda env: body.value({**env, name: first.value(env)}))

    # ---- the leading axis, items one with another

    def many(self, shape, least):
        return max(least, self.rng.choice([0, 1, 2, 3, 5, 7, 8, 9, 17]) if count(shape) < 10 else self.rng.choice([0, 1, 2, 3]))

    def reduction(self, shape, atom, depth, names):
        text, f = self.rng.choice(ASSOCIATIVE[atom])
        if self.rng.random() < 0.5:
            items = self.make((self.many(shape, 0),) + shape, atom, depth, names)
            zero = self.literal((), atom)
            return self.call(f"(reduce/zero {text} {{0}} {{1}})", [zero, items], shape, atom,
                             lambda z, x: states(f, [Array(shape, z.atoms * count(shape))] + x.items())[-1])
        items = self.make((self.many(shape, 1),) + shape, atom, depth, names)
        if shape == (2,) and atom == "int":
            return self.call("(reduce (fn ([f [int 2]] [g [int 2]]) [(* (item f 0) (item g 0)) (+ (* (item g 0) (item f 1)) (item g 1))]) {0})",
                             [items], shape, atom, lambda x: self.affine(x.items()))
        return self.call(f"(reduce {text} {{0}})", [items], shape, atom, lambda x: states(f, x.items())[-1])

    @staticmethod
    def affine(items):
        m, a = items[0].atoms
        for item in items[1:]:
            m, a = wrap(m * item.atoms[0]), wrap(item.atoms[0] * a + item.atoms[1])
        return Array((2,), [m, a])

    def scan(self, shape, atom, depth, names):
        text, f = self.rng.choice(ASSOCIATIVE[atom])
        n, rest = shape[0], shape[1:]
        ways = ["scan/zero", "exscan/zero"] + (["scan", "open-scan/zero"] if n > 0 else [])
        way = self.rng.choice(ways)
        items = self.make((n - (way == "open-scan/zero"),) + rest, atom, depth, names)
        if way == "scan":
            return self.call(f"(scan {text} {{0}})", [items], shape, atom, lambda x: joined(shape, states(f, x.items())))
        zero = self.literal((), atom)
        first, last = {"scan/zero": (1, n + 1), "exscan/zero": (0, n), "open-scan/zero": (0, n)}[way]
        return self.call(f"({way} {text} {{0}} {{1}})", [zero, items], shape, atom, lambda z, x: joined(
            shape, states(f, [Array(rest, z.atoms * count(rest))] + x.items())[first:last]))

    def fold(self, shape, atom, depth, names):
        x, y, kind, cell = self.fresh(), self.fresh(), self.atom(), self.shape()[:1]
        n = self.rng.choice([0, 1, 2, 3])
        start, items = self.make(shape, atom, depth, names), self.make((n,) + cell, kind, depth, names)
        body = self.make(shape, atom, depth - 1, names + [(x, shape, atom), (y, cell, kind)])
        right, traced = self.rng.random() < 0.4, bool(shape) and self.rng.random() < 0.3
        own = [f"[{x} {type_of(shape, atom)}]", f"[{y} {type_of(cell, kind)}]"]
        f = f"(fn ({' '.join(reversed(own) if right else own)}) {body.text})"

        def value(env):
            state, out = start.value(env), []
            for item in (list(reversed(items.value(env).items())) if right else items.value(env).items()):
                out.append(state)
                state = body.value({**env, x: state, y: item})
            out.append(state)
            return out[::-1] if right else out
        if traced:
            name = "trace-right" if right else "trace"
            pick = self.rng.randint(0, n)
            return Made(f"(item ({name} {f} {start.text} {items.text}) {pick})", shape, atom, lambda env: value(env)[pick])
        name = "fold-right" if right else "fold"
        return Made(f"({name} {f} {start.text} {items.text})", shape, atom, lambda env: value(env)[0 if right else -1])

    # ---- items that move

    def moved(self, shape, atom, depth, names):
        n, rest = shape[0], shape[1:]

        def of(text, own, f):
            return self.call(text, [self.make(own, atom, depth, names)], shape, atom, f)
        more = self.rng.randint(0, 3)
        ways = [lambda: of("(reverse {0})", shape, lambda x: at_items(x, range(n - 1, -1, -1))),
                lambda: of("(tail {0})", (n + 1,) + rest, lambda x: at_items(x, range(1, n + 1))),
                lambda: of("(curtail {0})", (n + 1,) + rest, lambda x: at_items(x, range(n))),
                lambda: of(f"(take{{{{ | {n}}}}} {{0}})", (n + more,) + rest, lambda x: at_items(x, range(n))),
                lambda: of(f"(drop{{{{ | {more}}}}} {{0}})", (n + more,) + rest, lambda x: at_items(x, range(more, n + more))),
                lambda: self.rotated(shape, atom, depth, names), lambda: self.appended(shape, atom, depth, names),
                lambda: self.gathered(shape, atom, depth, names), lambda: self.part(shape, atom, depth, names)]
        if rest:
            ways.append(lambda: of("(transpose {0})", (rest[0], n) + rest[1:], transposed))
        if atom == "int":
            ways += [lambda: of("(sort {0})", shape, lambda x: lifted(lambda r: Array(r.shape, sorted(r.atoms)), [x], [1], shape[-1:])),
                     lambda: of("(grade {0})", shape, lambda x: lifted(
                         lambda r: Array(r.shape, sorted(range(len(r.atoms)), key=lambda k: r.atoms[k])), [x], [1], shape[-1:]))]
        if atom == "float":
            ways.append(lambda: of("(sort. {0})", shape, lambda x: lifted(lambda r: Array(r.shape, sorted(r.atoms)), [x], [1], shape[-1:])))
        return self.rng.choice(ways)()

    def rotated(self, shape, atom, depth, names):
        """Frames of rotations, too."""
        frame, own = ((), shape) if self.rng.random() < 0.6 else (shape[:1], shape[1:])
        if not own:
            frame, own = (), shape
        by = self.make(frame, "int", depth, names)

        def turn(x, k):
            n = x.shape[0]
            return at_items(x, [(i + k.atoms[0]) % n for i in range(n)])
        return self.call("(rotate {0} {1})", [self.make(own, atom, depth, names), by], shape, atom,
                         lambda x, k: lifted(turn, [x, k], [None, 0], own))

    def appended(self, shape, atom, depth, names):
        first = self.rng.randint(0, shape[0])
        parts = [self.make((k,) + shape[1:], atom, depth, names) for k in (first, shape[0] - first)]
        return self.call("(append {0} {1})", parts, shape, atom, lambda a, b: Array(shape, a.atoms + b.atoms))

    def gathered(self, shape, atom, depth, names):
        n = self.rng.randint(1, 4)
        parts = [self.make((n,) + shape[1:], atom, depth, names), self.make(shape[:1], "int", depth, names)]
        return self.call(f"(gather {{0}} (mod {{1}} {n}))", parts, shape, atom, lambda x, i: at_items(x, [k % n for k in i.atoms]))

    def part(self, shape, atom, depth, names):
        """A part of a vector or of an array, sometimes outside."""
        axes = self.rng.randint(1, len(shape))
        big = tuple(d + self.rng.randint(0, 2) for d in shape[:axes])
        places = [self.rng.randint(0, b - d) if self.rng.random() < 0.93 else b for b, d in zip(big, shape)]
        x = self.make(big + shape[axes:], atom, depth, names)
        if axes == 1 and self.rng.random() < 0.5:
            return self.call(f"(subvector{{{{ | _ {shape[0]}}}}} {{0}} {places[0]})", [x], shape, atom,
                             lambda v: block(v, places, shape[:1]))
        return self.call(f"(subarray{{{{ | _ {dims(shape[:axes])}}}}} {{0}} {dims(places)})", [x], shape, atom,
                         lambda v: block(v, places, shape[:axes]))

    def indexed(self, shape, atom, depth, names):
        way = self.rng.randint(0, 3)
        if way == 0:
            big = tuple(self.rng.randint(1, 3) for _ in range(self.rng.randint(1, 3)))
            at = [self.rng.randint(0, d - 1) if self.rng.random() < 0.95 else d for d in big]
            return self.call(f"(index {{0}} {dims(at)})", [self.make(big + shape, atom, depth, names)], shape, atom,
                             lambda x: Array(shape, block(x, at, (1,) * len(big)).atoms))
        if way == 1:
            n = self.rng.randint(1, 4)
            name = self.rng.choice(["head", "last"])
            return self.call(f"({name} {{0}})", [self.make((n,) + shape, atom, depth, names)], shape, atom,
                             lambda x: x.items()[0 if name == "head" else -1])
        frame = self.beginning(shape)
        n = self.rng.randint(1, 4)
        parts = [self.make((n,) + shape[len(frame):], atom, depth, names), self.make(frame, "int", depth, names)]
        return self.call(f"(item {{0}} (mod {{1}} {n}))", parts, shape, atom, lambda x, i: lifted(
            lambda x, i: x.items()[i.atoms[0] % n], [x, i], [None, 0], shape[len(frame):]))

    def scattered(self, shape, atom, depth, names):
        n = shape[0]
        e = self.rng.randint(0, 4)
        at = [self.rng.choice([-1, n] if self.rng.random() < 0.04 or n == 0 else [-1] + list(range(n))) for _ in range(e)]
        places = Array((e,), at)
        text = f"(array [{e}] {' '.join(map(str, at)) if at else 'int'})"
        x = self.make((e,) + shape[1:], atom, depth, names)
        zero = {"int": 0, "float": 0.0, "bool": False, "char": "\0"}[atom]
        if self.rng.random() < 0.5:
            return self.call(f"(scatter{{{{ | _ {n}}}}} {{0}} {text})", [x], shape, atom,
                             lambda v: scattered(Array(shape, [zero] * count(shape)), places, v))
        return self.call(f"(scatter-into {{0}} {text} {{1}})", [self.make(shape, atom, depth, names), x], shape, atom,
                         lambda base, v: scattered(base, places, v))

    def stacked(self, shape, atom, depth, names):
        if shape[0] == 0:
            return Made(f"(frame [0] {type_of(shape[1:], atom)})", shape, atom, lambda env: Array(shape, []))
        parts = [self.make(shape[1:], atom, depth - shape[0] // 4, names) for _ in range(shape[0])]
        return Made(f"[{' '.join(p.text for p in parts)}]", shape, atom, lambda env: joined(shape, [p.value(env) for p in parts]))

    def reshaped(self, shape, atom, depth, names):
        n = count(shape)
        fitting = [s for s in [(n,), (1, n), (n, 1), shape[::-1], (n // 2, 2), (2, n // 2)] if count(s) == n]
        own = self.rng.choice(fitting)
        x = self.make(own, atom, depth, names)
        if len(own) == 2 and shape == (n,) and self.rng.random() < 0.5:
            return self.call("(flatten {0})", [x], shape, atom, lambda v: Array(shape, v.atoms))
        if shape == (n,) and self.rng.random() < 0.5:
            return self.call("(ravel {0})", [x], shape, atom, lambda v: Array(shape, v.atoms))
        if shape[0] == 1 and self.rng.random() < 0.5:
            return self.call("(itemize {0})", [self.make(shape[1:], atom, depth, names)], shape, atom, lambda v: Array(shape, v.atoms))
        return self.call(f"(reshape {dims(shape)} {{0}})", [x], shape, atom, lambda v: Array(shape, v.atoms))

    def repeated(self, shape, atom, depth, names):
        frame = self.beginning(shape)
        cell = shape[len(frame):]
        x = self.make(cell, atom, depth, names)
        if self.rng.random() < 0.5:
            return self.call(f"(replicate{{{{ | {dims(frame)}}}}} {{0}})", [x], shape, atom, lambda v: Array(shape, v.atoms * count(frame)))
        return self.call("(with-shape {0} {1})", [self.make(frame, self.atom(), depth, names), x], shape, atom,
                         lambda f, v: Array(shape, v.atoms * count(frame)))

    # ---- functions whose cells are given, or are of any length

    def by_cells(self, shape, atom, depth, names):
        """A function of the library on rows, by instantiation."""
        if len(shape) < 2:
            return self.moved(shape, atom, depth, names)
        n, split = shape[-1], shape[:-1]
        x = self.make(shape, atom, depth, names)
        if self.rng.random() < 0.5:
            return self.call(f"(reverse{{{{{atom} | {n} []}}}} {{0}})", [x], shape, atom,
                             lambda v: lifted(lambda r: Array(r.shape, r.atoms[::-1]), [v], [1], (n,)))
        first = self.rng.randint(0, n)
        parts = [self.make(self.beginning(split) + (first,), atom, depth, names), self.make(split + (n - first,), atom, depth, names)]
        self.rng.shuffle(parts)
        text = f"(append{{{{{atom} | {parts[0].shape[-1]} {parts[1].shape[-1]} []}}}} {{0}} {{1}})"
        return self.call(text, parts, shape, atom, lambda a, b: lifted(lambda a, b: Array((n,), a.atoms + b.atoms), [a, b], [1, 1], (n,)))

    def generic(self, shape, atom, depth, names):
        """Of the definitions in front of each program."""
        if not shape:
            n = self.rng.randint(0, 4)
            if atom != "int":
                return self.plain(shape, atom, depth, names)
            return self.call("(total {0})", [self.make((n,), "int", depth, names)], shape, atom, lambda v: scalar(wrap(sum(v.atoms))))
        if atom == "int" and self.rng.random() < 0.4:
            if self.rng.random() < 0.5:
                rows = self.make(shape + (self.rng.choice([0, 1, 2, 5]),), "int", depth, names)
                return self.call("(total {0})", [rows], shape, atom,
                                 lambda v: lifted(lambda r: scalar(wrap(sum(r.atoms))), [v], [1], ()))
            parts = [self.make(shape, "int", depth, names), self.make(self.beginning(shape[:-1]) + shape[-1:], "int", depth, names)]
            self.rng.shuffle(parts)
            return self.call("(twice-less {0} {1})", parts, shape, atom, lambda a, b: lifted(
                lambda a, b: Array(a.shape, [wrap(2 * p - q) for p, q in zip(a.atoms, b.atoms)]), [a, b], [1, 1], shape[-1:]))
        first = self.rng.randint(0, shape[0])
        parts = [self.make((k,) + shape[1:], atom, depth, names) for k in (first, shape[0] - first)]
        return self.call("(both {0} {1})", parts, shape, atom,
                         lambda a, b: Array(shape, at_items(a, range(first - 1, -1, -1)).atoms + b.atoms))

    def record(self, shape, atom, depth, names):
        frame = self.beginning(shape)
        cell, kind, other = shape[len(frame):], self.atom(), self.shape()[:1]
        if count(frame + other) > LIMIT:
            other = ()
        parts = [self.make(shape, atom, depth, names), self.make(self.beginning(frame) + other, kind, depth, names)]
        text = f"{{{{(p {dims(cell)} {{0}}) (q {dims(other)} {{1}})}}}}"
        if self.rng.random() < 0.3:
            given = self.make(cell, atom, depth, names)
            return self.call(f"(field (set (p) {{2}} {text}) p)", parts + [given], shape, atom,
                             lambda p, q, g: Array(shape, g.atoms * count(frame)))
        return self.call(f"(field {text} p)", parts, shape, atom, lambda p, q: p)

    def measured(self, shape, atom, depth, names):
        """What is said of arrays: of the whole, or of rows."""
        kind = self.atom()
        if shape:
            if 0 not in shape and self.rng.random() < 0.5:
                rows = self.make(shape + (self.rng.randint(1, 4),), "int", depth, names)
                name, f = self.rng.choice([("minimum", min), ("maximum", max)])
                return self.call(f"({name} {{0}})", [rows], shape, atom, lambda v: lifted(lambda r: scalar(f(r.atoms)), [v], [1], ()))
            n = self.rng.randint(0, 3)
            parts = [self.make(self.beginning(shape) + (n,), "int", depth, names), self.make(shape + (n,), "int", depth, names)]
            return self.call("(base {0} {1})", parts, shape, atom, lambda r, d: lifted(self.horner, [r, d], [1, 1], ()))
        own = self.shape()
        x = self.make(own, kind, depth, names)
        ways = [("(rank {0})", lambda v: len(own)), ("(size {0})", lambda v: count(own))]
        if own:
            ways.append(("(length {0})", lambda v: own[0]))
        if kind == "int":
            ways += [("(sum {0})", lambda v: wrap(sum(v.atoms))), ("(product {0})", lambda v: self.times(v.atoms))]
        if kind == "bool":
            ways += [("(count {0})", lambda v: sum(v.atoms)), ("(bool->int (any {0}))", lambda v: int(any(v.atoms))),
                     ("(bool->int (all {0}))", lambda v: int(all(v.atoms)))]
        text, f = self.rng.choice(ways)
        if self.rng.random() < 0.15:
            parts = [x, self.make(self.rng.choice([own, self.shape()]), kind, depth, names)]
            return self.call("(bool->int (equal {0} {1}))", parts, shape, atom,
                             lambda a, b: scalar(int(a.shape == b.shape and a.atoms == b.atoms)))
        return self.call(text, [x], shape, atom, lambda v: scalar(f(v)))

    @staticmethod
    def times(atoms):
        n = 1
        for a in atoms:
            n = wrap(n * a)
        return n

    @staticmethod
    def horner(radix, digits):
        t = 0
        for r, d in zip(radix.atoms, digits.atoms):
            t = wrap(t * r + d)
        return scalar(t)
