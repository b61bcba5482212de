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
