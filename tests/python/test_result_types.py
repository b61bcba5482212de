"""What functions give does not depend on the way they take: int and float meet in float, a list and a number in an error; and both
are the same whether a function is compiled or runs as Python."""
import math

import numpy as np
import nvm
from texts import function_of
import pytest


@pytest.fixture(params=[False, True], autouse=True)
def interpreted(request):
    with nvm.options(interpret=request.param):
        yield


def line_of(f, text):
    import inspect

    lines, first = inspect.getsourcelines(f.python)
    return first + next(i for i, line in enumerate(lines) if text in line)


@nvm.function
def at_returns(n):
    if n > 0:
        return n
    return 0.5


@nvm.function
def at_branches(n):
    if n > 0:
        y = n
    else:
        y = 0.5
    return y


@nvm.function
def in_a_loop(n):
    total = 0
    for k in range(n):
        total = total + k / 2
    return total


@nvm.function
def until(n):
    total = 1
    while True:
        if n < 1:
            break
        total, n = total * 1.5, n - 1
    return total


@nvm.function
def halves(n):
    return 0 if n < 1 else 0.5 + halves(n - 1)


@nvm.function
def called(n):
    def inner(k):
        return k if k > 1 else math.sqrt(k)

    return inner(n)


@nvm.function
def in_a_tuple(n):
    return (n, 1) if n > 2 else (1.5, 2)


@pytest.mark.parametrize("f", [at_returns, at_branches, in_a_loop, until, halves, called])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_int_and_float_meet_in_float(f, n):
    got = f(n)
    assert got.dtype == nvm.float64 and got.item() == f.python(n)


def test_each_component_has_its_type():
    for n in (1, 3):
        got = in_a_tuple(n)
        assert [g.dtype.name for g in got] == ["float64", "int64"] and [g.item() for g in got] == list(in_a_tuple.python(n))


def test_lists_have_one_element_type():
    @nvm.function
    def f(v, n):
        return [x for x in v] if n > 0 else [x / 2 for x in v]

    for n in (0, 1):
        got = f(np.array([1, 2]), n)
        assert got.dtype == nvm.float64 and got.tolist() == f.python([1, 2], n)


def test_integers_and_flags_stay_what_they_are():
    @nvm.function
    def f(n):
        return n if n > 2 else 7

    @nvm.function
    def g(n):
        return n > 2 and n < 5

    assert f(3).dtype == nvm.int64 and f(1).dtype == nvm.int64 and g(3).dtype == nvm.bool


def test_captured_values_are_looked_at_again():
    k = 1

    @nvm.function
    def f(n):
        return n if n > 0 else k

    assert f(3).dtype == nvm.int64
    k = 0.5
    assert f(3).dtype == nvm.float64 and f(3).item() == 3.0


def test_a_list_and_a_number_do_not_meet():
    @nvm.function
    def late(n):
        if n > 0:
            r = [n]
        else:
            r = 2 * n
        return r

    @nvm.function
    def returned(n):
        if n > 0:
            return [n]
        return n

    for f in (late, returned):
        for n in (0, 1):
            with pytest.raises(nvm.CompileError) as e:
                f(n)
            assert e.value.filename == __file__ and line_of(f, "def ") < e.value.lineno <= line_of(f, "return") + 6

    @nvm.function
    def unused(n):
        if n > 0:
            r = [n]
            s = len(r)
        else:
            r = s = 0
        return s

    assert unused(1).item() == 1 and unused(0).item() == 0


REFUSED = {
    "with": "    with open('f') as z:\n        return x\n", "yield": "    yield x\n", "import": "    import os\n    return x\n",
"attribute": "    x.y = 1\n    return x\n", "global": "    global Y\n    return x\n",
    "try": "    try:\n        return x\n    except ValueError:\n        return 0\n", "dict": "    return {x: 1}\n", "set": "    return {y for y in x}\n",
    "raise": "    if x:\n        raise\n    return x\n", "named": "    return f(**x)\n", "delete": "    del x\n"}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_refused_both_ways(what, tmp_path):
    f = function_of("def f(x):\n    z = x\n" + REFUSED[what], tmp_path)
    with pytest.raises(nvm.CompileError) as e:
        nvm.function(f)(1)
    assert e.value.filename == str(tmp_path / "functions.py") and e.value.lineno >= 3


def test_errors_have_their_line_both_ways():
    @nvm.function
    def f(v, i):
        return v[i] + 1  # this one

    for x in (nvm.array([1, 2, 3]), nvm.array(np.arange(100_000))):
        with pytest.raises(IndexError) as e:
            f(x, 200_000).eval()
        assert e.value.nvm_origin.lineno == line_of(f, "this one") and e.value.nvm_origin.function == "f"
        assert any("this one" in note for note in e.value.__notes__)
