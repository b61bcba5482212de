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


# Lists that have several names: kept, or of each element refused.

SHARED = {
    "rows": "    row = [0, 0]\n    a = [row for _ in range(2)]\n    a[0][0] = 5\n    return a\n",
    "row changes": "    row = [0, 0]\n    a = [row for _ in v]\n    row[0] = 5\n    return a\n",
    "row grows": "    row = [0]\n    a = [row for _ in v]\n    row += [1]\n    return a\n",
    "taken out": "    a = [[x] for x in v]\n    r = a[0]\n    a[0][0] = 99\n    return r\n",
    "taken out in a loop": "    m = [[x, x] for x in v]\n    t = 0\n    for _ in range(2):\n        r = m[0]\n        m[0][0] = 50\n        t += r[0]\n    return t\n",
    "known behind a loop": "    m = [[x] for x in v]\n    for r in m:\n        pass\n    m[2][0] = 7\n    return r\n",
    "appended": "    a = [[x] for x in v]\n    row = [7]\n    a.append(row)\n    row.append(8)\n    return a\n",
    "appended often": "    row = [0, 1]\n    m = []\n    for _ in range(3):\n        m.append(row)\n        m[0][0] += 1\n    return m\n",
    "displayed": "    row = [v[0], 1]\n    a = [row, [2, 3]]\n    a[0][0] = 9\n    return row\n",
    "put into its place": "    row = [v[0], 1]\n    a = [[x, 1] for x in v]\n    a[0] = row\n    row[0] = 9\n    return a\n",
    "the same in two lists": "    a = [[x] for x in v]\n    b = [r for r in a]\n    b[0][0] = 9\n    return a\n",
    "in a loop": "    r = [0, 0]\n    a = [r for _ in range(2)]\n    for i in range(2):\n        a[0][i] = 5\n    return a\n"}
ALONE = {
    "counted up": "    a = [[x, 2 * x] for x in v]\n    for i in range(len(a)):\n        a[i][0] += 1\n    return a\n",
    "grid": "    n = len(v)\n    g = [[0] * n for _ in range(n)]\n    for i in range(n):\n        for j in range(n):\n            g[i][j] = i * j\n"
            "    t = 0\n    for row in g:\n        t += sum(row)\n    return t\n",
    "exchanged": "    a = [[x] for x in v]\n    a[0], a[1] = a[1], a[0]\n    a[0][0] = 5\n    return a\n",
    "grown": "    a = [[x] for x in v]\n    a[0].append(3)\n    return a\n",
    "displays": "    a = [[0, 0], [0, 0]]\n    a[0][0] = v[1]\n    return a\n",
    "replaced": "    a = [[x] for x in v]\n    b = a + [[3]]\n    b[0] = [9]\n    return a, b\n",
    "filtered": "    a = [[x, 1] for x in v]\n    b = [r for r in a if r[0] > 1]\n    c = [x for x in v]\n    c.append(len(b))\n    return b, c\n"}


def result(x):
    return [result(v) for v in x] if isinstance(x, (tuple, list)) else x.tolist() if hasattr(x, "tolist") else x


@pytest.mark.parametrize("name", [*SHARED, *ALONE])
def test_lists_with_several_names(name, tmp_path):
    f = function_of("def f(v):\n" + {**SHARED, **ALONE}[name], tmp_path)
    want = result(f([3, 1, 2]))
    assert result(nvm.function(f)(nvm.array([3, 1, 2]))) == want
    two = nvm.array([[3, 1, 2], [3, 1, 2]])
    if name in ALONE:
        assert result(nvm.each(f, two).tolist()) == [want, want]
    else:
        with pytest.raises(nvm.CompileError, match="take a copy"):
            nvm.each(f, two)


def rows(n):
    row = [0, 0]
    return [row for _ in range(n)]


def fresh_rows(n):
    return [[i, 0] for i in range(n)]


def change(a):
    a[0][0] = 7


def of_another_function(v):
    a, b = rows(2), fresh_rows(2)
    a[0][0], b[0][0] = 5, 5
    return a, b


def by_another_function(v):
    a = [[x] for x in v]
    change(a)
    return a


def test_lists_of_other_functions():
    assert result(nvm.function(of_another_function)(nvm.array([1]))) == result(of_another_function([1]))
    for call in (lambda: nvm.function(by_another_function)(nvm.array([1, 2])), lambda: nvm.each(of_another_function, nvm.array([1, 2]))):
        with pytest.raises(nvm.CompileError, match="take a copy"):
            call()


def twice(x):
    row = [x, 1]
    return [row, row]


def beside_others(v):
    g = [[0, 0], [0, 0]]
    g[0][0] = 5
    return g, [twice(x) for x in v]


def test_lists_of_lists_beside_those_that_change():
    assert result(nvm.function(beside_others)(nvm.array([3, 4]))) == result(beside_others([3, 4]))


def asked(n):
    total = 0
    for i in range(3):
        total += i
    if 1 // n > 5:
        pass
    return total


def computed(n):
    total = 0
    for i in range(3):
        if n < 3:
            unused = 1 // n  # noqa: F841
        total += i
    return total


@pytest.mark.parametrize("f", [asked, computed])
def test_what_a_branch_computes_for_nothing_may_fail(f):
    assert int(nvm.function(f)(2)) == f(2)
    with pytest.raises(ZeroDivisionError):
        nvm.function(f)(0)
