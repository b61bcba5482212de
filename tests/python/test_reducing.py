"""Reductions and scans with functions of two values: their types, and what they make of no elements."""
import numpy as np
import pytest

import nvm

SMALL = nvm.array([100, 3, 100], dtype=nvm.int8)


def mixed(a, b):
    return a * b % 97


def test_a_function_of_two_elements_says_its_type():
    for f in (lambda a, b: a + b, lambda a, b: b + a, lambda a, b: (a + b)):
        assert str(nvm.reduce(f, SMALL).dtype) == str(nvm.scan(f, SMALL).dtype) == "int8"
        assert int(nvm.reduce(f, SMALL)) == -53 and nvm.scan(f, SMALL).tolist() == [100, 103, -53]
    for f in (lambda a, b: a * b, lambda a, b: b * a):
        assert nvm.scan(f, SMALL).tolist() == [100, 44, 48] and int(nvm.reduce(f, SMALL, initial=2)) == 96
    assert str(nvm.reduce("+", SMALL).dtype) == str(nvm.scan("+", SMALL).dtype) == "int64" and int(nvm.reduce("+", SMALL)) == 203
    flags = nvm.array([True, False, True])
    for f in (lambda a, b: a + b, lambda a, b: b + a):
        assert nvm.reduce(f, flags).tolist() is True and nvm.scan(f, flags).tolist() == [True, True, True]


def test_empty_lists_give_the_initial_value():
    lists = nvm.array([[10, 20], [], [3]])
    assert nvm.reduce(mixed, lists, axis=-1, initial=3).tolist() == [18, 3, 9]
    assert nvm.reduce(mixed, nvm.array([[[1, 2], []], []]), axis=-1, initial=5).tolist() == [[10, 5], []]
    assert nvm.reduce("&", nvm.array([[6, 3], [], [5]]), axis=-1, initial=7).tolist() == [2, 7, 5]
    assert str(nvm.reduce(mixed, nvm.array([[1], []], dtype=nvm.int8), axis=-1, initial=3).dtype) == "int8"
    assert nvm.reduce(mixed, nvm.array([[1], []]), axis=-1, initial=1.5).tolist() == [1.5, 1.5]


@pytest.mark.parametrize("f", [mixed, max, "min", "+", "|"], ids=str)
def test_empty_rows_give_the_initial_value(f):
    def none(*shape):
        return nvm.zeros(shape, dtype=nvm.int64)

    assert nvm.reduce(f, none(2, 0), axis=-1, initial=3).tolist() == nvm.reduce(f, none(0, 2), axis=0, initial=3).tolist() == [3, 3]
    assert nvm.reduce(f, none(2, 0), axis=0, initial=3).tolist() == [] and int(nvm.reduce(f, none(0, 2), initial=3)) == 3
    if f != "+":
        with pytest.raises(ValueError, match="needs initial="):
            nvm.reduce(f, none(2, 0), axis=1)
    assert nvm.reduce(f, none(2, 0), axis=0).tolist() == []


def test_bits_and_complex_numbers():
    assert int(nvm.reduce("&", nvm.array([6, 3]))) == 2
    assert nvm.reduce(lambda a, b: a * b, nvm.array([1j, 1j])).tolist() == -1
    with pytest.raises(TypeError, match="complex"):
        nvm.reduce(mixed, nvm.array([1j, 1j]))


def test_axes():
    lists = nvm.array([[3, 1], [2]])
    for f in (nvm.sort, nvm.argsort, nvm.cumulative_sum, lambda x, axis: nvm.scan(max, x, axis=axis)):
        with pytest.raises(IndexError, match="no axis 7"):
            f(lists, axis=7)
        with pytest.raises(NotImplementedError, match="axis 0"):
            f(lists, axis=0)
    one = nvm.array(1.0)
    for name in ("mean", "var", "std", "sum", "max", "any"):  # NumPy's rules
        if name in ("mean", "var", "std"):
            with pytest.raises(IndexError, match="no axis 0"):
                getattr(nvm, name)(one, axis=0, keepdims=True)
        else:
            assert getattr(nvm, name)(one, axis=0).tolist() == getattr(np, name)(np.array(1.0), axis=0)
        assert getattr(nvm, name)(one, axis=()).ndim == 0
