"""Jagged arrays of two and three levels: indices of every kind, writes, joining and spreading, against lists of Python."""
import numpy as np
import pytest

import nvm

SEEDS = range(12)
SLICES = [slice(None), slice(1, None), slice(None, -1), slice(None, None, -1), slice(4, 0, -2), slice(-2, 9, 2), slice(3, 1), slice(0)]


def lists(rng, depth, count=None):
    n = int(rng.integers(0, 5)) if count is None else count
    return rng.integers(-9, 9, n).tolist() if depth == 1 else [lists(rng, depth - 1) for _ in range(n)]


def leaves(x, depth):
    return x if depth == 1 else [v for part in x for v in leaves(part, depth - 1)]


def array(x, depth):
    """Jagged in all dimensions, however many lists are empty."""
    made, level, lengths = nvm.array(np.array(leaves(x, depth), dtype=np.int64)), x, []
    for _ in range(depth - 1):
        lengths.append([len(v) for v in level])
        level = [v for part in level for v in part]
    for n in reversed(lengths):
        made = nvm.from_lengths(made, np.array(n, dtype=np.int64))
    return made


def outcome(f):
    try:
        got = f()
        return got.tolist() if isinstance(got, nvm.Array) else got
    except IndexError:
        return IndexError


def chosen(x, keys):
    """x[keys], with Python's lists."""
    if not keys:
        return x
    first, rest = keys[0], keys[1:]
    return [chosen(v, rest) for v in x[first]] if isinstance(first, slice) else chosen(x[first], rest)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_index_of_any_kind(seed, depth):
    rng = np.random.default_rng(seed)
    x = lists(rng, depth)
    j = array(x, depth)
    for _ in range(40):
        keys = tuple(SLICES[rng.integers(len(SLICES))] if rng.random() < 0.6 else int(rng.integers(-3, 3)) for _ in range(rng.integers(1, depth + 1)))
        assert outcome(lambda keys=keys: j[keys]) == outcome(lambda keys=keys: chosen(x, keys)), (x, keys)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_writes(seed, depth):
    rng = np.random.default_rng(seed)
    x = lists(rng, depth, 4)
    for keys in ((slice(None, None, 2),), (slice(None), slice(1, None)), (-1,), (1, slice(None, None, -1))):
        j = array(x, depth)
        before = j + 0
        j[keys] = 99
        marked = array(x, depth) * 0
        marked[keys] = 1
        assert nvm.sum(marked).item() == len(leaves_of(chosen(x, keys)))
        assert j.tolist() == nvm.where(marked == 1, 99, before).tolist() and before.tolist() == x
    j = array(x, depth)
    j[1:] = j[1:] * 2
    assert j.tolist() == [x[0], *array(x[1:], depth).map(lambda v: v * 2).tolist()]


def leaves_of(x):
    return [v for part in x for v in leaves_of(part)] if isinstance(x, list) else [x]


@pytest.mark.parametrize("seed", SEEDS)
def test_joined_at_each_depth(seed):
    rng = np.random.default_rng(seed)
    x, y = lists(rng, 3, 3), lists(rng, 3, 3)
    a, b = array(x, 3), array(y, 3)
    assert nvm.concat([a, b]).tolist() == x + y
    assert nvm.concat([a, b], axis=1).tolist() == [v + w for v, w in zip(x, y)]
    doubled = nvm.concat([a, a * 2, a], axis=-1)
    assert doubled.tolist() == [[w + [2 * e for e in w] + w for w in v] for v in x]


@pytest.mark.parametrize("seed", SEEDS)
def test_one_value_for_each_inner_list_spreads(seed):
    rng = np.random.default_rng(seed)
    x = lists(rng, 3)
    j = array(x, 3)
    total = nvm.sum(j, axis=-1, keepdims=True)
    assert total.type == f"{len(x)} * var * 1 * int64"
    assert (j - total).tolist() == [[[e - sum(w) for e in w] for w in v] for v in x]
    assert (j - nvm.sum(j, axis=-1)).tolist() == (j - total).tolist()


def test_what_does_not_fit_is_refused():
    j = array([[[1], [2, 3]], [[4]]], 3)
    with pytest.raises(ValueError):
        j + array([[[1], [2]], [[4]]], 3)
    with pytest.raises(ValueError):
        nvm.concat([j, j[:1]], axis=1)
    with pytest.raises(IndexError):
        j[0, 0, 0, 0]
    with pytest.raises(IndexError):
        j[:, 1].eval()
