#!/usr/bin/env python3
"""Random recursions that end because an apply-to-each has no elements.

    endings.py NVM [--seed N] [--count N]

Their values are computed here. What is tried: a call for no instance is no call, whatever the arguments are made of and
wherever the call stands: alone, in nested apply-to-eaches, with a sieve, in functions that call each other, with arguments
that all instances share, in branches that all take.
"""

import sys

import known_results
from nestings import INT, literal, seq

MODES = [["--jit", "off", "--block-threshold", "off"], ["--jit", "always"], ["--jit", "off", "--block-threshold", "1"],
         ["--ranks", "2", "--spread", "1"]]
TABLE = [[], [0], [1, 0], [], [2, 3, 1], [4]]  # smaller numbers for each


MOST = 4  # argument of the outermost call


class Functions:
    """Of small numbers: expressions as (NESL, function from an environment to the value)."""

    def __init__(self, draw, names, top):
        self.draw = draw
        self.names = names
        self.top = top  # a number
        self.lists = draw.random() < 0.3  # what the functions give: sequences, or numbers
        self.shares = draw.random() < 0.4
        self.fresh = 0

    def variable(self):
        self.fresh += 1
        return f"x{self.fresh}"

    def smaller(self, n):
        """Numbers below another, none of them for zero."""
        k = self.variable()
        options = [
            (f"[0:{n}]", lambda env: list(range(env[n]))),
            (f"index({n})", lambda env: list(range(env[n]))),
            (f"reverse([0:{n}])", lambda env: list(range(env[n]))[::-1]),
            (f"{{{k} in [0:{n}] | rem({k}, 2) == 0}}", lambda env: list(range(0, env[n], 2))),
            (f"dist({n} - 1, min({n}, 2))", lambda env: [env[n] - 1] * min(env[n], 2)),
            (f"drop([0:{n}], min({n}, 1))", lambda env: list(range(1, env[n]))),
        ]
        if self.shares:
            options += 3 * [(f"c[{n}]", lambda env: TABLE[env[n]])]
        return self.draw.choice(options)

    def call(self, n):
        name = self.draw.choice(self.names)
        given = f"(c, {n})" if self.shares else f"({n})"
        return f"{name}{given}", lambda env: env[name](env[n])

    def calls(self, n, depth=1):
        """A list of results of calls for smaller numbers."""
        v, given = self.smaller(n)
        m, roll = self.variable(), self.draw.random()
        if depth > 0 and roll < 0.3:
            inner, values = self.calls(m, depth - 1)
            joined = f"flatten({inner})" if self.lists else f"sum({inner})"
            body, value = joined, lambda env: self.joined(values(env))
        else:
            body, value = self.call(m)
            if roll < 0.5:
                condition = self.draw.choice(["0 < 1", f"{self.top} > 0", f"{m} < 9"])
                body = f"if {condition} then {body} else {'[-1]' if self.lists else '-1'}"
            elif roll < 0.6:
                x, before = self.variable(), body
                body = f"let {x} = {before} in {f'{x} ++ [{m}]' if self.lists else f'{x} + {m}'}"
                once = value
                value = lambda env: once(env) + ([env[m]] if self.lists else env[m])
        if self.draw.random() < 0.25:
            return (f"{{{body} : {m} in {v} | {m} /= 1}}",
                    lambda env: [value({**env, m: k}) for k in given(env) if k != 1])
        return f"{{{body} : {m} in {v}}}", lambda env: [value({**env, m: k}) for k in given(env)]

    def joined(self, values):
        return [e for part in values for e in part] if self.lists else sum(values)

    def function(self, name):
        """(NESL, function from all functions to this one)"""
        parts = [self.calls("n") for _ in range(self.draw.choice([1, 1, 2]))]
        texts = [f"flatten({text})" if self.lists else f"sum({text})" for text, _ in parts]
        own = "[n]" if self.lists else "n + 1"
        if self.draw.random() < 0.3:
            text = "let " + "; ".join(f"r{k} = {t}" for k, t in enumerate(texts)) + " in "
            text += (" ++ " if self.lists else " + ").join([*(f"r{k}" for k in range(len(texts))), own])
        else:
            text = (" ++ " if self.lists else " + ").join([*texts, own])

        def value(functions, n):
            env = {**functions, "n": n}
            total = self.joined([self.joined(values(env)) for _, values in parts])
            return total + ([n] if self.lists else n + 1)

        parameters = "(c, n)" if self.shares else "(n)"
        of = ("[[int]], int" if self.shares else "int", "[int]" if self.lists else "int")
        return f"{name}{parameters} : ({of[0]}) -> {of[1]}", text, value


def program(draw, number):
    """(NESL, value)"""
    names = [f"{letter}{number}" for letter in "fgh"[:draw.choice([1, 1, 2, 3])]]
    drawn = Functions(draw, names, f"top{number}")
    made = {name: drawn.function(name) for name in names}
    functions, known = {}, {}
    for name in names:
        def value(n, name=name):
            if (name, n) not in known:
                known[name, n] = made[name][2](functions, n)
            return known[name, n]

        functions[name] = value
    f = functions[names[0]]

    def call(n):
        return f"{names[0]}([[] int, [0], [1, 0], [] int, [2, 3, 1], [4]], {n})" if drawn.shares else f"{names[0]}({n})"

    n = draw.randint(0, MOST)
    of = seq(INT) if drawn.lists else INT
    use, kind, value = draw.choice([
        (call(n), of, f(n)),
        (f"{{{call('i')} : i in [] int}}", seq(of), []),
        (f"{{{call('i')} : i in [0:{MOST + 1}]}}", seq(of), [f(i) for i in range(MOST + 1)]),
        (f"{{{{{call('i')} : i in v}} : v in [[] int, [2], [] int, [0, {n}]]}}", seq(seq(of)), [[], [f(2)], [], [f(0), f(n)]]),
    ])
    text = f"top{number} = 1 $\n"
    if len(names) > 1:
        text += "".join(f"function {head} $\n" for head, _, _ in made.values())
    text += "".join(f"function {head} = {body} $\n" for head, body, _ in made.values())
    return f"{text}eql({use}, {literal(kind, value)}) $", value


def programs(draw, count):
    made = []
    while len(made) < count:
        text, value = program(draw, len(made))
        if len(str(value)) < 600:
            made.append((text, "it = T : bool"))
    return made


def main():
    return known_results.main(__doc__, [(MODES, programs)])


if __name__ == "__main__":
    sys.exit(main())
