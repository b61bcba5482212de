"""The seven programs of the paper on Ikra (Springer, Wauligmann, Masuhara, ARRAY 2017), with nvm and with NumPy.

Each takes the dimensions and how many turns its loop makes; P5 (Himeno) takes its arrays instead of dimensions."""
import numpy as np
import nvm

STENCIL = [(-1, 0, 0, 0), (0, 0, 0, 0), (1, 0, 0, 0), (-1, -1, 0, 0)]
HIMENO = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -1, 0), (-1, 1, 0), (-1, -1, 0), (0, 1, 1), (0, -1, 1), (0, 1, -1),
          (0, -1, -1), (1, 0, 1), (-1, 0, 1), (1, 0, -1), (-1, 0, -1), (-1, 0, 0), (0, -1, 0), (0, 0, -1)]


def himeno_arrays(shape):
    """p; a0 to a3, b0 to b2, c0 to c2, bnd and wrk with the benchmark's values."""
    k = np.arange(float(shape[2]))
    p = np.broadcast_to(k * k / (shape[2] - 1) ** 2, shape).copy()
    values = (0, 0, 0, 1 / 6, 0, 0, 0, 1, 1, 1, 1, 0)
    return (p, *(np.full(shape, float(v)) for v in values))


def himeno_random(shape):
    """The same with arrays that need every neighbour."""
    random = np.random.default_rng(5)
    return tuple(random.random(shape) * 0.2 for _ in range(13))


# With nvm.


def start(dims):
    return nvm.new(dims, lambda i, j, k, l: k % 133777)  # noqa: E741


@nvm.function
def p1(a, n):
    for _ in range(n):
        a = a.map(lambda x, at: (x + at[0] + at[1] + at[2] + at[3]) % 1337, with_index=True)
    return a


