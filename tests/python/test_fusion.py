"""How many kernels there are: what is composed into what, and what is computed once."""
import numpy as np
import nvm
import pytest

N = 100_000
X = np.random.default_rng(7).random(N)
K = np.random.default_rng(8).integers(0, N, N)
M = np.random.default_rng(9).random((300, 400))
LENGTHS = np.random.default_rng(10).integers(0, 20, N // 10)
DATA = np.random.default_rng(11).random(int(LENGTHS.sum()))


@pytest.fixture(autouse=True)
def compiled():
    with nvm.options(jit="always", fusion="exact"):
        yield


def x():
    return nvm.asarray(X)


def jagged():
    return nvm.from_lengths(DATA, LENGTHS)


ONE_KERNEL = {
    "mean": (lambda: nvm.mean(x() * 2), lambda: (X * 2).mean()),
    "max of floats": (lambda: nvm.max(x() * 2), lambda: (X * 2).max()),
    "norm": (lambda: nvm.sqrt(nvm.sum((x() - 1) ** 2)), lambda: np.sqrt(((X - 1) ** 2).sum())),
    "mean of a mask": (lambda: nvm.mean(x()[x() > 0.5] * 2), lambda: (X[X > 0.5] * 2).mean()),
    "sum of where": (lambda: nvm.sum(nvm.where(x() > 0.5, x(), 0.0)), lambda: np.where(X > 0.5, X, 0).sum()),
    "sum of rows": (lambda: nvm.sum(nvm.asarray(M) * 2, axis=1), lambda: (M * 2).sum(axis=1)),
    "sum of what is gathered": (lambda: nvm.sum(x()[nvm.asarray(K)]), lambda: X[K].sum()),
    "sums of lists": (lambda: nvm.sum(jagged() * 2, axis=-1), lambda: np.add.reduceat(np.append(DATA * 2, 0), np.cumsum(LENGTHS) - LENGTHS) * (LENGTHS > 0)),
    "new with indices": (lambda: nvm.sum(nvm.new((300, 400), lambda i, j: i * j % 7)), lambda: (np.indices((300, 400)).prod(axis=0) % 7).sum()),
    "a stencil of two dimensions": (
        lambda: nvm.sum(nvm.asarray(M).stencil([(0, 0), (1, 0)], lambda a, b: a + b, outside=0.0)), lambda: (M[:-1] + M[1:]).sum()),
    "numbers, and a map": (lambda: x() * 2 + 1, lambda: X * 2 + 1)}


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_one_kernel(name):
    made, want = ONE_KERNEL[name]
    with nvm.stats() as s:
        got = made().eval()
    assert s.kernels == 1
    np.testing.assert_allclose(got.to_numpy(), want(), rtol=1e-11, atol=1e-13)


TWO_KERNELS = {
    "minus the mean": (lambda: x() - nvm.mean(x()), lambda: X - X.mean()),
    "variance": (lambda: nvm.var(x() * 2), lambda: (X * 2).var()),
    "divided by the largest": (lambda: x() / nvm.max(x()), lambda: X / X.max()),
    "normalised": (lambda: x() / nvm.sqrt(nvm.sum(x() * x())), lambda: X / np.sqrt((X * X).sum()))}


@pytest.mark.parametrize("name", TWO_KERNELS)
def test_what_a_sum_must_be_complete_for(name):
    made, want = TWO_KERNELS[name]
    with nvm.stats() as s:
        got = made().eval()
    assert s.kernels == 2
    np.testing.assert_allclose(got.to_numpy(), want(), rtol=1e-11, atol=1e-13)


def test_what_is_said_twice_is_one_promise():
    a = x()
    once, twice = nvm.exp(a), nvm.exp(a)
    once.eval()
    assert twice.is_evaluated
    whole = nvm.asarray(np.arange(N))
    first, second = whole // whole, whole // whole  # may fail: each has its line
    with pytest.raises(ZeroDivisionError) as e:
        second.eval()
    assert e.value.nvm_origin.function == "test_what_is_said_twice_is_one_promise" and not first.is_evaluated


def test_indices_of_one_shape_are_recorded_once():
    def maps(n):
        a = nvm.new((20, 25, 30, 12), lambda i, j, k, m: (i + j + k + m) % 1337)
        for _ in range(n):
            a = a.map(lambda v, at: (v + at[0] + at[1] + at[2] + at[3]) % 1337, with_index=True)
        return a

    at = np.indices((20, 25, 30, 12)).sum(axis=0)
    want = at % 1337
    for _ in range(10):
        want = (want + at) % 1337
    with nvm.stats() as s:
        got = maps(10).eval()
    assert s.kernels == 1 and (got.to_numpy() == want).all()


def test_shapes_are_data():
    def run(n, m):
        a = nvm.asarray(np.arange(n * m).reshape(n, m))
        return a.map(lambda v, at: v * at[1] + at[0], with_index=True).stencil([(0, 0), (1, -1)], lambda p, q: p - q, outside=0)

    run(80, 90).eval()
    with nvm.stats() as s:
        for n, m in ((90, 80), (81, 91), (70, 99)):
            v, i = np.arange(n * m).reshape(n, m), np.indices((n, m))
            y = v * i[1] + i[0]
            want = np.zeros((n, m), dtype=np.int64)
            want[:-1, 1:] = y[:-1, 1:] - y[1:, :-1]
            assert (run(n, m).to_numpy() == want).all()
    assert s.compiled == 0


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (1, 1), (1, 4), (4, 1), (2, 0, 3), (3, 1, 5), (2, 3, 4, 5)])
@pytest.mark.parametrize("tiled", [1, 3000])
def test_indices_of_every_shape(shape, tiled):
    shape = (shape[0] * tiled, *shape[1:])
    last = len(shape) - 1
    got = nvm.zeros(shape, dtype=nvm.int64).map(lambda v, at: v + at[0] * 1000 + at[last], with_index=True)
    i = np.indices(shape)
    assert (got.to_numpy() == i[0] * 1000 + i[-1]).all() and got.shape == shape
