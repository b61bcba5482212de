"""Every operator on every element type gives NumPy's bits: computed at once, recorded, and compiled."""
import operator

import numpy as np
import nvm
import pytest

REALS = ["float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
WHOLES = SIGNED + UNSIGNED
FEW, MANY = 60, 6000  # computed at once; recorded


def values(dtype, n, seed):
    """The limits of a type and what lies around them, then random ones."""
    rng = np.random.default_rng(seed)
    t = np.dtype(dtype)
    if t.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if t.kind == "f":
        info = np.finfo(t)
        edges = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, info.max, info.min, info.tiny, info.smallest_subnormal, info.eps,
                 1 + info.eps, 2.0**24 + 1, 2.0**31, 2.0**53, 1 / 3]
        random = rng.standard_normal(n) * 10.0 ** rng.integers(-40, 38 if t.itemsize == 4 else 300, n)
    else:
        info = np.iinfo(t)
        edges = [0, 1, 2, 3, 7, 63, 64, info.max, info.max - 1, info.min, info.min + 1, info.max // 2]
        random = rng.integers(info.min, info.max, n, dtype=t, endpoint=True)
    found = np.concatenate([np.array(edges, dtype=t), random.astype(t)])[:n]
    return rng.permutation(found)


def same_bits(got, want):
    got = got.to_numpy()
    assert got.dtype == want.dtype
    both = np.isnan(got) & np.isnan(want) if want.dtype.kind in "fc" else np.zeros(want.shape, bool)
    wrong = ~both & (got.view(f"V{got.itemsize}") != want.view(f"V{want.itemsize}"))
    if wrong.any():
        k = int(wrong.argmax())
        raise AssertionError(f"element {k}: {got[k]!r}, NumPy has {want[k]!r}; {int(wrong.sum())} differ")


@pytest.fixture(params=["off", "always"], autouse=True)
def jit(request):
    with nvm.options(jit=request.param):
        yield


def pairs(kinds):
    return [(a, b) for a in kinds for b in kinds]


@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("dtype", ["bool", *WHOLES, *REALS])
def test_operators(name, dtype, n):
    if dtype == "bool" and name == "sub":
        return
    x, y = values(dtype, n, 1), values(dtype, n, 2)
    f = getattr(operator, name)
    with np.errstate(all="ignore"):
        same_bits(f(nvm.asarray(x), nvm.asarray(y)), f(x, y))


@pytest.mark.parametrize("name", ["add", "mul", "lt", "eq"])
@pytest.mark.parametrize("a,b", pairs(["bool", "int8", "int64", "uint8", "uint32", "uint64", "float32", "float64"]))
def test_types_meet_as_in_numpy(name, a, b):
    x, y = values(a, FEW, 3), values(b, FEW, 4)
    f = getattr(operator, name)
    if name in ("lt", "eq") and {a, b} in ({"int8", "uint64"}, {"int64", "uint64"}):
        x, y = x.astype(np.float64), y.astype(np.float64)  # NumPy compares these exactly since 2.0, the standard leaves it open
    with np.errstate(all="ignore"):
        same_bits(f(nvm.asarray(x), nvm.asarray(y)), f(x, y))


@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("name", ["floordiv", "mod"])
@pytest.mark.parametrize("dtype", WHOLES)
def test_whole_quotients_round_down(name, dtype, n):
    x, y = values(dtype, n, 5), values(dtype, n, 6)
    y[y == 0] = 3
    f = getattr(operator, name)
    with np.errstate(all="ignore"):
        same_bits(f(nvm.asarray(x), nvm.asarray(y)), f(x, y))
        for k in (1, 7, np.iinfo(dtype).max):
            same_bits(f(nvm.asarray(x), int(k)), f(x, y.dtype.type(k)))


@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("dtype", REALS)
def test_quotients_and_roots_of_floats(dtype, n):
    x, y = values(dtype, n, 7), values(dtype, n, 8)
    with np.errstate(all="ignore"):
        same_bits(nvm.asarray(x) / nvm.asarray(y), x / y)
        same_bits(nvm.sqrt(nvm.asarray(x)), np.sqrt(x))
        same_bits(1 / nvm.asarray(x), 1 / x)


@pytest.mark.parametrize("n", [FEW, MANY])
def test_products_of_float32_are_rounded_once(n):
    # a * b + c in double, rounded at the end, differs from float32's for a part of random triples
    x, y, z = (np.random.default_rng(k).random(n).astype(np.float32) for k in range(3))
    same_bits(nvm.asarray(x) * nvm.asarray(y) + nvm.asarray(z), x * y + z)
    assert ((x * y + z) != (x.astype(float) * y + z).astype(np.float32)).any()


@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("dtype", [*WHOLES, *REALS])
def test_of_one_operand(dtype, n):
    x = values(dtype, n, 9)
    a = nvm.asarray(x)
    with np.errstate(all="ignore"):
        same_bits(-a, -x)
        same_bits(abs(a), abs(x))
        same_bits(nvm.square(a), np.square(x))
        same_bits(a * 0 == 0, x * 0 == 0)
        same_bits(nvm.sign(a), np.sign(x))
        if dtype in REALS:
            for mine, numpys in ((nvm.floor, np.floor), (nvm.ceil, np.ceil), (nvm.trunc, np.trunc), (nvm.round, np.rint), (nvm.isnan, np.isnan),
                                 (nvm.isinf, np.isinf), (nvm.isfinite, np.isfinite)):
                same_bits(mine(a), numpys(x))
        else:
            same_bits(~a, ~x)


@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("dtype", WHOLES)
def test_bits(dtype, n):
    x, y = values(dtype, n, 10), values(dtype, n, 11)
    by = (np.abs(values("int8", n, 12).astype(int)) % 70).astype(dtype)
    a, b, s = nvm.asarray(x), nvm.asarray(y), nvm.asarray(by)
    for f in (operator.and_, operator.or_, operator.xor):
        same_bits(f(a, b), f(x, y))
    same_bits(a << s, x << by)
    same_bits(a >> s, x >> by)


@pytest.mark.parametrize("a,b", pairs(["bool", *WHOLES, *REALS]))
def test_conversions(a, b):
    x = values(a, FEW, 13)
    if a in REALS and b not in REALS:  # what does not fit is no number in any type
        most = 2.0 ** (np.dtype(b).itemsize * 8 - 2) if b != "bool" else 1e30
        x = x[np.isfinite(x) & (np.abs(x) < most)]
        x = np.abs(x) if b in UNSIGNED else x
    with np.errstate(all="ignore"):
        same_bits(nvm.astype(nvm.asarray(x), getattr(nvm, b)), x.astype(b))


@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype, n):
    part = "float32" if dtype == "complex64" else "float64"
    x = (np.random.default_rng(14).standard_normal(n) + 1j * np.random.default_rng(15).standard_normal(n)).astype(dtype)
    y = values(part, n, 16)
    y = np.where(np.isfinite(y) & (abs(y) < 1e10) & (abs(y) > 1e-10), y, 1).astype(part)
    a, b = nvm.asarray(x), nvm.asarray(y)
    for f in (operator.add, operator.sub, operator.mul, operator.truediv):
        same_bits(f(a, b), f(x, y))
    same_bits(a * 2, x * 2)
    same_bits(nvm.real(a), np.real(x).copy())
    same_bits(nvm.imag(a), np.imag(x).copy())
    same_bits(abs(a), abs(x))
    assert nvm.sum(a).to_numpy().dtype == x.dtype


