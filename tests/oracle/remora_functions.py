"""Random programs in Remora whose values are functions: in arrays, records and boxes, out of branches, unbox, lift and recursion.

    Functions(random).program() -> (text, ["[1 2]", ...])

A type is (atom, shape); a dimension is a number or the name of an index variable. Nothing fails, and no function grows from step
to step: that is refused.
"""

from remora_arrays import joined, lifted
from remora_boxes import Made
from remora_meaning import Array, Box, count, scalar, wrap

INT = ("int", ())
AGAIN = "(define (again{t | @s} [v [t @s]] [k int]) : [t @s] (if (< k 1) v (again v (- k 1))))"
OPERATORS = [("+", lambda a, b: wrap(a + b)), ("-", lambda a, b: wrap(a - b)), ("*", lambda a, b: wrap(a * b)), ("max", max)]
PLAIN = [("neg", lambda a: wrap(-a)), ("abs", lambda a: wrap(abs(a))), ("sign", lambda a: (a > 0) - (a < 0))]


def function(parameter, result):
    return ("fn", parameter, result)


def has_function(atom):
    return atom[0] == "fn" or (atom[0] == "box" and has_function(atom[2])) or \
        (atom[0] == "rec" and any(has_function(t[0]) for _, t in atom[1]))


def text_of(t):
    atom, shape = t
    if atom[0] == "fn":
        atom = f"(-> ({text_of(atom[1])}) {text_of(atom[2])})"
    elif atom[0] == "box":
        atom = f"(Sigma ({atom[1]}) {text_of((atom[2], (atom[1],)))})"
    elif atom[0] == "rec":
        atom = "{" + " ".join(f"({n} {text_of(p)})" for n, p in atom[1]) + "}"
    return f"[{atom} {' '.join(map(str, shape))}]" if shape else atom


def indices(shape):
    return f"[{' '.join(map(str, shape))}]"


def known(shape, env):
    """Its dimensions, where index variables mean numbers, and shape variables tuples of them."""
    out = ()
    for d in shape:
        out += (d,) if isinstance(d, int) else env[d] if d[0] == "@" else (env[d],)
    return out


def show(value):
    if value.shape:
        return "[" + " ".join(show(i) for i in value.items()) + "]"
    a = value.atoms[0]
    if isinstance(a, Box):
        return f"(box {show(a.content)})"
    if isinstance(a, dict):
        return "{" + " ".join(f"({n} {show(v)})" for n, v in sorted(a.items())) + "}"
    return "#<function>" if callable(a) else str(a)


