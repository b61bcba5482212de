"""The seven programs with Numba, fused by hand: one parallel loop over planes, for each stencil one more."""
import numba
import numpy as np


@numba.njit(parallel=True)
def p1(dims, n):
    ni, nj, nk, nl = dims
    y = np.empty(dims, np.int32)
    for p in numba.prange(ni * nj):
        i, j = p // nj, p % nj
        for k in range(nk):
            for l in range(nl):  # noqa: E741
                s = np.int32(i + j + k + l)
                x = (np.int32(7) + s) % np.int32(1337)
                for _ in range(n):
                    x = (x + s) % np.int32(1337)
                y[i, j, k, l] = x
    return y


@numba.njit(parallel=True)
def p3(dims, n):
    ni, nj, nk, nl = dims
    y = np.empty(dims, np.int32)
    for p in numba.prange(ni * nj):
        for k in range(nk):
            for l in range(nl):  # noqa: E741
                x, s = np.int32(k) % np.int32(133777), np.int32(k)
                for _ in range(n):
                    x = (x + s) % np.int32(13377)
                y[p // nj, p % nj, k, l] = x
    return y


@numba.njit(parallel=True)
def p6(dims, n):
    ni, nj, nk, nl = dims
    y = np.empty(dims, np.int32)
    for p in numba.prange(ni * nj):
        i, j = np.int32(p // nj), np.int32(p % nj)
        for k in range(nk):
            for l in range(nl):  # noqa: E741
                x = np.int32(k) % np.int32(133777)
                for _ in range(n):
                    x = (x + np.int32(k)) % np.int32(13377)
                    x = (x + j) % np.int32(13377)
                    x = (x + np.int32(l)) % np.int32(1337)
                    x = (x + i) % np.int32(13377)
                    x = (x + j) % np.int32(1377)
                y[p // nj, p % nj, k, l] = x
    return y


@numba.njit(parallel=True)
def p7(dims, n):
    ni, nj, nk, nl = dims
    y = np.empty(dims, np.int32)
    for p in numba.prange(ni * nj):
        i = np.int32(p // nj)
        for k in range(nk):
            for l in range(nl):  # noqa: E741
                x = np.int32(k) % np.int32(133777)
                for r in range(n):
                    if r % 2 == 0:
                        x = (x + np.int32(l)) % np.int32(77689) if r % 3 == 0 else (x + i) % np.int32(11799)
                    else:
                        x = ((x + np.int32(k)) % np.int32(1337) + np.int32(k)) % np.int32(8888888)
                    x = (x + np.int32(k)) % np.int32(6678)
                y[p // nj, p % nj, k, l] = x
    return y


@numba.njit
def chosen(which, i, j, k, l):  # noqa: E741
    which %= 4
    return i if which == 0 else j if which == 1 else k if which == 2 else l


@numba.njit(parallel=True)
def p2(dims, n):
    ni, nj, nk, nl = dims
    y = np.empty(dims, np.int32)
    made = np.empty(dims, np.int32)
    for p in numba.prange(ni * nj):
        i, j = p // nj, p % nj
        for k in range(nk):
            for l in range(nl):  # noqa: E741
                y[i, j, k, l] = (i + j) % (l + chosen(j, i, j, k, l) + 7)
    for _ in range(n):
        for p in numba.prange(ni * nj):
            i, j = p // nj, p % nj
            if i == 0 or i == ni - 1 or j == 0:
                made[i, j] = 37
            else:
                for k in range(nk):
                    for l in range(nl):  # noqa: E741
                        c = chosen(chosen(chosen(y[i + 1, j, k, l], i, j, k, l), i, j, k, l), i, j, k, l)
                        made[i, j, k, l] = (y[i - 1, j, k, l] % 938 + y[i, j, k, l] // 97) % 97717 + c * (y[i - 1, j - 1, k, l] % 7) % 99
        y, made = made, y
    return y


@numba.njit(parallel=True)
def himeno(p, a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk, n):
    ni, nj, nk = p.shape
    p, made = p.copy(), np.zeros_like(p)
    for _ in range(n):
        for i in numba.prange(1, ni - 1):
            for j in range(1, nj - 1):
                for k in range(1, nk - 1):
                    s = (a0[i, j, k] * p[i + 1, j, k] + a1[i, j, k] * p[i, j + 1, k] + a2[i, j, k] * p[i, j, k + 1]
                         + b0[i, j, k] * (p[i + 1, j + 1, k] - p[i + 1, j - 1, k] - p[i - 1, j + 1, k] + p[i - 1, j - 1, k])
                         + b1[i, j, k] * (p[i, j + 1, k + 1] - p[i, j - 1, k + 1] - p[i, j + 1, k - 1] + p[i, j - 1, k - 1])
                         + b2[i, j, k] * (p[i + 1, j, k + 1] - p[i - 1, j, k + 1] - p[i + 1, j, k - 1] + p[i - 1, j, k - 1])
                         + c0[i, j, k] * p[i - 1, j, k] + c1[i, j, k] * p[i, j - 1, k] + c2[i, j, k] * p[i, j, k - 1] + wrk[i, j, k])
                    made[i, j, k] = p[i, j, k] + 0.8 * (s * a3[i, j, k] - p[i, j, k]) * bnd[i, j, k]
        p, made = made, p
        if _ == 0:
            made[0], made[-1], made[:, 0], made[:, -1], made[:, :, 0], made[:, :, -1] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return p


PROGRAMS = {"P1": p1, "P2": p2, "P3": p3, "P4": p2, "P5": lambda arrays, n: himeno(*arrays, n), "P6": p6, "P7": p7}


def threads(n):
    numba.set_num_threads(n)
