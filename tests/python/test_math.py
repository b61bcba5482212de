"""Functions of math for each element are those of Python, and lists and tuples are compared as it compares them."""
import itertools
import math
import operator

import numpy as np
import pytest

import nvm
from texts import function_of

WHOLE = nvm.array([10, 3, 7])
FUNCTIONS = {
    "pow": lambda x: math.pow(x, 20), "negative pow": lambda x: math.pow(x, -1), "power of 2": lambda x: math.pow(2, x), "fabs": lambda x: math.fabs(x) / 2,
    "fabs of a flag": lambda x: math.fabs(x > 5), "gcd": lambda x: math.gcd(x, 12), "gcd of 3": lambda x: math.gcd(x, 12, 4), "lcm": lambda x: math.lcm(x, 4),
    "erf": lambda x: math.erf(x / 7), "erfc": lambda x: math.erfc(x / 7), "gamma": lambda x: math.gamma(x), "lgamma": lambda x: math.lgamma(x),
    "cbrt": lambda x: math.cbrt(x), "exp2": lambda x: math.exp2(x), "fmod": lambda x: math.fmod(x, 2), "remainder": lambda x: math.remainder(x, 4),
    "factorial": lambda x: math.factorial(x), "comb": lambda x: math.comb(12, x), "perm": lambda x: math.perm(x), "modf": lambda x: math.modf(x / 4),
    "frexp": lambda x: math.frexp(x), "ldexp": lambda x: math.ldexp(x, 3), "ulp": lambda x: math.ulp(x), "isclose": lambda x: math.isclose(x, 7.5, abs_tol=0.6),
    "hypot of 1": lambda x: math.hypot(x), "hypot of 3": lambda x: math.hypot(x, 2, 3), "in a branch": lambda x: math.factorial(x) if x > 5 else math.gamma(x + 1)}


def same(a, b):
    if isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and math.isclose(a, b, rel_tol=1e-14)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_math(name):
    f = FUNCTIONS[name]
    for values in ([10, 3, 7], []):
        got = nvm.array(values, dtype=nvm.int64).map(f).tolist()
        want = [float(f(x)) if name == "in a branch" else f(x) for x in values]
        assert len(got) == len(want) and all(map(same, got, want))
    assert all(map(same, nvm.each(lambda v: [f(x) for x in v], nvm.array([[10, 3], [7]])).tolist()[1], [f(7) if name != "in a branch" else float(f(7))]))


OF_LISTS = {"dist", "fsum", "prod"}
OF_TWO = {"atan2", "comb", "copysign", "fmod", "isclose", "ldexp", "nextafter", "pow", "remainder"}


@pytest.mark.parametrize("name", sorted(n for n in dir(math) if callable(getattr(math, n)) and n[0] != "_" and n not in OF_LISTS))
def test_every_function_of_numbers_is_there(name, tmp_path):
    f = function_of(f"import math\n\n\ndef f(x):\n    return math.{name}({'x - 1' if name == 'atanh' else 'x'}{', 1' if name in OF_TWO else ''})\n", tmp_path)
    assert same(nvm.array([1]).map(f).tolist()[0], f(1))


@pytest.mark.parametrize("f", [lambda x: len(str(x)), lambda x: isinstance(x, int), lambda x: 1 if type(x) is int else 0, lambda x: print(x), lambda x: hash(x)])
def test_functions_that_look_at_an_element_are_refused(f):
    for g in (lambda: WHOLE.map(f), lambda: nvm.each(f, nvm.jagged([[1], [2, 3]]))):
        with pytest.raises(nvm.CompileError, match=r"\(\) of a value of each element is not there") as e:
            g()
        assert e.value.filename == __file__


def test_failures_are_pythons_and_come_only_where_they_are_asked_for():
    with pytest.raises(ValueError) as e:
        nvm.array([1, -1]).map(lambda x: math.factorial(x)).tolist()
    assert e.value.nvm_origin.filename == __file__
    assert nvm.array([3, -1]).map(lambda x: math.factorial(x) if x > 0 else 0).tolist() == [6, 0]
    for f in (lambda x: math.gcd(x, 2), lambda x: math.isqrt(x)):
        with pytest.raises(TypeError):
            nvm.array([1.5]).map(f).tolist()
    with pytest.raises(ValueError):
        nvm.array([9, -1]).map(lambda x: math.isqrt(x)).tolist()
    with pytest.raises(NotImplementedError, match="math.dist takes numbers"):
        WHOLE.map(lambda x: math.dist((x, 1), (0, 0)))
    assert WHOLE.map(lambda x: math.gcd(x, np.int64(12))).tolist() == WHOLE.map(lambda x: math.gcd(x, nvm.array(12))).tolist() == [2, 3, 1]
    assert nvm.array([9, -1]).map(lambda x: math.isqrt(x) if x > 0 else 0).tolist() == [3, 0]
    with pytest.raises(TypeError):
        WHOLE.map(lambda x: math.pow(x)).tolist()
    with pytest.raises(nvm.CompileError, match="value of one of them") as refused:
        WHOLE.map(lambda x: [1, 2, 3][operator.index(x)])
    assert refused.value.filename == __file__


COMPARISONS = [lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b]


@pytest.mark.parametrize("f", COMPARISONS)
def test_lists_and_tuples_are_compared(f):
    lists = [[], [1], [1, 2], [1, 3], [0, 9, 9], [2]]
    pairs = list(itertools.product(lists, lists))
    a, b = (nvm.jagged([p[k] for p in pairs]) for k in (0, 1))
    assert nvm.each(f, a, b).tolist() == [f(*p) for p in pairs]
    assert nvm.each(lambda v: f([x for x in v], [1, 2]), nvm.jagged(lists)).tolist() == [f(v, [1, 2]) for v in lists]
    deep = [[[x], [x, 1]] for x in (1, 2)]
    assert nvm.each(lambda x: f([[x], [x, 1]], [[1], [1, 1]]), nvm.array([1, 2])).tolist() == [f(d, deep[0]) for d in deep]
    numbers = [(x, y) for x in range(3) for y in range(3)]
    x, y = (nvm.array([p[k] for p in numbers]) for k in (0, 1))
    assert nvm.map(lambda x, y: f((x, y), (1, 1)), x, y).tolist() == [f(p, (1, 1)) for p in numbers]
    assert nvm.map(lambda x, y: f((x, y), (1, 1, 0)), x, y).tolist() == [f(p, (1, 1, 0)) for p in numbers]


def test_lists_are_not_numbers():
    lists = nvm.jagged([[1], []])
    assert nvm.each(lambda v: [x for x in v] == 3, lists).tolist() == [False, False]
    with pytest.raises(TypeError, match="'<' not supported between instances of 'list' and 'number'"):
        nvm.each(lambda v: [x for x in v] < 3, lists)


def with_a_text(x):
    if x > 5:
        raise ValueError("too large: " + str(x))
    return x


def with_an_operator(x):
    if x > 5:
        raise KeyError("too large: %d" % x)
    return x


def asserted(x):
    assert x <= 5, repr(x) + " is too large"
    return x


@pytest.mark.parametrize("f, kind", [(with_a_text, ValueError), (with_an_operator, KeyError), (asserted, AssertionError)])
def test_what_exceptions_say_of_an_element_is_left_out(f, kind):
    assert nvm.array([1, 2]).map(f).tolist() == [1, 2]
    with pytest.raises(kind, match=r"\.\.\.") as e:
        nvm.array([1, 7]).map(f)
    assert e.value.nvm_origin.filename == __file__