@pytest.mark.parametrize("dtype,k", [("int8", 128), ("int8", -129), ("uint8", 256), ("uint8", -1), ("uint64", -1), ("int64", 2**63), ("uint64", 2**64)])
def test_numbers_that_do_not_fit(dtype, k):
    a = nvm.asarray(np.ones(5, dtype))
    with pytest.raises(OverflowError, match=str(abs(k))):
        a + k
    assert (a == k).tolist() == [False] * 5


def test_the_greatest_uint64():
    a = nvm.asarray(np.array([1, 2**64 - 1], np.uint64))
    assert (a + (2**64 - 1)).tolist() == [0, 2**64 - 2]
    assert (a == 2**64 - 1).tolist() == [False, True]


@pytest.mark.parametrize("n", [0, 1, 2, 1024, 1025])
def test_where_computing_at_once_ends(n):
    x = np.arange(n, dtype=np.int16)
    a = nvm.asarray(x)
    for got, want in ((nvm.imag(a), x * 0), (a**0, x**0), (nvm.isfinite(a), np.isfinite(x)), (a * 300, x * np.int16(300)), (nvm.sign(a), np.sign(x))):
        same_bits(got, want)  # also where all elements are one number
        assert nvm.sum(got).item() == want.sum()
        assert nvm.cumulative_sum(got).tolist() == np.cumsum(want).tolist()
        assert got[::-1].tolist() == want[::-1].tolist()


def test_errors_of_a_few_elements_come_when_somebody_looks():
    a = nvm.array([1, 0, 3])
    bad = 7 // a
    good = a + 1
    for _ in range(2):
        with pytest.raises(ZeroDivisionError) as e:
            bad.tolist()
        assert e.value.nvm_origin.index == 1 and e.value.nvm_origin.function == "test_errors_of_a_few_elements_come_when_somebody_looks"
    assert good.tolist() == [2, 1, 4]


