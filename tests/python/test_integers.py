"""Where functions need integers: ranges, slices, indices and repeated lists of each call, up to the limits of 64 bits."""
import itertools

import pytest

import nvm

BIG = 2**63
NEEDED = [lambda k: [x for x in range(k)], lambda k: [x for x in range(0, 3, k)], lambda k: [x for x in range(k, 3)], lambda k: [1, 2][:k],
          lambda k: [1, 2][k:], lambda k: [1] * k, lambda k: [4, 5][k], lambda k: (4, 5)[k], lambda k: [i for i, _ in enumerate([4, 5], k)]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("values", [[1.0, 0.0], [-1.0, -0.0], [5e-324, 1e-323]], ids=str)
@pytest.mark.parametrize("f", NEEDED)
def test_a_float_is_no_integer(f, values, dtype):
    with pytest.raises(TypeError, match="integer") as e:
        nvm.each(f, nvm.array(values, dtype=dtype))
    assert e.value.nvm_origin.filename == __file__


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "uint64"])
@pytest.mark.parametrize("f", [f for f in NEEDED if f is not NEEDED[1]])
def test_integers_of_all_types_and_flags(f, dtype):
    assert nvm.each(f, nvm.array([1, 0], dtype=dtype)).tolist() == [f(1), f(0)]


def turns(a, b, c):
    count = 0
    for _ in range(a, b, c):
        count += 1
    return count


def halves(a, b, c):
    total = 0
    for _ in range(2):
        for i in [x for x in range(a, b, c)]:
            total += i % 1000
    return total


def by_three(a, b):
    count = 0
    for _ in range(a, b, 3):
        count += 1
    return count


EDGES = [0, 1, -1, BIG - 1, BIG - 2, -BIG, -BIG + 3]
STEPS = [1, -1, 3, -3, 2**62, -(2**62), BIG - 1, -BIG]
RANGES = [r for r in itertools.product(EDGES, EDGES, STEPS) if (r[1] - r[0]) // r[2] < 6]


@pytest.mark.parametrize("jit", ["off", "always"])
def test_ranges_at_the_limits_of_64_bits(jit):
    with nvm.options(jit=jit):
        columns = [nvm.array(list(c)) for c in zip(*RANGES)]
        want = [list(range(*r)) for r in RANGES]
        assert nvm.each(lambda a, b, c: [x for x in range(a, b, c)], *columns).tolist() == want
        assert nvm.map(turns, *columns).tolist() == list(map(len, want))
        assert nvm.map(halves, *columns).tolist() == [halves(*r) for r in RANGES]


@pytest.mark.parametrize("f", [turns, halves])
def test_ranges_of_one_call_at_the_limits(f):
    compiled = nvm.function(f)
    assert [int(compiled(*r)) for r in RANGES] == [f(*r) for r in RANGES]
    assert int(nvm.function(by_three)(BIG - 8, BIG - 1)) == by_three(BIG - 8, BIG - 1)


def test_a_range_that_no_integer_counts_is_refused():
    first, last = nvm.array([-BIG, 1]), nvm.array([BIG - 1, 3])
    with pytest.raises(ValueError, match="negative length"):
        nvm.each(lambda a, b: [x for x in range(a, b)], first, last).tolist()
    assert nvm.each(lambda a, b: [x for x in range(a, b)] if b < 9 else [], first, last).tolist() == [[], [1, 2]]


def test_steps_of_zero():
    steps = nvm.array([2, 0])
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        nvm.each(lambda k: [x for x in range(0, 3, k)], steps)
    assert nvm.each(lambda k: [x for x in range(0, 3, k)] if k > 0 else [7], steps).tolist() == [[0, 2], [7]]


def test_slices_and_repetitions_by_large_numbers():
    by = nvm.array([2**64 - 1, 2**63, 1], dtype="uint64")
    assert nvm.each(lambda k: [1, 2][:k], by).tolist() == [[1, 2], [1, 2], [1]]
    with pytest.raises(IndexError):
        nvm.each(lambda k: [1, 2][k], by).tolist()
    assert nvm.array([3]).map(lambda x: len([x][: 2**70])).tolist() == [1]
    with pytest.raises(MemoryError):
        nvm.each(lambda k: [1, 2, 3, 4] * k, nvm.array([2**62])).tolist()


def test_arange_counts_in_integers():
    assert nvm.arange(1, -BIG, -(2**62)).tolist() == list(range(1, -BIG, -(2**62)))


def by_a_name(x):
    y = -1
    if x > 3:
        y = x
    return y


WIDER = [lambda x: x if x > 3 else -1, by_a_name, lambda x: max(x, -1), lambda x: min(x, 300), lambda x: (x, 300)[x % 2], lambda x: [x, 300][x % 2]]


@pytest.mark.parametrize("f", WIDER)
def test_a_number_that_small_elements_have_no_room_for(f):
    for dtype in ("uint8", "int8", "uint32", "int64"):
        assert nvm.array([1, 5, 4], dtype=dtype).map(f).tolist() == [f(1), f(5), f(4)]
    with pytest.raises(OverflowError, match=r"300 out of bounds for uint8; astype\(\), or int\(\) of an element, makes room"):
        nvm.array([1], dtype="uint8").map(lambda x: x + 300)
    assert nvm.array([1], dtype="uint8").map(lambda x: int(x) + 300).tolist() == [301]
    assert nvm.array([1, 5], dtype="uint8").map(lambda x: x if x > 3 else 7).dtype == nvm.uint8
