"""Awkward arrays of every layout come in and go out as they are, or are refused with a cure."""
import nvm
import numpy as np
import pytest

ak = pytest.importorskip("awkward")
LISTS = ak.Array([[1, 2], [], [3], [4, 5, 6]])
POINTS = [{"x": 1, "y": 2.5}, {"x": 3, "y": 4.5}]

WHOLE = {
    "nothing": ak.Array([]),
    "empty lists": ak.Array([[], []]),
    "empty lists of lists": ak.Array([[[]], [], [[], []]]),
    "leading and trailing": ak.Array([[], [1.5], [], [2, 3.25], []]),
    "bools": ak.Array([[True], [], [False, True]]),
    "bytes": ak.values_astype(ak.Array([[1], [], [2, 3]]), np.uint8),
    "complex": ak.Array([[1 + 2j], [], [3j]]),
    "slice": LISTS[1:],
    "reversed": LISTS[::-1],
    "inner slice": LISTS[:, :1],
    "masked lists": LISTS[[True, False, True, True]],
    "nothing is missing": ak.Array([[1, None], [], [3]])[:, :1],
    "regular": ak.to_regular(ak.Array([[1, 2], [3, 4]])),
    "regular in lists": ak.to_regular(ak.Array([[[1, 2]], [], [[3, 4], [5, 6]]]), axis=2),
    "rows": ak.from_numpy(np.arange(6).reshape(2, 3)),
    "rows in lists": ak.unflatten(ak.from_numpy(np.arange(6).reshape(3, 2)), [1, 0, 2]),
    "empty rows in lists": ak.unflatten(ak.from_numpy(np.zeros((3, 0))), [1, 0, 2]),
    "records": ak.Array(POINTS),
    "records in lists": ak.Array([POINTS, [], POINTS[:1]]),
    "tuples in lists": ak.Array([[(1, 2.5), (3, 4.5)], []]),
    "records of records": ak.Array([{"p": POINTS[0], "n": 1}, {"p": POINTS[1], "n": 2}]),
    "two parts": ak.concatenate([ak.Array([[1], []]), ak.Array([[2, 3]])]),
}


@pytest.mark.parametrize("name", WHOLE)
def test_both_ways(name):
    there = nvm.from_awkward(WHOLE[name])
    assert there.tolist() == WHOLE[name].tolist()
    assert there.to_awkward().tolist() == WHOLE[name].tolist()


def test_regular_stays_regular():
    assert nvm.from_awkward(WHOLE["regular"]).shape == (2, 2)
    assert str(nvm.array([[1, 2], [3, 4]]).to_awkward().type) == "2 * 2 * int64"


def test_elements_are_not_copied():
    data, offsets = np.arange(10000.0), np.arange(0, 10001, 100)
    there = nvm.from_awkward(ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets), ak.contents.NumpyArray(data))))
    assert np.shares_memory(there.data.to_numpy(), data)
    more = there * 2
    nvm.eval(more)
    assert np.shares_memory(more.to_awkward().layout.content.data, more.data.to_numpy())


def test_records_in_lists_keep_their_fields():
    z = nvm.from_awkward(WHOLE["records in lists"])
    assert z.fields == ["x", "y"] and z.type == "3 * var * {x: int64, y: float64}"
    assert nvm.sum(z["y"], axis=-1).tolist() == [7, 0, 2.5]
    assert nvm.from_lengths(nvm.zip(x=[1, 2], y=[3, 4]), [2, 0]).tolist() == [[{"x": 1, "y": 3}, {"x": 2, "y": 4}], []]


def test_missing_values_are_refused_or_replaced():
    some = ak.Array([[1, None], [], [3]])
    with pytest.raises(ValueError, match="1 missing values; .*null="):
        nvm.from_awkward(some)
    assert nvm.from_awkward(some, null=-1).tolist() == [[1, -1], [], [3]]
    with pytest.raises(ValueError, match="1 lists or records are missing"):
        nvm.from_awkward(ak.Array([None, [1]]), null=0)


@pytest.mark.parametrize("x, why", [(["ab", ""], "strings are no numbers"), ([1, [2]], "UnionArray"), ([{"x": [1], "y": 2.5}], "no common shape")])
def test_what_has_no_meaning_is_refused(x, why):
    with pytest.raises(ValueError, match=why):
        nvm.from_awkward(ak.Array(x))


