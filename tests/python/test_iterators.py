"""Iterators are gone through once, and later than they are made: in functions that is kept, or refused with its line."""
import functools

import pytest

import nvm


def listed(v, w):
    return list(zip(v, w)), list(enumerate(v, 2)), [(x, 1) for x in v]


def not_listed(v, w):
    return zip(v, w), enumerate(w)


def with_a_list(v, w):
    return list(zip([7, 8], v)), [x * y for x, y in zip([7, 8], v)]


def of_tuples(v, w):
    pairs = list(zip(v, w))
    x, y = pairs[1]
    total = 0
    for a, b in pairs:
        total += a * b
    return total, x, y, pairs[0][1], len(pairs)


def once(v, w):
    z = zip(v, w)
    g = (x * x for x in v)
    m = map(lambda x: x + 1, w)
    total = 0
    for a, b in z:
        total += a * b
    return total, sum(g), max(m), [*enumerate(v)][1]


def direct(v, w):
    return any(x > 2 for x in v), max(x * x for x in v), [*(x for x in v)], 4 in (x + 1 for x in w), sorted(reversed(v)), sum(x * y for x, y in zip(v, w))


def anew_in_each_turn(v, w):
    total = 0
    for i in range(3):
        g = (x * i for x in v)
        total += sum(g)
    return total


def into_a_function(v, w):
    def total(g):
        return sum(g)

    return total(x * x for x in v) + total(map(lambda x: x + 1, w))


def unpacked(v, w):
    a, b, c = (x + 1 for x in v)
    return a, b, c


def longer(v, w):
    r = [x for x in v]
    r += (y for y in w)
    r.extend(z * 2 for z in w)
    return r


def folded(v, w):
    return functools.reduce(lambda a, b: a + b, map(lambda x: x * 2, v))


def changed_before(v, w):
    n = 1
    n = 100
    g = (x * n for x in v)
    return sum(g)


KEPT = [listed, not_listed, with_a_list, of_tuples, once, direct, anew_in_each_turn, into_a_function, unpacked, longer, folded, changed_before]


def summed_twice(v, w):
    g = (x * x for x in v)
    return sum(g), sum(g)


def broken_off(v, w):
    z = zip(v, w)
    for a, b in z:
        break
    return [a * b for a, b in z]


def another_name(v, w):
    m = map(lambda x: x + 1, v)
    k = m
    return sum(m), sum(k)


def twice_in_a_function(v, w):
    def twice(g):
        return sum(g) + sum(g)

    return twice(x for x in v)


def in_all_turns(v, w):
    total = 0
    e = enumerate(v)
    for _ in range(2):
        for i, x in e:
            total += i * x
    return total


def for_each(v, w):
    g = (x for x in w)
    return [x + sum(g) for x in v]


def bound_later(v, w):
    n = 1
    g = (x * n for x in v)
    n = 100
    return sum(g)


def grown_meanwhile(v, w):
    a = [x for x in v]
    z = zip(a, w)
    a[0] = 100
    return [x + y for x, y in z]


def stepped(v, w):
    g = (x for x in v)
    return next(g)


REFUSED = [summed_twice, broken_off, another_name, twice_in_a_function, in_all_turns, for_each, bound_later, grown_meanwhile, stepped]
V, W = [3, 1, 2], [4, 5, 6]


def plain(x):
    if isinstance(x, (tuple, list, zip, enumerate)):
        return [plain(v) for v in x]
    return plain(x.tolist()) if hasattr(x, "tolist") else x


@pytest.mark.parametrize("f", KEPT, ids=lambda f: f.__name__)
def test_what_is_gone_through_once(f):
    want = plain(f(V, W))
    assert plain(nvm.function(f)(nvm.array(V), nvm.array(W))) == want
    if f is not with_a_list:
        assert plain(nvm.each(f, nvm.jagged([V, V]), nvm.jagged([W, W]))) == [want, want]


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_what_python_would_find_otherwise_is_refused(f):
    for call in (lambda: nvm.function(f)(nvm.array(V), nvm.array(W)), lambda: nvm.each(f, nvm.jagged([V, V]), nvm.jagged([W, W]))):
        with pytest.raises(nvm.CompileError, match=r"list\(\) of it") as e:
            call()
        first = f.__code__.co_firstlineno
        assert e.value.filename == __file__ and first < e.value.lineno < first + 9


def made_in_a_branch(v):
    g = (x for x in [1, 2])
    if len(v) > 2:
        g = (x for x in v)
    return sum(g)


def used_in_its_branch(v):
    total = 0
    for k in range(2):
        if len(v) > k:
            g = (x * k for x in v)
            total += sum(g)
    return total


def test_iterators_of_some_of_the_calls():
    lists = [[5, 6, 7], [8], [1, 2]]
    with pytest.raises(nvm.CompileError, match="made in a branch"):
        nvm.each(made_in_a_branch, nvm.jagged(lists))
    assert nvm.each(used_in_its_branch, nvm.jagged(lists)).tolist() == list(map(used_in_its_branch, lists))


def test_an_iterator_has_no_length():
    for f in (lambda v: len(x for x in v), lambda v: [x for x in reversed(x for x in v)], lambda v: len(zip(v, v))):
        with pytest.raises(TypeError):
            f([1])
        with pytest.raises(TypeError):
            nvm.function(f)(nvm.array([1, 2]))
        with pytest.raises(TypeError):
            nvm.each(f, nvm.jagged([[1], []]))
