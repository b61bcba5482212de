"""Functions that are compiled as a whole: that they are, that they mean what Python means, and that what fails says what Python says."""
import numpy as np
import pytest

import nvm
import loops
from neslvm import compiled
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
    return a == b or isinstance(b, float) and abs(a - b) <= 1e-12 * abs(b)


def given(x):
    if not isinstance(x, list):
        return x
    return nvm.jagged(x, dtype=nvm.int64) if x and isinstance(x[0], list) else nvm.array(np.array(x, dtype=np.int64))


def bits(x):
    """Integers have 64 bits."""
    if isinstance(x, list):
        return [bits(v) for v in x]
    return (x + 2**63) % 2**64 - 2**63 if type(x) is int else x


@pytest.mark.parametrize("f, calls", loops.CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_the_result_is_that_of_python(f, calls):
    function = nvm.function(f)
    for args in calls:
        if args == ([],) and f is loops.nested_lists:
            continue  # of an empty array nobody knows that it has lists
        arrays = [given(a) for a in args]
        assert "py_main" in function.nesl(*arrays)
        assert equal(plain(function(*arrays)), bits(plain(f(*args)))), args


@pytest.mark.parametrize("f, calls", [c for c in loops.CASES if not any(isinstance(a, list) for a in c[1][0])], ids=lambda x: getattr(x, "__name__", ""))
def test_all_elements_at_once(f, calls):
    columns = [nvm.array(list(c)) for c in zip(*calls)]
    assert equal(plain(nvm.each(f, *columns)), [bits(plain(f(*args))) for args in calls])


def ran_compiled(f):
    """Whether a call ran the text, and not the tree."""
    before = compiled.called
    seen = []

    def called(*args):
        result = before(*args)
        seen.append(result is not compiled.NOT_COMPILED)
        return result

    compiled.called = called
    try:
        f()
    finally:
        compiled.called = before
    return any(seen)


def test_map_and_each_run_it():
    xs = nvm.array(np.linspace(-2, 1, 7))
    assert ran_compiled(lambda: nvm.map(loops.escape, xs, xs).eval())
    assert ran_compiled(lambda: nvm.each(loops.merge_sort, nvm.jagged([[2, 1], [], [5, 3, 4]])).eval())
    assert nvm.map(loops.escape, xs, xs).tolist() == [loops.escape(x, x) for x in np.linspace(-2, 1, 7).tolist()]
    grid = nvm.array(np.arange(12).reshape(3, 4))
    assert nvm.map(loops.first_factor, grid).tolist() == [[loops.first_factor(4 * i + j) for j in range(4)] for i in range(3)]


def test_straight_functions_stay_lazy():
    @nvm.function
    def f(v):
        return v * 2 + 1

    with pytest.raises(nvm.CompileError, match="not compiled as a whole"):
        f.nesl(nvm.arange(5))
    assert not f(nvm.arange(100_000)).is_evaluated


def test_what_fails_says_what_python_says():
    @nvm.function
    def at(v, n):
        total = 0
        for i in range(n):
            total += v[i]
        return total

    @nvm.function
    def over(v):
        total = 0.0
        for x in v:
            total += 1 / x
        return total

    @nvm.function
    def checked(n):
        while n > 3:
            n -= 3
            assert n != 5, "five"
            if n == 7:
                raise ValueError(f"seven: {n}")
        return n

    v = nvm.array([1, 2, 0])
    assert at(v, 3).item() == 3 and at(v, 0).item() == 0
    with pytest.raises(IndexError) as e:
        at(v, 4)
    assert e.value.nvm_origin.function == "at"
    with pytest.raises(ZeroDivisionError):
        over(v)
    assert checked(9).item() == 3
    with pytest.raises(AssertionError, match="five"):
        checked(8)
    with pytest.raises(ValueError, match="seven: 7"):
        checked(10)


FAILING = {
    "quotient": "x // n", "remainder": "x % n", "index": "v[n + 99]", "logarithm": "math.log(n * 1.0)", "root": "math.sqrt(n - 1.0)",
    "extreme": "max([y for y in v if y > 99])", "real quotient": "1 / n", "exponential": "math.exp(1e3 * x)", "whole root": "math.isqrt(n - 5)",
    "range": "len(range(0, 5, n))"}


@pytest.mark.parametrize("what", FAILING)
def test_what_fails_is_told_once(what, tmp_path, capfd):
    f = function_of(f"import math\ndef f(v, n):\n    t = 0\n    for x in v:\n        t += {FAILING[what]}\n    return t\n", tmp_path)
    f, v = nvm.function(f), nvm.array([1, 2])
    assert "py_main" in f.nesl(v, 0)
    with pytest.raises(Exception) as python:
        f.python([1, 2], 0)
    with pytest.raises(python.type) as e:
        f(v, 0).eval()
    assert e.value.nvm_origin.lineno == 5 and e.value.nvm_origin.filename == str(tmp_path / "functions.py")
    assert capfd.readouterr() == ("", "")


def test_a_recursion_without_end():
    @nvm.function
    def down(n):
        return 0 if n == 0 else down(n - 1)

    with pytest.raises(RecursionError):
        down(-1).eval()
    assert down(5000).item() == 0


def test_values_outside_are_those_of_the_call():
    k = 2

    @nvm.function
    def f(n):
        total = 0
        while n > 0:
            total, n = total + k, n - 1
        return total

    assert f(5).item() == 10
    k = 7
    assert f(5).item() == 35
    k = 0.5
    assert f(5).item() == 2.5


NOT_WHOLE = {
    "parameter": "    v[0] = 7\n    for x in v:\n        pass\n    return v\n",
    "alias": "    a = [1, 2]\n    b = a\n    for x in v:\n        a.append(x)\n    return b\n",
    "rows": "    m = [[0] * 2] * 2\n    for x in v:\n        m[0][0] = x\n    return m\n",
    "element": "    m = [[0], [1]]\n    r = m[0]\n    for x in v:\n        r[0] = x\n    return m\n",
    "growing": "    a = [1]\n    for x in a:\n        if len(a) < 5:\n            a.append(x + 1)\n    return a\n",
    "array": "    for x in v:\n        pass\n    return v + v\n",
    "unbound": "    for x in v:\n        y = x\n    return y\n"}


@pytest.mark.parametrize("what", NOT_WHOLE)
def test_what_cannot_keep_its_meaning_is_not_compiled(what, tmp_path):
    f = nvm.function(function_of("def f(v):\n" + NOT_WHOLE[what], tmp_path))
    with pytest.raises(nvm.CompileError):
        f.nesl(nvm.array([3, 4]))
    assert plain(f(nvm.array([3, 4]))) == plain(f.python(np.array([3, 4])))
