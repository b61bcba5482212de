"""What is put into arrays: numbers that an element type does not have are refused, and nobody sees what another name becomes."""
import math

import numpy as np
import pytest

import nvm

J = nvm.array([[3, 1], [2], [5, 4, 6]])


def outcome(f):
    try:
        return f()
    except (TypeError, ValueError, OverflowError) as e:
        return type(e)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float64", "bool", "complex128"])
@pytest.mark.parametrize("value", [math.nan, math.inf, 2**63, -(2**63) - 1, 300, -1, 1.5, 1j, True, [300, -1], [math.nan, 0.0], [1j, 0]], ids=str)
def test_numbers_are_written_by_numpys_rules(dtype, value):
    def written(module):
        a = module.asarray(module.zeros(2, dtype=dtype))
        a[: 2 if isinstance(value, list) else 1] = value
        return a.tolist()

    def made(module):
        return module.array(value, dtype=dtype).tolist()

    for f in (written, made):
        got, want = outcome(lambda: f(nvm)), outcome(lambda: f(np))
        assert str(got) == str(want)


def test_arrays_are_converted():
    assert nvm.array(np.array([300, -1]), dtype=nvm.uint8).tolist() == [44, 255]
    a = nvm.array([1, 2])
    a[:] = nvm.array([1.5, -2.5])
    assert a.tolist() == [1, -2]


def test_what_is_written_is_copied():
    a, b = nvm.zeros(5000), np.arange(3000.0)
    a[:3000] = b
    b[5] = 77
    assert float(a[5]) == 5


FILLS = [lambda x: nvm.pad(J, 3, x), lambda x: J.to_regular(fill=x)]


@pytest.mark.parametrize("fill", FILLS)
def test_fills_are_elements(fill):
    assert fill(7).tolist()[1] == fill(7.0).tolist()[1] == fill(nvm.array(7)).tolist()[1] == [2, 7, 7]
    for wrong in (1.5, math.nan, 1j, "x"):
        with pytest.raises(TypeError, match="astype|no number"):
            fill(wrong)
    with pytest.raises(OverflowError):
        fill(2**63)
    assert nvm.pad(J > 2, 3, True).tolist()[1] == [False, True, True] and nvm.pad(J * 1.0, 2, 2**70).tolist()[1] == [2, 2.0**70]


def test_fills_of_arrow():
    pa = pytest.importorskip("pyarrow")
    assert nvm.from_arrow(pa.array([1, None]), null=7).tolist() == [1, 7] and nvm.from_arrow(pa.array([1.5, None]), null=7).tolist() == [1.5, 7]
    assert nvm.from_arrow(pa.array([[True], [None]]), null=False).tolist() == [[True], [False]]
    for kind, wrong in ((pa.int64(), 1.5), (pa.float64(), 1j), (pa.bool_(), 2)):
        with pytest.raises(TypeError, match="astype"):
            nvm.from_arrow(pa.array([None], type=kind), null=wrong)
    with pytest.raises(TypeError, match="no elements of Arrow's type string"):
        nvm.from_arrow(pa.array(["a"]))


def grown(a):
    b = a
    b += 1
    return a, b


@pytest.mark.parametrize("a", [nvm.array([1, 2]), nvm.sum(nvm.array([1, 2])), J], ids=["array", "number", "lists"])
@pytest.mark.parametrize("f", [grown, nvm.function(grown)], ids=["python", "function"])
def test_an_operator_in_place_gives_its_name_another_array(a, f):
    before = a.tolist()
    with nvm.options(interpret=f is grown):
        old, new = f(a)
    assert old.tolist() == a.tolist() == before and new.tolist() == (a + 1).tolist()


def test_operators_in_place_keep_type_and_shape():
    a = nvm.array([1, 2])
    with pytest.raises(TypeError, match="float64 does not become one of int64"):
        a += 0.5
    with pytest.raises(ValueError, match="does not become"):
        a += nvm.zeros((3, 2), dtype=nvm.int64)
    m = nvm.zeros((2, 2))
    m[0] += 1
    assert m.tolist() == [[1, 1], [0, 0]]


def doubled(v):
    total = 0
    for x in v:
        w = [x, x]
        u = w
        w *= 2
        total += len(u)
    return total


def longer(v):
    total = 0
    for x in v:
        w = [x]
        u = w
        w += [x, x]
        total += len(u)
    return total


def of_others(v):
    rows = [[x] for x in v]
    for row in rows:
        row += [1]
    return rows[0]


@pytest.mark.parametrize("f", [doubled, longer])
def test_lists_change_for_all_their_names(f):
    assert nvm.function(f)(nvm.array([1, 2, 3])).tolist() == f([1, 2, 3])


def test_parts_of_lists_are_not_changed_by_themselves():
    with pytest.raises(nvm.CompileError, match="take a copy"):
        nvm.function(of_others)(nvm.array([1, 2, 3]))


def test_shapes_no_memory_has_room_for():
    for make in (lambda: nvm.zeros((2**40, 2**40)), lambda: nvm.new((2**31, 2**31), lambda i, j: i)):
        with pytest.raises(ValueError, match="no memory has room"):
            make()
    with pytest.raises(MemoryError, match="nvm.options"):
        nvm.zeros(2**45).tolist()


def test_what_is_no_array_is_not_explained():
    for f in (nvm.explain, nvm.eval):
        with pytest.raises(TypeError, match="takes arrays, not int"):
            f(5)
    with pytest.warns(nvm.FallbackWarning, match=r"numpy\.linalg\.norm is computed"):
        np.linalg.norm(nvm.arange(5))


def test_numpy_does_not_write_into_arrays():
    base = np.zeros(4)
    a = nvm.asarray(base)
    view = a[1:]
    for write in (lambda: np.add.at(a, [1], 7.0), lambda: np.negative.at(a, [1]), lambda: np.add(a, 1, out=a), lambda: np.add(base, 1, out=view),
                  lambda: np.cumsum(a, out=a), lambda: np.divmod(a, 2, out=(np.zeros(4), a))):
        with pytest.raises(TypeError, match="does not write into arrays of nvm"):
            write()
    assert not base.any() and not a.to_numpy().any() and not view.to_numpy().any()


def test_numpy_writes_into_its_own_arrays():
    a, out = nvm.array([1.0, 2.0, 3.0]), np.zeros(3)
    with pytest.warns(nvm.FallbackWarning, match="numpy.add with out="):
        assert np.add(a, 1, out=out) is out
    with pytest.warns(nvm.FallbackWarning):
        assert np.cumsum(a, out=(kept := np.zeros(3))) is kept
    with pytest.warns(nvm.FallbackWarning):
        out += a
    with pytest.warns(nvm.FallbackWarning):
        np.add.at(kept, nvm.array([0, 0]), a[:2])
    assert out.tolist() == [3.0, 5.0, 7.0] and kept.tolist() == [4.0, 3.0, 6.0]