class Functions:
    def __init__(self, rng):
        self.rng, self.names = rng, 0
        self.definitions = [AGAIN]

    def program(self):
        lines, values = [], []
        for _ in range(self.rng.randint(1, 3)):
            made = self.make(INT if self.rng.random() < 0.3 else self.type(2), self.rng.randint(2, 4), [])
            lines.append(made.text)
            values.append(made)
        return "\n".join(self.definitions + lines) + "\n", [show(v.value({})) for v in values]

    def fresh(self, letter="v"):
        self.names += 1
        return f"{letter}{self.names}"

    def type(self, depth):
        return self.atom(depth), tuple(self.rng.choice([0, 1, 2, 2, 3]) for _ in range(self.rng.choice([0, 0, 1, 1, 2])))

    def atom(self, depth):
        way = self.rng.random()
        if depth == 0 or way < 0.15:
            return "int"
        if way < 0.6:
            return function(INT if self.rng.random() < 0.7 else self.type(depth - 1), self.type(depth - 1))
        if way < 0.85:
            return ("box", self.rng.choice(["n", "n", "@s"]), self.atom(depth - 1))
        return ("rec", tuple((n, self.type(depth - 1)) for n in "ab"[:self.rng.randint(1, 2)]))

    # ---- an expression of this type; names: (name, type)

    def make(self, t, depth, names):
        fitting = [n for n, u in names if u == t]
        if fitting and self.rng.random() < 0.4:
            name = self.rng.choice(fitting)
            return Made(name, (), "", lambda env: env[name])
        if depth <= 0:
            return self.leaf(t, depth, names)
        ways = [self.branch, self.branch, self.let, self.unbox, self.unbox, self.unbox, self.applied, self.applied, self.picked,
                self.field, self.recursion, self.steps, self.leaf, self.leaf]
        if t[1]:
            ways += [self.moved, self.moved]
        if t == INT:
            ways += [self.number, self.number, self.number]
        return self.rng.choice(ways)(t, depth - 1, names)

    @staticmethod
    def call(text, parts, f):
        return Made(text.format(*[p.text for p in parts]), (), "", lambda env: f(*[p.value(env) for p in parts]))

    def leaf(self, t, depth, names):
        atom, shape = t
        if any(not isinstance(d, int) for d in shape):
            if atom == "int":
                return Made(f"iota{{ | {indices(shape)}}}", (), "",
                            lambda env: Array(known(shape, env), range(count(known(shape, env)))))
            one = self.make((atom, ()), depth, names)
            return Made(f"(replicate{{ | {indices(shape)}}} {one.text})", (), "",
                        lambda env: Array(known(shape, env), one.value(env).atoms * count(known(shape, env))))
        if 0 in shape:
            return Made(f"(array {indices(shape)} {text_of((atom, ()))})", (), "", lambda env: Array(shape, []))
        parts = [self.one(atom, depth, names) for _ in range(count(shape))]
        text = f"(frame {indices(shape)} {' '.join(p.text for p in parts)})" if shape else parts[0].text
        return Made(text, (), "", lambda env: joined(shape, [p.value(env) for p in parts]))

    def one(self, atom, depth, names):
        if atom == "int":
            n = self.rng.choice([0, 1, 2, 3, -1, 5, -7])
            return Made(str(n), (), "", lambda env: scalar(n))
        return {"fn": self.lambda_, "box": self.box, "rec": self.record}[atom[0]](atom, depth, names)

    def lambda_(self, atom, depth, names):
        _, parameter, result = atom
        if parameter == result == INT and self.rng.random() < 0.4:
            name, f = self.rng.choice(PLAIN)
            return Made(name, (), "", lambda env: scalar(lambda x: scalar(f(x.atoms[0]))))
        dims = parameter[1]
        if parameter[0] == "int" and len(dims) == 1 and dims[0] != 0 and str(dims[0])[0] != "@" and self.rng.random() < 0.6:
            if result == INT:
                name, f = self.rng.choice([("length{{int | {} []}}", lambda x: scalar(len(x.atoms))),
                                           ("sum{{ | [{}]}}", lambda x: scalar(wrap(sum(x.atoms))))])
                return Made(name.format(dims[0]), (), "", lambda env: scalar(f))
            if result == parameter:
                return Made(f"reverse{{int | {dims[0]} []}}", (), "", lambda env: scalar(lambda x: Array(x.shape, x.atoms[::-1])))
        x = self.fresh()
        body = self.make(result, depth, names + [(x, parameter)])
        return Made(f"(fn ([{x} {text_of(parameter)}]) {body.text})", (), "",
                    lambda env: scalar(lambda v: body.value({**env, x: v})))

    def box(self, atom, depth, names):
        _, bound, inner = atom
        outside = [n for n, t in names if t == "index"]
        if bound == "@s":
            shape = tuple(self.rng.choice([0, 1, 2]) for _ in range(self.rng.randint(0, 2)))
        else:
            shape = (self.rng.choice(outside),) if outside and self.rng.random() < 0.6 else (self.rng.choice([0, 1, 2, 3]),)
            if self.rng.random() < 0.3:
                w = self.fresh("w")
                many = self.make(INT, depth, names)
                content = self.make((inner, (w,)), depth, names + [(w, "index")])
                return Made(f"(lift [{w} (mod {many.text} 4)] {content.text})", (), "", lambda env: scalar(
                    Box(content.value({**env, w: many.value(env).atoms[0] % 4}))))
        content = self.make((inner, shape), depth, names)
        index = indices(shape) if bound == "@s" else shape[0]
        return Made(f"(box (({bound} {index})) {text_of((inner, (bound,)))} {content.text})", (), "",
                    lambda env: scalar(Box(content.value(env))))

    def record(self, atom, depth, names):
        parts = [(n, self.make(t, depth, names)) for n, t in atom[1]]
        return Made("{" + " ".join(f"({n} {p.text})" for n, p in parts) + "}", (), "",
                    lambda env: scalar({n: p.value(env) for n, p in parts}))

    # ---- ways to any type

    def branch(self, t, depth, names):
        parts = [self.make(INT, depth, names), self.make(t, depth, names), self.make(t, depth, names)]
        return Made("(if (< {} 2) {} {})".format(*[p.text for p in parts]), (), "",
                    lambda env: parts[1 if parts[0].value(env).atoms[0] < 2 else 2].value(env))

    def let(self, t, depth, names):
        x, of = self.fresh(), self.type(2)
        first, then = self.make(of, depth, names), self.make(t, depth, names + [(x, of)])
        return Made(f"(let [{x} {first.text}] {then.text})", (), "", lambda env: then.value({**env, x: first.value(env)}))

    def frame(self, shape):
        """A beginning that does not depend on what is bound here, and the rest."""
        most = 0
        while most < len(shape) and isinstance(shape[most], int):
            most += 1
        split = self.rng.randint(0, most)
        return shape[:split], shape[split:]

    def unbox(self, t, depth, names):
        frame, cell = self.frame(t[1])
        atom = ("box", self.rng.choice(["n", "n", "@s"]), self.rng.choice(["int", self.atom(1), self.atom(2)]))
        boxes = self.make((atom, frame), depth, names)
        x, w = self.fresh(), self.fresh("@w" if atom[1] == "@s" else "w")
        inner = names + [(x, (atom[2], (w,)))] + ([] if w[0] == "@" else [(w, "index")])
        body = self.make((t[0], cell), depth, inner)

        def value(env):
            cells = []
            for b in boxes.value(env).atoms:
                index = b.content.shape if w[0] == "@" else b.content.shape[0]
                cells.append(body.value({**env, x: b.content, w: index}))
            return joined(known(frame + cell, env), cells)
        return Made(f"(unbox {boxes.text} ({x} {w}) {body.text})", (), "", value)

    def applied(self, t, depth, names):
        frame, cell = self.frame(t[1])
        lengths = [n for n, u in names if u == "index"]
        of = ("int", (self.rng.choice(lengths),)) if lengths and self.rng.random() < 0.4 else self.type(1)
        split = self.rng.randint(0, len(frame))
        f = self.make((function(of, (t[0], cell)), frame[:split]), depth, names)
        x = self.make((of[0], frame + of[1]), depth, names)
        return Made(f"({f.text} {x.text})", (), "", lambda env: lifted(
            lambda g, v: g.atoms[0](v), [f.value(env), x.value(env)], [0, len(known(of[1], env))], known(cell, env)))

    def picked(self, t, depth, names):
        n = self.rng.randint(1, 3)
        items, at = self.make((t[0], (n,) + t[1]), depth, names), self.make(INT, depth, names)
        return self.call(f"(item {{0}} (mod {{1}} {n}))", [items, at], lambda v, i: v.items()[i.atoms[0] % n])

    def field(self, t, depth, names):
        frame, cell = self.frame(t[1])
        other = self.type(1)
        records = self.make((("rec", (("a", (t[0], cell)), ("b", other))), frame), depth, names)
        return Made(f"(view (a) {records.text})", (), "", lambda env: joined(
            known(t[1], env), [r["a"] for r in records.value(env).atoms]))

    def moved(self, t, depth, names):
        atom, shape = t
        if isinstance(shape[0], int) and self.rng.random() < 0.6:
            n = self.rng.randint(0, shape[0])
            parts = [self.make((atom, (k,) + shape[1:]), depth, names) for k in (n, shape[0] - n)]
            return self.call("(append {0} {1})", parts, lambda a, b: joined((a.shape[0] + b.shape[0],) + a.shape[1:], [a, b]))
        if str(shape[0])[0] == "@":
            return self.leaf(t, depth, names)
        return self.call("(reverse {0})", [self.make(t, depth, names)], lambda v: joined(v.shape, v.items()[::-1]))

    def recursion(self, t, depth, names):
        v, k = self.make(t, depth, names), self.make(INT, depth, names)
        if self.rng.random() < 0.4 or any(not isinstance(d, int) for d in t[1]) or "w" in text_of(t):
            return Made(f"(again{{{text_of((t[0], ()))} | {indices(t[1])}}} {v.text} (mod {k.text} 4))", (), "", v.value)
        name, x, n = self.fresh("f"), self.fresh(), self.fresh()
        step = self.make(t, depth, [(n, INT)])
        self.definitions.append(f"(define ({name} [{x} {text_of(t)}] [{n} int]) : {text_of(t)} "
                                f"(if (< {n} 1) {x} ({name} (if (< {n} 2) {x} {step.text}) (- {n} 1))))")

        def value(env):
            now, many = v.value(env), k.value(env).atoms[0] % 4
            for left in range(many, 1, -1):
                now = step.value({n: scalar(left)})
            return now
        return Made(f"({name} {v.text} (mod {k.text} 4))", (), "", value)

    def steps(self, t, depth, names):
        v, k, x = self.make(t, depth, names), self.make(INT, depth, names), self.fresh()
        step = self.make(t, depth, names if has_function(t[0]) else names + [(x, t)])

        def value(env):
            now = v.value(env)
            for _ in range(k.value(env).atoms[0] % 3):
                now = step.value({**env, x: now})
            return now
        return Made(f"(iterate{{{text_of(t)} | }} (fn ([{x} {text_of(t)}]) {step.text}) {v.text} (mod {k.text} 3))", (), "", value)

    def number(self, _, depth, names):
        vectors = [(n, u) for n, u in names if u != "index" and u[1] and u[0] in ("int", function(INT, INT))]
        if vectors and self.rng.random() < 0.6:
            name, (atom, _) = self.rng.choice(vectors)
            if atom == "int":
                return Made(f"(sum {name})", (), "", lambda env: scalar(wrap(sum(env[name].atoms))))
            x = self.make(INT, depth, names)
            return Made(f"(sum ({name} {x.text}))", (), "", lambda env: scalar(
                wrap(sum(f(x.value(env)).atoms[0] for f in env[name].atoms))))
        text, f = self.rng.choice(OPERATORS)
        return self.call(f"({text} {{0}} {{1}})", [self.make(INT, depth, names), self.make(INT, depth, names)],
                         lambda a, b: scalar(f(a.atoms[0], b.atoms[0])))
