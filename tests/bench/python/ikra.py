#!/usr/bin/env python3
"""The seven programs of the paper on Ikra (Springer, Wauligmann, Masuhara, ARRAY 2017) beside NumPy's loops.

    ikra.py [--full] [P1 ...]        with neslvm installed; small sizes unless --full

Milliseconds of one run after a first one, whose time stands beside it; kernels and compilations of the first. What NumPy gives is
compared before times are taken."""
import sys
import time

import numpy as np
import nvm

SMALL, FULL = (20, 50, 50, 12), (20, 500, 500, 2)


def new(dims, m):
    return nvm.new(dims, lambda i, j, k, l: k % m)  # noqa: E741


def add(d, m):
    """(x + index of dimension d) % m, as a section and in NumPy."""
    section = (lambda x, at: (x + at[0]) % m, lambda x, at: (x + at[1]) % m, lambda x, at: (x + at[2]) % m, lambda x, at: (x + at[3]) % m)[d]
    return (lambda y: y.map(section, with_index=True)), (lambda y, index: (y + index[d]) % m)


def straight(start, steps):
    """A program that maps one step after the other."""

    def mine(dims):
        y = start(dims)
        for step, _ in steps:
            y = step(y)
        return y

    def numpys(dims):
        index = np.indices(dims, sparse=True)
        y = np.broadcast_to(index[2] % 133777, dims)
        for _, step in steps:
            y = step(y, index)
        return y

    return mine, numpys


def p1():
    def mine(dims):
        a = nvm.new(dims, lambda i, j, k, l: (7 + i + j + k + l) % 1337)  # noqa: E741
        for _ in range(10):
            a = a.map(lambda x, at: (x + at[0] + at[1] + at[2] + at[3]) % 1337, with_index=True)
        return a

    def numpys(dims):
        at = np.indices(dims, sparse=True)
        s = at[0] + at[1] + at[2] + at[3]
        x = (7 + s) % 1337
        for _ in range(10):
            x = (x + s) % 1337
        return x

    return mine, numpys


OFFSETS = [(-1, 0, 0, 0), (0, 0, 0, 0), (1, 0, 0, 0), (-1, -1, 0, 0)]


def stencils(turns):
    def section(a, b, c, d, i):
        return ((a % 938) + b // 97) % 97717 + i[i[i[c % 4] % 4] % 4] * (d % 7) % 99

    def mine(dims):
        y = nvm.new(dims, lambda i, j, k, l: (i + j) % (l + (i, j, k, l)[j % 4] + 7))  # noqa: E741
        for _ in range(turns):
            y = y.stencil(OFFSETS, section, outside=37, with_index=True)
        return y

    def numpys(dims):
        at = np.indices(dims)
        pick = lambda k: np.choose(k % 4, list(at))  # noqa: E731
        y = (at[0] + at[1]) % (at[3] + pick(at[1]) + 7)
        for _ in range(turns):
            a, c, d = y[:-2, 1:], y[2:, 1:], y[:-2, :-1]
            b, i = y[1:-1, 1:], at[:, 1:-1, 1:]
            inner = lambda k, i=i: np.choose(k % 4, list(i))  # noqa: E731
            made = np.full(dims, 37)
            made[1:-1, 1:] = ((a % 938) + b // 97) % 97717 + inner(inner(inner(c))) * (d % 7) % 99
            y = made
        return y

    return mine, numpys


def p5(turns, shape=(33, 17, 17)):
    """Himeno with its constants, whose sums of b times differences are zero."""

    def section(v, at):
        sums = v[1, 0, 0] * 0.0 + v[0, 1, 0] * 0.0 + v[0, 0, 1] * 0.0 + v[-1, 0, 0] + v[0, -1, 0] + v[0, 0, -1]
        return v[0, 0, 0] + 0.8 * (sums * (1.0 / 6) - v[0, 0, 0])

    def mine(_):
        n = shape[0]
        p = nvm.asarray(np.broadcast_to((np.arange(n) ** 2 / (n - 1) ** 2)[:, None, None], shape).copy())
        for _ in range(turns):
            p = p.stencil([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)], section, outside=0.0, relative=True,
                          with_index=True)
        return p

    def numpys(_):
        n = shape[0]
        p = np.broadcast_to((np.arange(n) ** 2 / (n - 1) ** 2)[:, None, None], shape).copy()
        for _ in range(turns):
            c = p[1:-1, 1:-1, 1:-1]
            sums = (p[2:, 1:-1, 1:-1] * 0.0 + p[1:-1, 2:, 1:-1] * 0.0 + p[1:-1, 1:-1, 2:] * 0.0 + p[:-2, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1]
                    + p[1:-1, 1:-1, :-2])
            made = np.zeros(shape)
            made[1:-1, 1:-1, 1:-1] = c + 0.8 * (sums * (1.0 / 6) - c)
            p = made
        return p

    return mine, numpys


def programs(full):
    k = 2 if full else 1

    def start(dims):
        return new(dims, 133777)

    turn6 = [add(2, 13377), add(1, 13377), add(3, 1337), add(0, 13377), add(1, 1377)]
    steps7 = []
    for r in range(20 * k):
        steps7 += [add(3, 77689) if r % 3 == 0 else add(0, 11799)] if r % 2 == 0 else [add(2, 1337), add(2, 8888888)]
        steps7.append(add(2, 6678))
    return {"P1": p1(), "P2": stencils(10), "P3": straight(start, [add(2, 13377)] * (50 * k)), "P4": stencils(20 * k), "P5": p5(100),
            "P6": straight(start, turn6 * (10 * k)), "P7": straight(start, steps7)}


def milliseconds(f, dims):
    begin = time.perf_counter()
    result = f(dims)
    if isinstance(result, nvm.Array):
        result.eval()
    return (time.perf_counter() - begin) * 1e3, result


def main(arguments):
    full = "--full" in arguments
    dims = FULL if full else SMALL
    wanted = [a for a in arguments if a.startswith("P")]
    print(f"{'':4}{'nvm':>10}{'first':>10}{'kernels':>9}{'compiled':>9}{'NumPy':>10}")
    for name, (mine, numpys) in programs(full).items():
        if wanted and name not in wanted:
            continue
        with nvm.stats() as s:
            first, got = milliseconds(mine, dims)
        theirs, want = milliseconds(numpys, dims)
        np.testing.assert_allclose(got.to_numpy(), want, rtol=1e-12, err_msg=name)
        again, _ = milliseconds(mine, dims)
        print(f"{name:4}{again:>10.1f}{first:>10.1f}{s.kernels:>9}{s.compiled:>9}{theirs:>10.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