def test_functions_of_the_standard_on_complex_numbers():
    x = np.array([[1 + 2j, 3j, 1 + 2j], [0, -1, 2 - 1j]])
    a = nvm.asarray(x)
    same_bits(nvm.where(a == 0, 7, a), np.where(x == 0, 7, x))
    same_bits(nvm.tril(a), np.tril(x))
    same_bits(nvm.cumulative_sum(a, axis=1), np.cumsum(x, axis=1))
    same_bits(nvm.cumulative_prod(a, axis=0), np.cumprod(x, axis=0))
    assert nvm.unique_values(a).tolist() == np.unique(x).tolist()
    assert nvm.vecdot(a, a).tolist() == np.vecdot(x, x).tolist()
    assert nvm.isin(a, a[0]).tolist() == np.isin(x, x[0]).tolist()
    for f in (nvm.sort, nvm.argsort):
        with pytest.raises(TypeError):
            f(a)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64"])
def test_places_along_an_axis_and_membership(dtype):
    x = values(dtype, 24, 17).reshape(2, 3, 4)
    a = nvm.asarray(x)
    for axis in (-1, 0, 1):
        order = np.argsort(x, axis=axis, kind="stable")
        same_bits(nvm.take_along_axis(a, nvm.asarray(order), axis=axis), np.take_along_axis(x, order, axis=axis))
    some = x.reshape(-1)[::3].copy()
    assert nvm.isin(a, nvm.asarray(some)).tolist() == np.isin(x, some).tolist()
    assert nvm.isin(a, nvm.asarray(some[:0]), invert=True).tolist() == np.isin(x, some[:0], invert=True).tolist()
    assert nvm.broadcast_shapes((2, 1), (3,), ()) == (2, 3)


@pytest.mark.parametrize("shape,axis", [((0, 3), 1), ((2, 0, 3), 0), ((2, 0, 3), 2)])
def test_places_of_extremes_where_there_are_no_rows(shape, axis):
    x = np.zeros(shape)
    assert nvm.argmax(nvm.asarray(x), axis=axis).shape == np.argmax(x, axis=axis).shape
    with pytest.raises(ValueError):
        nvm.argmin(nvm.asarray(x), axis=shape.index(0))


def test_elements_without_values_of_the_machine_are_refused():
    from neslvm import _nvm

    with pytest.raises(TypeError):
        _nvm.record("+ INT", [None, None])
    with pytest.raises(ValueError):
        _nvm.record("+ INT", [_nvm.of_int(1)])
    with pytest.raises(ValueError):
        _nvm.record("+", [_nvm.of_int(1), _nvm.of_int(1)])


@pytest.mark.parametrize("n", [2, MANY])
@pytest.mark.parametrize("x", [np.float64(2.5), np.float32(2.5), np.complex128(2j), np.int8(3), np.uint64(3), np.bool_(True)], ids=lambda x: type(x).__name__)
def test_numbers_of_numpy_are_not_weak(x, n):
    for v in (np.ones(n, dtype=t) for t in WHOLES + REALS + ["complex64"]):
        a = nvm.array(v)
        for f in (operator.add, operator.truediv, operator.mod, operator.floordiv, operator.pow, np.maximum):
            try:
                want = f(v, x), f(x, v)
            except TypeError:
                continue
            for got, wanted in zip((f(a, x), f(x, a)), want):
                assert got.dtype == wanted.dtype and np.array_equal(got.to_numpy(), wanted), (f, v.dtype)
        assert nvm.result_type(a, x) == np.result_type(v, x)


def test_functions_of_elements_meet_numbers_of_numpy_as_arrays_do():
    a = nvm.array([1.5], dtype=nvm.float32)
    for x, t in ((np.float64(0.1), nvm.float64), (np.float32(0.1), nvm.float32), (0.1, nvm.float32), (np.int64(3), nvm.float64)):
        assert a.map(lambda v: v * x).dtype is t
    assert nvm.array([1.0, 2.0]).stencil([-1], lambda v: v + 1, outside=np.float64(2.5)).tolist() == [2.5, 2.0]


def test_classes_of_python_numbers_are_weak():
    import enum

    three = enum.IntEnum("Few", {"THREE": 3}).THREE
    half = type("Half", (float,), {})(0.5)
    assert (nvm.array([7, 8], dtype=nvm.int8) % three).type == "2 * int8" and (nvm.array([7, 8]) // three).tolist() == [2, 2]
    assert (nvm.array([1.5], dtype=nvm.float32) // half).type == "1 * float32"


@pytest.mark.parametrize("values, error, words", [
    ([2**64], OverflowError, "18446744073709551616 .* 64 bits"), ([[1], [2, 2**64]], OverflowError, "64 bits"),
    ([1, None], TypeError, "NoneType, which element 1 is"), ([[1], [2, None]], TypeError, "NoneType, which element 2 is"),
    ({"a": 1}, TypeError, "dict")])
def test_what_is_no_element_is_named(values, error, words):
    with pytest.raises(error, match=words):
        nvm.array(values)
