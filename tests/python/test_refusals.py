"""What functions of Python mean at the borders: lists and their operators, large integers, constants that fail, sources that cannot be
read; in Python's words, or refused with a line."""
import linecache

import numpy as np
import pytest

import nvm
from neslvm import borrowed
from texts import function_of

BIG = 2**63
U = np.array([2**64 - 1, 2**63, 3], np.uint64)
ROWS = nvm.array([[3, 1], [2]])


# Lists have Python's operators.


@nvm.function
def times(v, n):
    return [x for x in v] * n


@nvm.function
def times_before(n):
    return 2 * [[i, 1] for i in range(n)]


@nvm.function
def longer(v):
    w = [x for x in v]
    w *= 2
    return w


def test_a_list_times_a_number_is_repeated():
    for n in (-1, 0, 1, 3):
        for v in ([1, 2], nvm.array([1, 2])):
            assert times(v, n).tolist() == [1, 2] * n
    assert times_before(2).tolist() == times_before.python(2)
    assert longer(nvm.array([1, 2])).tolist() == [1, 2, 1, 2]


@nvm.function
def less(v):
    return [x for x in v] - 1


@nvm.function
def negative(v):
    return -[x for x in v]


@nvm.function
def by_a_list(v):
    return [x for x in v] * [x for x in v]


@nvm.function
def by_a_fraction(v):
    return [x for x in v] * 1.5


@pytest.mark.parametrize("f", [less, negative, by_a_list, by_a_fraction])
def test_operators_that_lists_do_not_have(f):
    with pytest.raises(TypeError, match="list") as e:
        f(nvm.array([1, 2]))
    assert "[x for x in v]" in linecache.getline(*e.value.nvm_origin[:2])


@nvm.function
def ordered(v, w):
    return [x for x in v] < [x for x in w], [x for x in v] == [x for x in w]


@nvm.function
def by_an_array(v, a):
    return [x for x in v] * a, a - [x for x in v]


def test_lists_are_compared_as_a_whole_and_meet_arrays_by_element():
    for v, w in (([1, 2], [1, 3]), ([1, 2], [1, 2]), ([2], [1, 5])):
        assert [bool(x) for x in ordered(nvm.array(v), nvm.array(w))] == [v < w, v == w]
    product, difference = by_an_array(nvm.array([1, 2]), nvm.array([3, 5]))
    assert product.tolist() == [3, 10] and difference.tolist() == [2, 3]


# Integers of more than 64 bits.


@nvm.function
def small(x):
    return x < 2**63


@nvm.function
def small_ones(v):
    return [x for x in v if x < 2**63]


@nvm.function
def beyond(x):
    return x + 2**63


def test_large_literals_are_what_they_are():
    u = nvm.asarray(U)
    assert u.map(lambda x: x < 2**63).tolist() == (U < BIG).tolist()
    assert u.map(lambda x: x == 2**64 - 1).tolist() == [True, False, False]
    assert u.map(lambda x: x >= BIG).tolist() == [True, True, False]
    assert u.map(lambda x: x - (1 << 63)).tolist() == (U - np.uint64(BIG)).tolist()
    assert small_ones(u).tolist() == [3] and small(u).tolist() == [False, False, True]
    assert small_ones(nvm.array([1, -2])).tolist() == [1, -2] and bool(small(5)) and bool(small(1.5))
    assert nvm.array([1, -2]).map(lambda x: x < 2**63).tolist() == [True, True]
    assert nvm.array([1.5]).map(lambda x: x * 2**63).tolist() == [1.5 * 2**63]


def test_large_literals_that_do_not_fit_are_refused():
    with pytest.raises(OverflowError, match="9223372036854775808"):
        beyond(5)
    for f in (lambda x: x + 2**63, lambda x: min(x, 2**63), lambda x: 2**63, lambda x: x if x > 5 else -(2**64)):
        with pytest.raises(OverflowError):
            nvm.array([1, 2]).map(f).eval()


# Constants that fail where nobody needs them.


def in_a_branch(x):
    y = 0
    if x < 0:
        if x < -100:
            return 3
        y = 1 // 0
    return x + y


def out_of_a_branch(x):
    return x if x > 0 else int("a")


FAILING = [lambda x: x if x > 0 else 1 // 0, lambda x: x > 0 or 1 / 0, lambda x: x <= 0 and (1, 2)[5], lambda x: x if x > 0 else [1, 2][7],
           in_a_branch, out_of_a_branch]