@nvm.function
def p2(a, n):
    for _ in range(n):
        a = a.stencil(STENCIL, lambda a, b, c, d, i: ((a % 938) + b // 97) % 97717 + i[i[i[c % 4] % 4] % 4] * (d % 7) % 99, outside=37,
                      with_index=True)
    return a


@nvm.function
def p3(y, n):
    for _ in range(n):
        y = y.map(lambda x, at: (x + at[2]) % 13377, with_index=True)
    return y


@nvm.function
def p5(p, a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk, n):
    for _ in range(n):
        p = p.stencil(HIMENO, lambda v, at: v[0, 0, 0] + 0.8 * (
            (a0[at] * v[1, 0, 0] + a1[at] * v[0, 1, 0] + a2[at] * v[0, 0, 1]
             + b0[at] * (v[1, 1, 0] - v[1, -1, 0] - v[-1, 1, 0] + v[-1, -1, 0])
             + b1[at] * (v[0, 1, 1] - v[0, -1, 1] - v[0, 1, -1] + v[0, -1, -1])
             + b2[at] * (v[1, 0, 1] - v[-1, 0, 1] - v[1, 0, -1] + v[-1, 0, -1])
             + c0[at] * v[-1, 0, 0] + c1[at] * v[0, -1, 0] + c2[at] * v[0, 0, -1] + wrk[at]) * a3[at] - v[0, 0, 0]) * bnd[at],
            outside=0.0, relative=True, with_index=True)
    return p


@nvm.function
def p6(y, n):
    for _ in range(n):
        y = y.map(lambda x, at: (x + at[2]) % 13377, with_index=True).map(lambda x, at: (x + at[1]) % 13377, with_index=True)
        y = y.map(lambda x, at: (x + at[3]) % 1337, with_index=True).map(lambda x, at: (x + at[0]) % 13377, with_index=True)
        y = y.map(lambda x, at: (x + at[1]) % 1377, with_index=True)
    return y


@nvm.function
def p7(y, n):
    for r in range(n):
        if r % 2 == 0:
            y = (y.map(lambda x, at: (x + at[3]) % 77689, with_index=True) if r % 3 == 0
                 else y.map(lambda x, at: (x + at[0]) % 11799, with_index=True))
        else:
            y = y.map(lambda x, at: (x + at[2]) % 1337, with_index=True).map(lambda x, at: (x + at[2]) % 8888888, with_index=True)
        y = y.map(lambda x, at: (x + at[2]) % 6678, with_index=True)
    return y


def start_p1(dims):
    return nvm.new(dims, lambda i, j, k, l: (7 + i + j + k + l) % 1337)  # noqa: E741


def start_p2(dims):
    return nvm.new(dims, lambda i, j, k, l: (i + j) % (l + (i, j, k, l)[j % 4] + 7))  # noqa: E741


def _with_nvm(begin, run):
    return lambda dims, n: run(begin(dims), n).eval()


NVM = {"P1": _with_nvm(start_p1, p1), "P2": _with_nvm(start_p2, p2), "P3": _with_nvm(start, p3), "P4": _with_nvm(start_p2, p2),
       "P5": lambda arrays, n: p5(*map(nvm.asarray, arrays), n).eval(), "P6": _with_nvm(start, p6), "P7": _with_nvm(start, p7)}


# With NumPy, integers of 32 bits.


def _index(dims, sparse=True):
    return np.indices(dims, np.int32, sparse=sparse)


def _numpy_start(at, dims):
    return np.broadcast_to(at[2] % 133777, dims)


def numpy_p1(dims, n):
    at = _index(dims)
    x = (7 + at[0] + at[1] + at[2] + at[3]) % 1337
    for _ in range(n):
        x = (x + at[0] + at[1] + at[2] + at[3]) % 1337
    return x


def numpy_p2(dims, n):
    at = _index(dims, sparse=False)
    chosen = lambda k, i: np.choose(k % 4, list(i))  # noqa: E731
    y = (at[0] + at[1]) % (at[3] + chosen(at[1], at) + 7)
    i = at[:, 1:-1, 1:]
    for _ in range(n):
        a, b, c, d = y[:-2, 1:], y[1:-1, 1:], y[2:, 1:], y[:-2, :-1]
        made = np.full(dims, 37, np.int32)
        made[1:-1, 1:] = ((a % 938) + b // 97) % 97717 + chosen(chosen(chosen(c, i), i), i) * (d % 7) % 99
        y = made
    return y


def numpy_p3(dims, n):
    at = _index(dims)
    y = _numpy_start(at, dims)
    for _ in range(n):
        y = (y + at[2]) % 13377
    return y


def numpy_p5(arrays, n):
    p, a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk = arrays
    inner = slice(1, -1)
    a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk = (x[inner, inner, inner] for x in (a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk))
    for _ in range(n):
        def v(i, j, k, p=p):
            return p[tuple(slice(1 + o, s - 1 + o) for o, s in zip((i, j, k), p.shape))]
        s = (a0 * v(1, 0, 0) + a1 * v(0, 1, 0) + a2 * v(0, 0, 1) + b0 * (v(1, 1, 0) - v(1, -1, 0) - v(-1, 1, 0) + v(-1, -1, 0))
             + b1 * (v(0, 1, 1) - v(0, -1, 1) - v(0, 1, -1) + v(0, -1, -1)) + b2 * (v(1, 0, 1) - v(-1, 0, 1) - v(1, 0, -1) + v(-1, 0, -1))
             + c0 * v(-1, 0, 0) + c1 * v(0, -1, 0) + c2 * v(0, 0, -1) + wrk)
        made = np.zeros(p.shape)
        made[inner, inner, inner] = v(0, 0, 0) + 0.8 * (s * a3 - v(0, 0, 0)) * bnd
        p = made
    return p


def numpy_p6(dims, n):
    at = _index(dims)
    y = _numpy_start(at, dims)
    for _ in range(n):
        for d, m in ((2, 13377), (1, 13377), (3, 1337), (0, 13377), (1, 1377)):
            y = (y + at[d]) % m
    return y


def numpy_p7(dims, n):
    at = _index(dims)
    y = _numpy_start(at, dims)
    for r in range(n):
        if r % 2 == 0:
            y = (y + at[3]) % 77689 if r % 3 == 0 else (y + at[0]) % 11799
        else:
            y = ((y + at[2]) % 1337 + at[2]) % 8888888
        y = (y + at[2]) % 6678
    return y


NUMPY = {"P1": numpy_p1, "P2": numpy_p2, "P3": numpy_p3, "P4": numpy_p2, "P5": numpy_p5, "P6": numpy_p6, "P7": numpy_p7}
