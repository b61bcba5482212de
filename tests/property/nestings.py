#!/usr/bin/env python3
"""Random apply-to-eaches inside each other over values that are shared, constant, outer or made by each instance.

    nestings.py NVM [--seed N] [--count N]

Their values are computed here; nvm must find its own equal, compiled or not and with all calls of lifted functions cut
into groups. What is tried: that values keep to the instances they belong to, whatever is made of them.
"""

import sys

import known_results

MODES = [["--jit", "off", "--block-threshold", "off"], ["--jit", "always"], ["--jit", "off", "--block-threshold", "1"]]
INT, BOOL = "int", "bool"


def seq(kind):
    return ("seq", kind)


def pair(a, b):
    return ("pair", a, b)


def type_text(kind, outermost=True):
    if isinstance(kind, str):
        return kind
    if kind[0] == "seq":
        return f"[{type_text(kind[1], False)}]"
    both = f"{type_text(kind[1], False)}, {type_text(kind[2], False)}"
    return both if outermost else f"({both})"


def literal(kind, value):
    """NESL for a constant; empty sequences know their type."""
    if kind == INT:
        return str(value) if value >= 0 else f"({value})"
    if kind == BOOL:
        return "t" if value else "f"
    if kind[0] == "pair":
        return f"({literal(kind[1], value[0])}, {literal(kind[2], value[1])})"
    if not value:
        return f"([] {element_text(kind[1])})"
    return f"[{', '.join(literal(kind[1], part) for part in value)}]"


def element_text(kind):
    return type_text(kind, False)


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