def test_structs_of_arrow_have_one_shape():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="no common shape"):
        nvm.from_arrow(pa.array([{"x": [1], "y": 2.5}]))
    lists = [POINTS, [], POINTS[:1]]
    assert nvm.from_arrow(pa.array(lists)).tolist() == lists


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "var", "std", "count_nonzero"])
@pytest.mark.parametrize("lists", [[[1.5, 2.0, -3.0], [4.0], [0.0, 0.5]], [[], [2.0, 1.0], []]])
def test_reducers_agree(name, lists):
    awkward, there = ak.Array(lists), nvm.array(lists)
    extra = {"mask_identity": False} if name in ("min", "max", "argmin", "argmax") else {}
    want = getattr(ak, name)(awkward, axis=-1, **extra).to_numpy()
    np.testing.assert_allclose(getattr(nvm, name)(there, axis=-1).to_numpy(), want, rtol=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_statistics_agree(weighted):
    random = np.random.default_rng(3)
    n = random.integers(0, 6, 50)
    x, y, w = (random.normal(size=n.sum()) ** 2 for _ in range(3))
    mine, theirs = ([make(v, n) for v in (x, y, w)] for make in (nvm.from_lengths, ak.unflatten))
    (a, b, p), (c, d, q) = mine, theirs
    one, other = ({"axis": -1, "weight": p}, {"axis": -1, "weight": q}) if weighted else ({"axis": -1}, {"axis": -1})

    def same(got, want, where=slice(None)):
        np.testing.assert_allclose(got.to_numpy()[where], ak.to_numpy(ak.fill_none(want, np.nan))[where], rtol=1e-6, atol=1e-12)

    with np.errstate(all="ignore"):
        same(nvm.moment(a, 3, **one), ak.moment(c, 3, **other))
        same(nvm.covar(a, b, **one), ak.covar(c, d, **other))
        same(nvm.corr(a, b, **one), ak.corr(c, d, **other))
        fit, line = nvm.linear_fit(a, b, **one), ak.linear_fit(c, d, **other)
        for field in ("intercept", "slope", "intercept_error", "slope_error"):
            same(fit[field], line[field], n > 2)
        same(nvm.ptp(a, axis=-1), ak.ptp(c, axis=-1), n > 0)
        same(nvm.count(a, axis=-1), ak.count(c, axis=-1))
        same(nvm.softmax(a).data, ak.flatten(ak.softmax(c, axis=-1)))


@pytest.mark.parametrize("lists", [[[3], [0], [1], [0, 0]], [[], [2, 5, 1], [9, 5], [], [9]], [[1.5], [], [-1, 2.5]]])
def test_places_across_lists_are_those_of_the_lists(lists):
    awkward, there = ak.Array(lists), nvm.array(lists)
    for name in ("argmax", "argmin"):
        for keepdims in (False, True):
            assert getattr(nvm, name)(there, axis=0, keepdims=keepdims).tolist() == getattr(ak, name)(awkward, axis=0, keepdims=keepdims).tolist()


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float64"])
def test_the_range_of_no_elements_is_zero(dtype):
    lists = [[3, 5], [], [7]]
    got = nvm.ptp(nvm.array(lists, dtype=dtype), axis=-1)
    assert got.tolist() == ak.ptp(ak.values_astype(ak.Array(lists), dtype), axis=-1, mask_identity=False).tolist() == [2, 0, 0]
    assert np.isnan(nvm.ptp(nvm.array([[1.0, np.nan], []]), axis=-1).to_numpy()).tolist() == [True, False]


def test_empty_dimensions_leave():
    pa = pytest.importorskip("pyarrow")
    for shape in ((2, 0), (2, 0, 3), (0, 2), (2, 3)):
        zeros = np.zeros(shape)
        assert pa.array(nvm.array(zeros)).to_pylist() == nvm.array(zeros).to_awkward().tolist() == zeros.tolist()
    lists = nvm.array([[1], []])[np.zeros((2, 0), int)]
    assert lists.type == "2 * 0 * var * int64"
    assert lists.tolist() == pa.array(lists).to_pylist() == lists.to_awkward().tolist() == [[], []]


def test_statistics_of_rows():
    m = np.random.default_rng(4).normal(size=(3, 5))
    powers = np.exp(m)
    for axis in (0, 1):
        np.testing.assert_allclose(nvm.softmax(nvm.array(m), axis=axis).to_numpy(), powers / powers.sum(axis, keepdims=True))
        np.testing.assert_allclose(nvm.covar(m, m * m, axis=axis).to_numpy(), ((m - m.mean(axis, keepdims=True)) * (m * m - (m * m).mean(axis, keepdims=True))).mean(axis))
    assert nvm.softmax(nvm.array([1000.0, 1000.0])).tolist() == [0.5, 0.5] and int(nvm.count(m)) == 15
    assert [int(nvm.ptp(x)) for x in ([3, 9, 1], m.astype(int) * 0)] == [8, 0]


def test_arrays_are_made_of_awkwards_and_arrows():
    pa = pytest.importorskip("pyarrow")
    for x in (LISTS, pa.array(LISTS.tolist()), pa.chunked_array([LISTS[:2].tolist(), LISTS[2:].tolist()])):
        assert nvm.array(x).tolist() == nvm.asarray(x).tolist() == LISTS.tolist()
        assert nvm.asarray(x, dtype=nvm.float32).type == "4 * var * float32"
        assert (nvm.array(LISTS.tolist()) + x).tolist() == (LISTS + LISTS).tolist()
    assert nvm.asarray(ak.Array(POINTS)).tolist() == POINTS
    values = np.array([1, 2, 3])
    made = nvm.array(ak.from_numpy(values))
    values[0] = 9
    assert made.tolist() == [1, 2, 3]
    for x in (pa.array([1, None]), ak.Array([1, None])):
        with pytest.raises(ValueError, match=r"from_(arrow|awkward)\(x, null=...\)"):
            nvm.array(x)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint64", "bool", "float32"])
def test_softmax_of_small_types(dtype):
    x = np.array([5, 0, 1], dtype=dtype)
    want = ak.softmax(ak.Array([x.astype(float)]), axis=-1).to_numpy()
    for a in (nvm.from_lengths(nvm.array(x), nvm.array([3])), nvm.array(x.reshape(1, 3))):
        np.testing.assert_allclose(nvm.softmax(a, axis=-1).to_numpy() if not a.is_jagged else [nvm.softmax(a, axis=-1).tolist()[0]], want, rtol=1e-6)
