"""The seven programs with JAX: the whole program in one jit, its loop a fori_loop; integers of 32 bits. P5 in doubles."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)


def _program(begin, turn):
    @functools.partial(jax.jit, static_argnums=(0, 1))
    def run(dims, n):
        at = [jnp.asarray(a) for a in np.indices(dims, np.int32, sparse=True)]
        return lax.fori_loop(0, n, lambda r, y: turn(r, y, at), begin(at, dims).astype(jnp.int32))

    return lambda dims, n: run(dims, n).block_until_ready()


def _start(at, dims):
    return jnp.broadcast_to(at[2] % 133777, dims)


def _p6(_, y, at):
    for d, m in ((2, 13377), (1, 13377), (3, 1337), (0, 13377), (1, 1377)):
        y = (y + at[d]) % m
    return y


def _p7(r, y, at):
    ways = [lambda y: (y + at[3]) % 77689, lambda y: (y + at[0]) % 11799, lambda y: ((y + at[2]) % 1337 + at[2]) % 8888888]
    y = lax.switch(jnp.where(r % 2 != 0, 2, jnp.where(r % 3 == 0, 0, 1)), ways, y)
    return (y + at[2]) % 6678


def _chosen(which, at):
    which = which % 4
    return jnp.where(which == 0, at[0], jnp.where(which == 1, at[1], jnp.where(which == 2, at[2], at[3])))


def _p2(_, y, at):
    i = [at[0][1:-1], at[1][:, 1:], at[2], at[3]]
    a, b, c, d = y[:-2, 1:], y[1:-1, 1:], y[2:, 1:], y[:-2, :-1]
    inner = ((a % 938) + b // 97) % 97717 + _chosen(_chosen(_chosen(c, i), i), i) * (d % 7) % 99
    return jnp.full_like(y, 37).at[1:-1, 1:].set(inner.astype(y.dtype))


@jax.jit
def _himeno(arrays, n):
    p, *others = arrays
    a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk = (x[1:-1, 1:-1, 1:-1] for x in others)

    def turn(_, p):
        def v(i, j, k):
            return p[tuple(slice(1 + o, s - 1 + o) for o, s in zip((i, j, k), p.shape))]
        s = (a0 * v(1, 0, 0) + a1 * v(0, 1, 0) + a2 * v(0, 0, 1) + b0 * (v(1, 1, 0) - v(1, -1, 0) - v(-1, 1, 0) + v(-1, -1, 0))
             + b1 * (v(0, 1, 1) - v(0, -1, 1) - v(0, 1, -1) + v(0, -1, -1)) + b2 * (v(1, 0, 1) - v(-1, 0, 1) - v(1, 0, -1) + v(-1, 0, -1))
             + c0 * v(-1, 0, 0) + c1 * v(0, -1, 0) + c2 * v(0, 0, -1) + wrk)
        return jnp.zeros_like(p).at[1:-1, 1:-1, 1:-1].set(v(0, 0, 0) + 0.8 * (s * a3 - v(0, 0, 0)) * bnd)

    return lax.fori_loop(0, n, turn, p)


PROGRAMS = {
    "P1": _program(lambda at, dims: (7 + at[0] + at[1] + at[2] + at[3]) % 1337, lambda _, y, at: (y + at[0] + at[1] + at[2] + at[3]) % 1337),
    "P2": _program(lambda at, dims: (at[0] + at[1]) % (at[3] + _chosen(at[1], at) + 7), _p2),
    "P3": _program(_start, lambda _, y, at: (y + at[2]) % 13377),
    "P4": _program(lambda at, dims: (at[0] + at[1]) % (at[3] + _chosen(at[1], at) + 7), _p2),
    "P5": lambda arrays, n: _himeno(arrays, n).block_until_ready(),
    "P6": _program(_start, _p6),
    "P7": _program(_start, _p7)}