@pytest.mark.parametrize("f", FAILING)
def test_a_constant_fails_only_where_it_is_needed(f):
    assert nvm.array([5, 6]).map(f).tolist() == [f(5), f(6)]
    assert nvm.each(lambda v: [f(x) for x in v], nvm.array([[5], []])).tolist() == [[f(5)], []]
    with pytest.raises((ArithmeticError, LookupError, ValueError)) as e:
        f(-5)
    with pytest.raises(e.type) as failed:
        nvm.array([5, -5]).map(f).eval()
    assert failed.value.nvm_origin.filename == __file__


def test_a_constant_fails_not_for_no_elements():
    none = nvm.array([], dtype=nvm.int64)
    assert none.map(lambda x: 1 // 0).tolist() == none.map(lambda x: 1 // 0 if x > 0 else (1, 2)[5]).tolist() == []
    wide = nvm.arange(5000)
    assert wide[wide < 0].map(lambda x: 1 // 0).tolist() == []
    assert nvm.each(lambda v: [1 // 0 for _ in v], nvm.from_lengths(np.zeros(0), np.array([0, 0]))).tolist() == [[], []]


# Sources.


def unread(text):
    names = {}
    exec(f"import math\nf = {text}", names)
    return names["f"]


@pytest.mark.parametrize("text", ["lambda v: max(v) - min(v)", "lambda v: v + 1", "lambda v: len(v)", "lambda v: [x for x in v]", "lambda v: v[0]"])
def test_a_function_of_lists_whose_source_cannot_be_read(text):
    with pytest.raises(nvm.CompileError, match="source.*cannot be read") as e:
        nvm.each(unread(text), ROWS)
    assert (e.value.filename, e.value.lineno) == ("<string>", 2) and "Lane" not in str(e.value)


@pytest.mark.parametrize("text", ["lambda x: x if x < 5 else 5 - x", "lambda x: x and 3", "lambda x: math.sqrt(x)", "lambda x: int(x)"])
def test_a_function_of_numbers_whose_source_cannot_be_read(text):
    with pytest.raises(nvm.CompileError, match="source.*cannot be read") as e:
        ROWS.map(unread(text))
    assert e.value.lineno == 2
    with pytest.raises(nvm.CompileError, match="cannot be read") as e:
        nvm.function(unread(text))(3)
    assert e.value.lineno == 2


def test_an_expression_of_operators_needs_no_source():
    assert ROWS.map(unread("lambda x: x * 2 + 1")).tolist() == [[7, 3], [5]]


def test_refusals_have_a_line(tmp_path):
    f = function_of("def f(n):\n    a = [[i] for i in range(n)]\n    for row in a:\n        row += [1]\n    return a\n", tmp_path)
    with pytest.raises(nvm.CompileError, match="part of another") as e:
        nvm.function(f)(3)
    assert e.value.lineno == 4 and e.value.filename.endswith("functions.py")


# What functions find outside.


def test_numpy_arrays_outside_are_indexed():
    b, m = np.array([10, 20, 30]), np.arange(9).reshape(3, 3)
    a = nvm.array([0, 2, 1])
    assert a.map(lambda i: b[i]).tolist() == [10, 30, 20] and a.map(lambda i: m[i, -i]).tolist() == [0, 7, 5]
    for changed in (99, 98):
        b[0] = changed
        assert a.map(lambda i: b[i]).tolist() == [changed, 30, 20]
    with pytest.raises(IndexError):
        a.map(lambda i: b[i + 1]).eval()


def test_functions_of_the_module_are_mapped():
    a = nvm.array([1.0, 4.0])
    assert a.map(nvm.sqrt).tolist() == [1.0, 2.0] and a.map(nvm.maximum, nvm.array([2.0, 3.0])).tolist() == [2.0, 4.0]
    assert nvm.each(nvm.sum, ROWS).tolist() == [4, 2] and nvm.each(nvm.sort, ROWS).tolist() == [[1, 3], [2]]


# Borrowed memory.


@pytest.mark.parametrize("look", [lambda a: a.tolist(), lambda a: a.to_numpy(), lambda a: (a + 1).eval(), lambda a: nvm.sum(a).item()])
def test_borrowed_memory_that_changed_is_found_whenever_it_is_read(look):
    with nvm.options(check_borrowed=True):
        x = np.arange(1e5)
        a = nvm.asarray(x)
        x[5] = 0
        for _ in range(2):
            with pytest.raises(nvm.BorrowError):
                look(a)
        assert nvm.arange(3).tolist() == [0, 1, 2] and int(nvm.sum(nvm.arange(10_000))) == 49_995_000
    assert not borrowed._watched  # which would keep the memory
