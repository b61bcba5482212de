"""Products, combinations, runs and padding, list by list, against itertools."""
import itertools
import random

import nvm
import numpy as np
import pytest


def lists(seed, count, low=-5, high=5):
    r = random.Random(seed)
    return [[r.randint(low, high) for _ in range(r.choice([0, 0, 1, 2, 3, 5]))] for _ in range(count)]


def jagged(v):
    return nvm.from_lengths(np.array([x for one in v for x in one], np.int64), np.array([len(one) for one in v], np.int64))


SIZES = pytest.mark.parametrize("count", [0, 1, 2, 7, 40])


@SIZES
def test_products(count):
    a, b, c = (lists(seed, count) for seed in (1, 2, 3))
    got = nvm.cartesian([jagged(a), jagged(b), jagged(c)])
    assert got.tolist() == [list(itertools.product(*one)) for one in zip(a, b, c)]
    named = nvm.cartesian({"x": jagged(a), "y": jagged(b)})
    assert named.fields == ["x", "y"] and named["y"].tolist() == [[y for _ in v for y in w] for v, w in zip(a, b)]
    places = nvm.argcartesian([jagged(a), jagged(b)])
    assert places.tolist() == [list(itertools.product(range(len(v)), range(len(w)))) for v, w in zip(a, b)]


@SIZES
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("replacement", [False, True])
def test_combinations(count, n, replacement):
    a = lists(4, count)
    chosen = itertools.combinations_with_replacement if replacement else itertools.combinations
    assert nvm.combinations(jagged(a), n, replacement=replacement).tolist() == [list(chosen(v, n)) for v in a]
    places = nvm.argcombinations(jagged(a), n, replacement=replacement)
    assert places.tolist() == [list(chosen(range(len(v)), n)) for v in a]


def test_of_all_elements_of_rows_and_of_what_lists_hold():
    v, m = nvm.array([3, 1, 2]), nvm.array([[1, 2, 3], [4, 5, 6]])
    assert nvm.combinations(v, axis=0).tolist() == [(3, 1), (3, 2), (1, 2)]
    assert nvm.cartesian([v, nvm.array([])], axis=0).tolist() == []
    assert nvm.combinations(m).tolist() == [[(1, 2), (1, 3), (2, 3)], [(4, 5), (4, 6), (5, 6)]]
    points = nvm.zip(x=nvm.jagged([[1, 2], [3]]), y=nvm.jagged([[1.5, 2.5], [3.5]]))
    assert nvm.combinations(points, fields=["a", "b"]).tolist() == [[{"a": {"x": 1, "y": 1.5}, "b": {"x": 2, "y": 2.5}}], []]
    deep = nvm.jagged([[[1], [2, 3]], []])
    assert nvm.combinations(deep).tolist() == [[([1], [2, 3])], []]


def test_pairs_are_made_where_they_are_used():
    def products(j):
        x, y = nvm.combinations(j).unzip()
        return nvm.sum(x * y, axis=-1)

    j = nvm.from_lengths(np.arange(20000.0) % 7, np.full(100, 200))
    with nvm.options(jit="always"), nvm.stats() as s:
        total = products(j)
        total.eval()
    stored = 100 * 199 * 100 * 8  # the products; the pairs would be twice that
    assert (s.regions, s.kernels) == (1, 5) and s.peak_bytes < 1.5 * stored
    v = np.arange(20000.0).reshape(100, 200) % 7
    assert total.tolist() == ((v.sum(1) ** 2 - (v * v).sum(1)) / 2).tolist()


@pytest.mark.parametrize("make, kind, why", [
    (lambda j: nvm.combinations(j, 0), ValueError, "combinations of 0"),
    (lambda j: nvm.combinations(j, 2, fields=["a"]), ValueError, "1 fields for combinations of 2"),
    (lambda j: nvm.combinations(j, axis=2), nvm.errors.AxisError, "axis 0 or 1"),
    (lambda j: nvm.combinations(nvm.array([1, 2])), nvm.errors.AxisError, "axis 0 or 1"),
    (lambda j: nvm.cartesian([]), ValueError, "no arrays"),
    (lambda j: nvm.cartesian([j, jagged([[1]])]), ValueError, "array 2 has 1 lists, the first one 3"),
    (lambda j: nvm.pad(nvm.array([1]), 2, 0), TypeError, "pad takes lists"),
])
def test_what_is_refused(make, kind, why):
    with pytest.raises(kind, match=why):
        make(jagged([[1, 2], [], [3]]))


def test_runs_and_padding():
    for seed in range(10):
        a = lists(seed, 9, 0, 1)
        assert nvm.run_lengths(jagged(a)).tolist() == [[len(list(g)) for _, g in itertools.groupby(v)] for v in a]
        for n in (0, 1, 4):
            assert nvm.pad(jagged(a), n, 9).tolist() == [v + [9] * (n - len(v)) for v in a]
    assert nvm.run_lengths(nvm.array([1.5, 1.5, float("nan"), float("nan")])).tolist() == [2, 1, 1]
    assert nvm.run_lengths(nvm.jagged([[[1, 1], [2]], []])).tolist() == [[[2], [1]], []]
