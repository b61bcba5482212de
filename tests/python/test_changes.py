"""Lists that functions change mean what they mean in Python."""
import pytest

import nvm
from texts import function_of

CHANGES = {"append": "a.append(x)", "extend": "a.extend([x, 7])", "insert": "a.insert(1, x)", "pop": "a.pop(0)", "remove": "a.remove(x)",
           "clear": "a.clear()", "reverse": "a.reverse()", "sort": "a.sort()", "dunder": "a.__setitem__(0, x)"}


@pytest.mark.parametrize("jit", ["off", "always"])
@pytest.mark.parametrize("name", CHANGES)
def test_no_change_in_a_branch_of_a_loop_is_lost(name, jit, tmp_path):
    for begin in ("[3, 1, 2, 3]", "[x for x in v]"):
        if name == "dunder" and begin != "[3, 1, 2, 3]":
            continue
        text = f"def f(v):\n    a = {begin}\n    for x in [2, 3]:\n        if x == 3:\n            {CHANGES[name]}\n    return a\n"
        f = function_of(text, tmp_path)
        with nvm.options(jit=jit):
            assert nvm.function(f)(nvm.array([3, 1, 2, 3])).tolist() == f([3, 1, 2, 3])


def test_all_methods_of_lists_are_here():
    assert set(CHANGES) - {"dunder"} | {"copy", "count", "index"} == {n for n in dir(list) if not n.startswith("_")}


@pytest.mark.parametrize("name", sorted(set(CHANGES) - {"dunder"}))
def test_changes_of_the_list_of_each(name, tmp_path):
    f = function_of(f"def f(x):\n    a = [3, x, 2, 3]\n    if x > 2:\n        {CHANGES[name]}\n    return a\n", tmp_path)
    assert nvm.each(f, nvm.array([1, 3, 5])).tolist() == [f(1), f(3), f(5)]


PARTS = ["a[0:2] = [9]", "a[:] = [1]", "a[1:2] = [9, 9]", "a[1:2] = []", "a[::2] = [7, 8]", "a[::-1] = [7, 8, 9]", "a[2:1] = [5]", "a[5:] = (4, 4)",
         "a[1:] = a", "a[0:2] += [5]", "a[0:2] *= 2", "a[0] = 1.5", "a[-1] = True", "a[1:2] = [0.5, 2]", "a[:1] = range(3)"]


@pytest.mark.parametrize("change", PARTS)
def test_slices_and_elements_of_lists_are_assigned_as_python_does(change, tmp_path):
    f = function_of(f"def f(v):\n    a = [x for x in v]\n    b = a\n    {change}\n    return a, b\n", tmp_path)
    for values in ([3, 1, 2], [0.5, 1.5, 2.5]):
        got = nvm.function(f)(nvm.array(values))
        assert [x.tolist() for x in got] == list(f(list(values)))


NESTED = ["a[0][0] = 9", "a[0] = [7, 8, 9]", "a[1] = []", "a[0][0:1] = [5, 6]", "a[1:] = [[4]]", "a[1][0] = 0.5", "a[0] = a[1]"]


@pytest.mark.parametrize("change", NESTED)
def test_lists_in_lists_are_assigned_as_python_does(change, tmp_path):
    f = function_of(f"def f(v):\n    a = [[x, 2 * x] for x in v]\n    {change}\n    return a\n", tmp_path)
    assert nvm.function(f)(nvm.array([3, 1])).tolist() == f([3, 1])


@pytest.mark.parametrize("change", ["a[::2] = [1]", "a[0:1] = 5", "a[3] = 1"])
def test_assignments_that_lists_refuse(change, tmp_path):
    f = function_of(f"def f(v):\n    a = [x for x in v]\n    {change}\n    return a\n", tmp_path)
    with pytest.raises((ValueError, TypeError, IndexError)) as wanted:
        f([3, 1, 2])
    with pytest.raises(wanted.type):
        nvm.function(f)(nvm.array([3, 1, 2]))
