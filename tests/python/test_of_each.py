"""Functions of lists, numbers and rows, for all of them at once and for one, against Python."""
import math

import numpy as np
import pytest

import nvm
from python_functions import LISTS, NUMBERS, ROWS, as_a_list, scaled
from texts import function_of


def plain(x):
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return plain(x.tolist()) if hasattr(x, "tolist") else x


def equal(a, b):
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    return a == b or isinstance(b, float) and math.isclose(a, b, rel_tol=1e-12)


def jagged(lists):
    flat = np.array([x for v in lists for x in v], dtype=np.int64)
    return nvm.from_lengths(flat, np.array([len(v) for v in lists], dtype=np.int64))


def check(f, got, given):
    want = [plain(f(x)) for x in given]
    assert equal(plain(got), want), f"\n  got      {plain(got)}\n  expected {want}"


@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize("f", LISTS, ids=lambda f: f.__name__)
def test_of_the_list_of_each(f, count):
    rng = np.random.default_rng(count)
    lists = [rng.integers(-3, 9, int(n)).tolist() for n in rng.integers(0, 6, count)]
    check(f, nvm.each(f, jagged(lists)), lists)


@pytest.mark.parametrize("values", [[], [3], [2, 8, -3, 0, 5, 2]])
@pytest.mark.parametrize("f", LISTS, ids=lambda f: f.__name__)
def test_of_one_list(f, values):
    # A list of the host: not an array, whose slices have a + of their own.
    got = nvm.function(f)([x for x in values])
    assert equal(plain(got), plain(f(list(values))))


@pytest.mark.parametrize("values", [[], [0], [7, -4, 1, 0, 12, -1]])
@pytest.mark.parametrize("f", NUMBERS, ids=lambda f: f.__name__)
def test_of_numbers(f, values):
    check(f, nvm.each(f, nvm.array(np.array(values, dtype=np.int64))), values)
    for x in values:
        assert equal(plain(nvm.function(f)(x)), plain(f(x)))


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (4, 3)])
@pytest.mark.parametrize("f", ROWS, ids=lambda f: f.__name__)
def test_rows_are_arrays(f, shape):
    rows = np.random.default_rng(1).integers(0, 9, shape)
    check(f, nvm.each(f, nvm.array(rows)), rows)


def test_rows_stay_regular():
    assert nvm.each(scaled, nvm.ones((4, 3))).type == "4 * 3 * float64"
    assert nvm.each(lambda r: r[1:] - nvm.mean(r), nvm.ones((4, 3))).type == "4 * 2 * float64"
    assert nvm.each(as_a_list, nvm.ones((4, 3))).type == "4 * var * float64"


def test_an_empty_list_has_no_extreme():
    lists = jagged([[1], [], [2]])
    for f in (min, max):
        with pytest.raises(ValueError):
            nvm.each(lambda v, f=f: f(v), lists).eval()
        assert nvm.each(lambda v, f=f: f(v) if len(v) > 0 else -1, lists).tolist() == [1, -1, 2]


def test_components_may_have_lists_of_their_own():
    z = nvm.each(lambda v: (len(v), v[:1], v), jagged([[1, 2], [], [3]]))
    assert z.type == "3 * (int64, var * int64, var * int64)"
    assert z.tolist() == [(2, [1], [1, 2]), (0, [], []), (1, [3], [3])]
    assert z[0].tolist() == (2, [1], [1, 2]) and z[1:].tolist() == [(0, [], []), (1, [3], [3])]
    assert nvm.each(lambda p: p[0] + sum(p[2]), z).tolist() == [5, 0, 4]
    assert nvm.nesl("function total(z) = {n + sum(v) : (n, v, w) in z};")(nvm.each(lambda v: (len(v), v, v), jagged([[1], []]))).tolist() == [2, 0]
    with pytest.raises(TypeError):
        z.map(lambda p: p[0])


SEEN_BY_OTHERS = {
    "parameter": "    v.append(1)\n    return v\n", "second name": "    a = [1]\n    b = a\n    a.append(v[0])\n    return b\n",
    "element": "    m = [[x] for x in v]\n    m[0].append(1)\n    r = m[0]\n    r.append(2)\n    return m[0]\n",
    "stored": "    r = []\n    m = [r]\n    r.append(v[0])\n    return m[0]\n",
    "comprehension": "    r = []\n    [r.append(x) for x in v]\n    return r\n",
    "function around": "    r = []\n    def g(x):\n        r.append(x)\n        return 0\n    g(v[0])\n    return r\n"}


@pytest.mark.parametrize("what", SEEN_BY_OTHERS)
def test_a_change_that_others_would_see_is_refused(what, tmp_path):
    f = function_of("def f(v):\n" + SEEN_BY_OTHERS[what], tmp_path)
    with pytest.raises(nvm.CompileError):
        nvm.each(f, jagged([[1, 2], [3]])).eval()
