#!/usr/bin/env python3
"""Random expressions on INTs near the limits of both widths, computed exactly here and by nvm.

    wraps.py NVM [--seed N] [--count N]

Each expression is a sum of what signs and orders of wrapped numbers decide: comparisons, abs, max, min, conditionals,
lengths of ranges. nvm evaluates it with INTs of 32 and 64 bits, optimised and as written, alone and for every element
of a sequence, on numbers that it knows when it compiles and on numbers that it does not.
"""

import functools
import sys

import known_results

MODES = [["--int-bits", bits, "--optimise", optimise, "--jit", jit]
         for bits in ("32", "64") for optimise, jit in (("on", "off"), ("off", "off"), ("on", "always"))]


class Fault(Exception):
    """The expression has no value."""


def wrap(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def divided(a, b, bits):
    if b == 0 or (b == -1 and a == -(1 << (bits - 1))):
        raise Fault
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# Text with {0}, {1}, ...; its meaning on wrapped numbers.
INTS = [
    ("({0} + {1})", lambda w, a, b: wrap(a + b, w)),
    ("({0} - {1})", lambda w, a, b: wrap(a - b, w)),
    ("({0} * {1})", lambda w, a, b: wrap(a * b, w)),
    ("(-({0}))", lambda w, a: wrap(-a, w)),
    ("abs({0})", lambda w, a: wrap(abs(a), w)),
    ("max({0}, {1})", lambda w, a, b: max(a, b)),
    ("min({0}, {1})", lambda w, a, b: min(a, b)),
    ("({0} / {1})", lambda w, a, b: divided(a, b, w)),
    ("rem({0}, {1})", lambda w, a, b: wrap(a - b * divided(a, b, w), w)),
    ("rshift({0}, {1})", lambda w, a, b: a >> (b & (w - 1))),
    ("lshift({0}, {1})", lambda w, a, b: wrap(a << (b & (w - 1)), w)),
    ("sum([{0}, {1}, {2}])", lambda w, a, b, c: wrap(a + b + c, w)),
    ("plus_scan([{0}, {1}, {2}])[2]", lambda w, a, b, c: wrap(a + b, w)),
    ("sum({{rem(i, 7) : i in [0:50]; z in dist({0}, 50)}})", lambda w, a: sum(i % 7 for i in range(50))),
    ("#{{i in [0:20] | i < {0}}}", lambda w, a: max(0, min(20, a))),
    ("max_val([{0}, {1}])", lambda w, a, b: max(a, b)),
    ("(if {0} < {1} then {1} - {0} else {0} - {1})", lambda w, a, b: wrap(abs(a - b), w)),
    ("(if {0} >= 0 then {0} else 0)", lambda w, a: max(a, 0)),
    ("btoi({0} < {1})", lambda w, a, b: int(a < b)),
    ("btoi({0} + {1} < 0)", lambda w, a, b: int(wrap(a + b, w) < 0)),
    ("btoi({0} * {1} >= 0)", lambda w, a, b: int(wrap(a * b, w) >= 0)),
    ("btoi({0} - {1} <= {0})", lambda w, a, b: int(wrap(a - b, w) <= a)),
    ("max({0} + #[{1}], 0)", lambda w, a, b: max(wrap(a + 1, w), 0)),
    ("abs(sum({{i : i in [0:70000]}}) + {0})", lambda w, a: wrap(abs(wrap(70000 * 69999 // 2 + a, w)), w)),
    ("min(sum(dist(abs({0}), 3)), 0)", lambda w, a: min(wrap(3 * abs(a), w), 0)),
    ("max_val(plus_scan(plus_scan([abs({0}), 1 + abs({1}), 5, 6])))", lambda w, a, b: max(
        0, wrap(abs(a), w), wrap(2 * abs(a) + 1 + abs(b), w))),
    ("btoi({0} + 1 > {0})", lambda w, a: int(wrap(a + 1, w) > a)),
    ("btoi({0} <= {1} or {0} > {1})", lambda w, a, b: 1),
    ("btoi(abs({0}) >= 0)", lambda w, a: int(wrap(abs(a), w) >= 0)),
]


def limits(bits):
    top = 1 << (bits - 1)
    return [0, 1, -1, 2, 3, 7, 63, 32, top - 1, top - 2, -top + 1, top // 2, top // 2 + 1, -(top // 2), 1 << 16, 46341]


def tree(draw, depth, leaves):
    """(text, function from (width, values of the leaves) to the value)"""
    if depth == 0 or draw.random() < 0.15:
        return draw.choice(leaves)
    text, meaning = draw.choice(INTS)
    arity = max(int(c) for c in "012" if "{" + c + "}" in text) + 1
    kids = [tree(draw, depth - 1, leaves) for _ in range(arity)]
    return (text.format(*[kid[0] for kid in kids]),
            lambda w, env, kids=kids, meaning=meaning: meaning(w, *[kid[1](w, env) for kid in kids]))


def constant(x):
    return f"({x})" if x < 0 else str(x), lambda w, env: wrap(x, w)


def programs(draw, count, bits):
    """Expressions without faults, and what nvm prints of them."""
    numbers = limits(bits)
    variables = [(name, lambda w, env, name=name: env[name]) for name in ("x", "y")]
    made = []
    while len(made) < count:
        leaves = variables + [constant(draw.choice(numbers)) for _ in range(3)]
        text, value = tree(draw, draw.randint(2, 4), leaves)
        xs, ys = ([draw.choice(numbers) for _ in range(3)] for _ in range(2))
        try:
            values = [value(bits, {"x": wrap(x, bits), "y": wrap(y, bits)}) for x, y in zip(xs, ys)]
        except Fault:
            continue
        hidden = [f"{{x + rand(1) : x in [{', '.join(map(str, part))}]}}" for part in (xs, ys)]
        known = f"(let x = {xs[0]}; y = {ys[0]} in {text})"
        each = f"{{{text} : x in {hidden[0]}; y in {hidden[1]}}}"
        one = f"(let v = {hidden[0]}; w = {hidden[1]}; x = v[0]; y = w[0] in {text})"
        shown = ", ".join(map(str, [values[0], values[0], *values]))
        made.append((f"[{known}, {one}] ++ {each} $", f"it = [{shown}] : [int]"))
    return made


def main():
    return known_results.main(__doc__, [([mode for mode in MODES if mode[1] == str(bits)], functools.partial(programs, bits=bits))
                                        for bits in (32, 64)])


if __name__ == "__main__":
    sys.exit(main())
