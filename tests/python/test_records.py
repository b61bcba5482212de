"""Functions of arrays on arrays of records: what moves elements moves all components, the others refuse."""
import pytest

import nvm as nv

ROWS = [{"x": 1, "y": 1.5}, {"x": 2, "y": 2.5}, {"x": 3, "y": 3.5}, {"x": 4, "y": 4.5}]


def records():
    return nv.zip(x=[r["x"] for r in ROWS], y=[r["y"] for r in ROWS])


@pytest.mark.parametrize("move, expected", [
    (lambda r: nv.take(r, nv.asarray([3, 0])), [ROWS[3], ROWS[0]]),
    (lambda r: nv.reshape(r, (2, 2)), [ROWS[:2], ROWS[2:]]),
    (lambda r: nv.permute_dims(nv.reshape(r, (2, 2)), (1, 0)), [[ROWS[0], ROWS[2]], [ROWS[1], ROWS[3]]]),
    (lambda r: nv.repeat(r, 2), [row for row in ROWS for _ in range(2)]),
    (lambda r: nv.roll(r, 1), [ROWS[3], *ROWS[:3]]),
    (lambda r: nv.tile(r, (2,)), ROWS + ROWS),
    (lambda r: nv.broadcast_to(r, (2, 4)), [ROWS, ROWS]),
    (lambda r: nv.flip(r), ROWS[::-1]),
    (lambda r: nv.expand_dims(r, axis=0), [ROWS]),
    (lambda r: r.T, ROWS),
    (lambda r: r[1:3], ROWS[1:3]),
    (lambda r: r[nv.asarray([True, False, False, True])], [ROWS[0], ROWS[3]]),
])
def test_moved(move, expected):
    assert move(records()).tolist() == expected


def test_lists():
    lists = nv.zip(x=nv.array([[1], [2, 3], []]), y=nv.array([[1.5], [2.5, 3.5], []]))
    assert nv.flatten(lists).tolist() == ROWS[:3]
    assert lists.data.tolist() == ROWS[:3]


def test_records_in_records():
    both = nv.zip(a=records(), b=records())
    assert nv.take(both, nv.asarray([2])).tolist() == [{"a": ROWS[2], "b": ROWS[2]}]
    assert both.map(lambda q: q.a.x + q.b.x).tolist() == [2, 4, 6, 8]


@pytest.mark.parametrize("compute", [
    lambda r: r + 1, lambda r: 1 + r, lambda r: r + r, lambda r: -r, lambda r: r == r, lambda r: nv.sqrt(r),
    lambda r: nv.sum(r), lambda r: nv.sort(r), lambda r: nv.where(r, r, r), lambda r: nv.concat([r, r]),
    lambda r: nv.astype(r, nv.float64), lambda r: nv.cumulative_sum(r), lambda r: r.__setitem__(0, 1),
])
def test_refused(compute):
    with pytest.raises(TypeError, match="component"):
        compute(records())


def test_records_in_lists_have_a_size():
    j = nv.from_lengths(records(), [1, 0, 3])
    assert (j.size, j.nbytes) == (4, 64) and (records().size, records().nbytes) == (4, 64)
    assert nv.from_lengths(records(), [0, 4])[:1].size == 0
    assert f"{records()[0]}" == str(records()[0])
