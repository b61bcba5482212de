"""Data classes and named tuples in functions: records with the methods of their classes."""
import dataclasses
from typing import NamedTuple

import pytest

import nvm


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int = 2

    def norm(self):
        return self.x * self.x + self.y * self.y

    def far(self, limit):
        if self.x > limit:
            return self.norm()
        return -1

    @property
    def total(self):
        return self.x + self.y


class Pair(NamedTuple):
    x: int
    y: int = 2

    def norm(self):
        return self.x * self.x + self.y * self.y

    def far(self, limit):
        if self.x > limit:
            return self.norm()
        return -1

    @property
    def total(self):
        return self.x + self.y


def functions(c):
    def made(v):
        return [c(x, x * x) for x in v]

    def norms(v):
        return sum([p.norm() for p in [c(x) for x in v]])

    def fields(v):
        return [p.x + p.y + p.total for p in [c(y=x, x=1) for x in v]]

    def by_branches(v):
        return [p.far(1) for p in [c(x, 5) for x in v]]

    def chosen(v):
        p = c(v[0])
        if p.x > 2:
            p = c(7, v[1])
        return p.norm()

    def in_order(v):
        return [p.x for p in sorted([c(x, 1) for x in v], key=lambda p: -p.x)], max([c(x, 1) for x in v], key=lambda p: p.total).x

    def gone_through(v):
        t = 0
        for p in [c(x, 1) for x in v]:
            t += p.x * p.norm()
        return t, [c(x, 4) for x in v][1].y

    def compared(v):
        return [c(x, 1) == c(3, 1) for x in v]

    return [made, norms, fields, by_branches, chosen, in_order, gone_through, compared]


def plain(x):
    if isinstance(x, (Point, Pair)):
        return {"x": x.x, "y": x.y}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return plain(x.tolist()) if hasattr(x, "tolist") else x


@pytest.mark.parametrize("c", [Point, Pair])
@pytest.mark.parametrize("k", range(8))
def test_records_with_methods(c, k):
    f = functions(c)[k]
    want = plain(f([3, 1, 2]))
    assert plain(nvm.function(f)(nvm.array([3, 1, 2]))) == want
    assert plain(nvm.each(f, nvm.array([[3, 1, 2], [3, 1, 2]]))) == [want, want]


@pytest.mark.parametrize("c", [Point, Pair])
def test_records_of_numbers(c):
    a = nvm.array([1, 5]).map(lambda x: c(x, 2 * x))
    assert a.tolist() == [{"x": 1, "y": 2}, {"x": 5, "y": 10}] and a.map(lambda p: p.x + p.y).tolist() == [3, 15]
    assert nvm.array([1, 5]).map(lambda x: c(x).far(2) if x < 9 else 0).tolist() == [-1, 29]


@nvm.function
def listed(v):
    return [Point(x, 1) for x in v]


def test_a_list_of_objects_is_one_of_records():
    for interpret in (False, True):
        with nvm.options(interpret=interpret):
            assert listed(nvm.array([1, 2])).tolist() == listed([1, 2]).tolist() == [{"x": 1, "y": 1}, {"x": 2, "y": 1}]


@dataclasses.dataclass
class Checked:
    x: int

    def __post_init__(self):
        assert self.x > 0


@dataclasses.dataclass
class Made:
    x: int
    y: list = dataclasses.field(default_factory=list)


@pytest.mark.parametrize("c", [Checked, Made])
def test_classes_that_do_more_are_refused(c):
    with pytest.raises(nvm.CompileError, match=f"{c.__name__} has others") as e:
        nvm.array([1, 2]).map(lambda x: c(x).x)
    assert e.value.filename == __file__
