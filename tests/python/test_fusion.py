"""How many kernels there are: what is composed into what, and what is computed once."""
import math
import operator

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
    "rolled": (lambda: nvm.roll(nvm.asarray(M), 7, axis=0) + 1, lambda: np.roll(M, 7, 0) + 1),
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


# A gather of what is computed would have it written first: a product of matrices all n * n * n numbers.
@pytest.mark.parametrize("made, gathers", [
    (lambda a: a @ nvm.matrix_transpose(a), 2), (lambda a: nvm.sum(a, axis=1), 0), (lambda a: nvm.max(a * 2, axis=-1), 0),
    (lambda a: nvm.sum(nvm.permute_dims(a * 2, (0, 1)), axis=1), 0), (lambda a: nvm.sum(a, axis=0), 1), (lambda a: nvm.roll(a, 3, axis=1), 1)])
def test_what_is_read_where_it_lies(made, gathers):
    assert "".join(nvm.explain(made(nvm.asarray(M))).lines).count("BPERMUTE") == gathers


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


def test_a_function_is_read_once_for_all_elements():
    def step(y):
        return y.map(lambda v, at: (v * 3 + at) % 1337 if v % 2 == 0 else v // 2, with_index=True)

    want = np.arange(N)
    y = nvm.asarray(want)
    for _ in range(4):
        y = step(y)
        want = np.where(want % 2 == 0, (want * 3 + np.arange(N)) % 1337, want // 2)
    assert (y.to_numpy() == want).all()


FACTOR, ADDED = 2, np.full(N, 5)


def scale(v, by=3):
    return v * FACTOR + by


def test_what_a_function_finds_outside_is_looked_up_each_time():
    global FACTOR
    x = nvm.asarray(np.arange(N))
    wanted = np.arange(N)

    def both(k, other):
        return x.map(lambda v, at: scale(v) + k + other[at], with_index=True).to_numpy()

    def other(n):
        return nvm.asarray(np.arange(N) * n)

    try:
        for factor in (2, 2.5, 3, 2):
            FACTOR = factor
            for k in (1, 7.0, True, 1):
                got = both(k, other(k))
                np.testing.assert_array_equal(got, wanted * factor + 3 + k + wanted * int(k))
        before = scale.__defaults__
        scale.__defaults__ = (100,)
        np.testing.assert_array_equal(both(1, other(1)), wanted * 2 + 101 + wanted)
    finally:
        FACTOR, scale.__defaults__ = 2, before


def test_zeros_of_both_signs_and_numbers_of_all_types_are_different_values():
    x = nvm.ones(N)
    for k in (0.0, -0.0, 0, False, float("nan"), 2**62, -(2**63)):
        got = x.map(lambda v: v * k).to_numpy()  # noqa: B023
        np.testing.assert_array_equal(np.signbit(got), np.signbit(np.ones(N) * k))
        np.testing.assert_array_equal(got, np.ones(N) * float(k))


def test_what_may_change_is_looked_at_each_time():
    x, weights = nvm.asarray(np.arange(5000)), [1, 2]

    class Holder:
        k = 1

    for turn in range(3):
        weights[0] = Holder.k = turn
        assert (x.map(lambda v: v * weights[0]).to_numpy() == np.arange(5000) * turn).all()
        assert (x.map(lambda v: v * Holder.k).to_numpy() == np.arange(5000) * turn).all()
        for add in (math.floor, operator.pos):
            assert (x.map(lambda v: v + add(turn)).to_numpy() == np.arange(5000) + turn).all()  # noqa: B023
    random = iter([3, 4])
    assert [int(x.map(lambda v: v + next(random))[0]) for _ in range(2)] == [3, 4]


@pytest.mark.parametrize("n", [0, 1, 2, 900, 5000])
def test_an_element_itself_is_no_index(n):
    """Both are the same promise in the first call, but not in the second."""
    def f(v):
        return nvm.asarray(v).map(lambda a, at: a * 10 + at, with_index=True)

    for v in (nvm.arange(n), nvm.asarray(np.arange(n) * 2), nvm.arange(n)):
        assert f(v).tolist() == [a * 10 + k for k, a in enumerate(v.tolist())]


def test_several_sizes_and_types_and_tuples():
    for n in (3000, 1, 3000, 0, 7):
        for t in (np.int64, np.float32, np.uint8):
            v = (np.arange(n) % 100).astype(t)
            got = nvm.asarray(v).map(lambda a: a * 2 + 1)
            assert got.dtype.name == np.dtype(t).name and (got.to_numpy() == v * 2 + 1).all()
        a, b = nvm.asarray(np.arange(n)).map(lambda a: (a, a + 1)).unzip()
        assert b.tolist() == list(range(1, n + 1)) and a.tolist() == list(range(n))


def test_recording_again_is_no_reading(monkeypatch):
    y = nvm.asarray(np.arange(N))
    from neslvm import expressions

    def step(y):
        return y.stencil([-1, 0, 1], lambda a, b, c: (a + b * 2 + c) // 4, outside=1)

    y = step(y)
    monkeypatch.setattr(expressions, "_EXPRESSIONS", {})  # nothing is read any more
    for _ in range(19):
        y = step(y)
    with pytest.raises(nvm.CompileError):
        y.map(lambda a: a + 1)
    want = np.arange(N)
    for _ in range(20):
        inner = (want[:-2] + want[1:-1] * 2 + want[2:]) // 4
        want = np.concatenate([[1], inner, [1]])
    assert (y.to_numpy() == want).all()