class Generator:
    """Expressions as (NESL, function from an environment to the value)."""

    def __init__(self, draw):
        self.draw = draw
        self.names = 0

    def fresh(self):
        self.names += 1
        return f"x{self.names}"

    def kind(self, depth):
        """Few kinds, so that there often is a variable of one."""
        roll = self.draw.random()
        if depth == 0 or roll < 0.2:
            return self.draw.choice([INT] * 6 + [BOOL])
        if roll < 0.9:
            return seq(self.kind(depth - 1))
        return pair(self.kind(depth - 1), self.kind(depth - 1))

    def constant(self, kind, size=3):
        if kind == INT:
            return self.draw.choice([0, 1, 2, -1, 3, 7])
        if kind == BOOL:
            return self.draw.random() < 0.5
        if kind[0] == "pair":
            return (self.constant(kind[1], size), self.constant(kind[2], size))
        return [self.constant(kind[1], size) for _ in range(self.draw.randint(0, size))]

    def expression(self, kind, scope, depth):
        """scope: list of (name, kind)."""
        draw = self.draw
        fitting = [name for name, of in scope if of == kind]
        if fitting and draw.random() < (0.7 if depth <= 0 else 0.3):
            name = draw.choice(fitting)
            return name, lambda env: env[name]
        if depth <= 0 or draw.random() < 0.12:
            value = self.constant(kind, 2)
            return literal(kind, value), lambda env: value
        options = [self.conditional, self.let, self.picked]
        if kind == INT:
            options += [self.arithmetic, self.arithmetic, self.length, self.total]
        elif kind == BOOL:
            options += [self.comparison, self.equality]
        elif kind[0] == "pair":
            options += [self.both, self.both]
        else:
            options += [self.each, self.each, self.each, self.each, self.listed, self.copies, self.appended, self.part,
                        self.flattened, self.taken]
            if kind[1][0] == "seq":
                options += [self.split]
        return draw.choice(options)(kind, scope, depth - 1)

    def arithmetic(self, kind, scope, depth):
        a, x = self.expression(INT, scope, depth)
        b, y = self.expression(INT, scope, depth)
        if self.draw.random() < 0.5:
            return f"({a} + {b})", lambda env: x(env) + y(env)
        return f"rem({a} - {b}, 10)", lambda env: (x(env) - y(env)) - 10 * truncated(x(env) - y(env), 10)

    def length(self, kind, scope, depth):
        a, x = self.expression(seq(self.kind(1)), scope, depth)
        return f"#{a}", lambda env: len(x(env))

    def total(self, kind, scope, depth):
        a, x = self.expression(seq(INT), scope, depth)
        return f"sum({a})", lambda env: sum(x(env))

    def comparison(self, kind, scope, depth):
        a, x = self.expression(INT, scope, depth)
        b, y = self.expression(INT, scope, depth)
        return f"({a} < {b})", lambda env: x(env) < y(env)

    def equality(self, kind, scope, depth):
        of = self.kind(2)
        a, x = self.expression(of, scope, depth)
        b, y = self.expression(of, scope, depth)
        return f"eql({a}, {b})", lambda env: x(env) == y(env)

    def both(self, kind, scope, depth):
        a, x = self.expression(kind[1], scope, depth)
        b, y = self.expression(kind[2], scope, depth)
        return f"({a}, {b})", lambda env: (x(env), y(env))

    def conditional(self, kind, scope, depth):
        c, z = self.expression(BOOL, scope, depth)
        a, x = self.expression(kind, scope, depth)
        b, y = self.expression(kind, scope, depth)
        if self.draw.random() < 0.3:
            return f"select({c}, {a}, {b})", lambda env: x(env) if z(env) else y(env)
        return f"(if {c} then {a} else {b})", lambda env: x(env) if z(env) else y(env)

    def let(self, kind, scope, depth):
        of, name = self.kind(2), self.fresh()
        a, x = self.expression(of, scope, depth)
        b, y = self.expression(kind, [*scope, (name, of)], depth)
        return f"(let {name} = {a} in {b})", lambda env: y({**env, name: x(env)})

    def picked(self, kind, scope, depth):
        """An element at an index that is there; else another."""
        a, x = self.expression(seq(kind), scope, depth)
        b, y = self.expression(kind, scope, depth)
        i, at = self.expression(INT, scope, depth)
        v, n = self.fresh(), self.fresh()
        return (f"(let {v} = {a}; {n} = abs({i}) in if {n} < #{v} then {v}[{n}] else {b})",
                lambda env: x(env)[abs(at(env))] if abs(at(env)) < len(x(env)) else y(env))

    def each(self, kind, scope, depth):
        name = self.fresh()
        sequences = [(v, of) for v, of in scope if of[0] == "seq"]
        if sequences and self.draw.random() < 0.6:
            a, of = self.draw.choice(sequences)
            of, x = of[1], lambda env, a=a: env[a]
        else:
            of = self.kind(2)
            a, x = self.expression(seq(of), scope, depth)
        inner = [*scope, (name, of)]
        whole = [v for v, of in inner if of == kind[1]]
        if whole and self.draw.random() < 0.4:
            b = self.draw.choice(whole)
            return f"{{{b} : {name} in {a}}}", lambda env: [{**env, name: e}[b] for e in x(env)]
        if self.draw.random() < 0.6:  # what is of other instances rather than of this one
            inner = [(name, of), *scope, *scope]
        b, y = self.expression(kind[1], inner, depth)
        if self.draw.random() < 0.3:
            c, z = self.expression(BOOL, inner, depth)
            return (f"{{{b} : {name} in {a} | {c}}}",
                    lambda env: [y({**env, name: e}) for e in x(env) if z({**env, name: e})])
        return f"{{{b} : {name} in {a}}}", lambda env: [y({**env, name: e}) for e in x(env)]

    def listed(self, kind, scope, depth):
        parts = [self.expression(kind[1], scope, depth) for _ in range(self.draw.randint(1, 3))]
        return f"[{', '.join(a for a, _ in parts)}]", lambda env: [x(env) for _, x in parts]

    def copies(self, kind, scope, depth):
        a, x = self.expression(kind[1], scope, depth)
        n, count = self.expression(INT, scope, depth)
        return f"dist({a}, rem(abs({n}), 4))", lambda env: [x(env)] * (abs(count(env)) % 4)

    def appended(self, kind, scope, depth):
        a, x = self.expression(kind, scope, depth)
        b, y = self.expression(kind, scope, depth)
        return f"({a} ++ {b})", lambda env: x(env) + y(env)

    def taken(self, kind, scope, depth):
        a, x = self.expression(kind, scope, depth)
        n, count = self.expression(INT, scope, depth)
        v = self.fresh()
        name, part = self.draw.choice([("take", lambda v, k: v[:k]), ("drop", lambda v, k: v[k:])])
        return (f"(let {v} = {a} in {name}({v}, min(abs({n}), #{v})))",
                lambda env: part(x(env), min(abs(count(env)), len(x(env)))))

    def part(self, kind, scope, depth):
        a, x = self.expression(kind, scope, depth)
        return f"reverse({a})", lambda env: x(env)[::-1]

    def flattened(self, kind, scope, depth):
        a, x = self.expression(seq(kind), scope, depth)
        return f"flatten({a})", lambda env: [e for part in x(env) for e in part]

    def split(self, kind, scope, depth):
        """Two groups."""
        name = self.fresh()
        a, x = self.expression(kind[1], scope, depth)
        c, z = self.expression(BOOL, [*scope, (name, kind[1][1])], depth)
        v, w = self.fresh(), self.fresh()

        def groups(env):
            elements = x(env)
            flags = [z({**env, name: e}) for e in elements]
            return [[e for e, g in zip(elements, flags) if not g], [e for e, g in zip(elements, flags) if g]]

        if self.draw.random() < 0.5:
            return f"(let {v} = {a} in split({v}, {{{c} : {name} in {v}}}))", groups
        of = kind[1]
        b, y = self.expression(of, [*scope, (w, of)], depth)
        return (f"(let {v} = {a}; {v}s = {{{b} : {w} in split({v}, {{{c} : {name} in {v}}})}} in [{v}s[1], {v}s[0]])",
                lambda env: [y({**env, w: part}) for part in reversed(groups(env))])


def small(value):
    if isinstance(value, (list, tuple)):
        return len(value) < 50 and all(small(part) for part in value)
    return abs(value) < 2 ** 31


def programs(draw, count):
    made = []
    while len(made) < count:
        generator = Generator(draw)
        kind = generator.kind(4)
        outer = [(generator.fresh(), generator.kind(3)) for _ in range(2)]
        values = {name: generator.constant(of) for name, of in outer}
        text, value = generator.expression(kind, outer, draw.randint(3, 5))
        if len(text) > 3000:
            continue
        try:
            result = value(values)
        except RecursionError:
            continue
        if not small(result) or len(literal(kind, result)) > 400:
            continue
        given = "; ".join(f"{name} = {literal(of, values[name])}" for name, of in outer)
        parameters = ", ".join(name for name, _ in outer)
        types = ", ".join(type_text(of, False) for _, of in outer)
        arguments = ", ".join(literal(of, values[name]) for name, of in outer)
        number = len(made)
        made.append((f"let {given} in eql({text}, {literal(kind, result)}) $", "it = T : bool"))
        function = f"function g{number}({parameters}) : ({types}) -> {type_text(kind, False)} = {text} $\n"
        made.append((f"{function}let w = {literal(kind, result)} in {{eql(g{number}({arguments}), w) : i in [0:2]}} $", "it = [T, T] : [bool]"))
    return made


def main():
    return known_results.main(__doc__, [(MODES, programs)])


if __name__ == "__main__":
    sys.exit(main())
