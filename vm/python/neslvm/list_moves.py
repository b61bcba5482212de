"""Lists of each call with their elements in other places: slices, lists one behind the other, an element replaced."""
from __future__ import annotations

import operator
from typing import Any

from . import rules
from .array import lists_of_lengths
from .dtypes import bool_, int64
from .flat import Flat, const, gather_where, ins1, iota
from .nested import ListLane, either_of, picked, spread
from .lanes import Lane, whole

MOST_TIMES = 2**40  # that a list is repeated: no memory has room for more, and lengths do not wrap


def _at_least(a: Any, b: Any) -> Any:
    return rules.select("I", rules.compare("<", "I", a, b), b, a)


def _at_most(a: Any, b: Any) -> Any:
    return rules.select("I", rules.compare(">", "I", a, b), b, a)


def taken(x: ListLane, start: Any, step: Any, many: Any) -> ListLane:
    """So many elements of each list, from a place on."""
    size = x.lists.outer
    lists = lists_of_lengths(Flat(int64, many, size))
    place = ins1("INDEX", "I", rules.int_op("+", x.lists.offsets.h, start), step, lists.h)
    everywhere = const("B", True, lists.inner)
    return ListLane(lists, picked(x.elements, x.lists.inner, Flat(int64, place, lists.inner), everywhere), x.row)


def sliced(x: ListLane, s: slice) -> ListLane:
    """x[s] of each list; start and stop may differ from call to call."""
    if isinstance(s.step, Lane):
        raise NotImplementedError("the step of a slice is a number, the same in all calls")
    step = 1 if s.step is None else operator.index(s.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    size = x.lists.outer
    n, zero, one = x.lists.lengths.h, const("I", 0, size), const("I", 1, size)
    low, high = (zero, n) if step > 0 else (const("I", -1, size), rules.int_op("-", n, one))

    def bound(b: Any, otherwise: Any) -> Any:
        if b is None:
            return otherwise
        h = whole(b, size).h
        from_end = rules.select("I", rules.compare("<", "I", h, zero), rules.int_op("+", h, n), h)
        return _at_most(_at_least(from_end, low), high)

    start, stop = (bound(s.start, low), bound(s.stop, high)) if step > 0 else (bound(s.start, high), bound(s.stop, low))
    span = rules.int_op("-", stop, start) if step > 0 else rules.int_op("-", start, stop)
    by = abs(step)
    many = span if by == 1 else rules.int_op("/", rules.int_op("+", span, const("I", by - 1, size)), const("I", by, size))
    made = taken(x, start, const("I", step, size), _at_least(many, zero))
    if x.width is not None and not any(isinstance(b, Lane) for b in (s.start, s.stop)):
        made.width = len(range(*s.indices(x.width)))
    return made


def repeated_list(x: ListLane, times: Any) -> ListLane:
    """x * times."""
    size = x.lists.outer
    n, zero = x.lists.lengths.h, const("I", 0, size)
    often = _at_most(_at_least(whole(times, size).h, zero), const("I", MOST_TIMES, size))
    lists = lists_of_lengths(Flat(int64, rules.int_op("*", n, often), size))
    local = ins1("INDEX", "I", zero, const("I", 1, size), lists.h)
    at = rules.int_op("%", local, ins1("DIST INT", "I", n, lists.h))
    place = rules.int_op("+", at, ins1("DIST INT", "I", x.lists.offsets.h, lists.h))
    everywhere = const("B", True, lists.inner)
    return ListLane(lists, picked(x.elements, x.lists.inner, Flat(int64, place, lists.inner), everywhere))


def side_by_side(parts: list[ListLane]) -> ListLane:
    """Tuples of what stands at one place, as far as the shortest list goes."""
    first = parts[0].lists
    if all(p.lists.h.key == first.h.key for p in parts):
        return ListLane(first, tuple(p.elements for p in parts))
    size = first.outer
    many = first.lengths.h
    for p in parts[1:]:
        many = _at_most(many, p.lists.lengths.h)
    zero, one = const("I", 0, size), const("I", 1, size)
    cut = [taken(p, zero, one, many) for p in parts]
    return ListLane(cut[0].lists, tuple(p.elements for p in cut))


def replaced(x: ListLane, index: Any, value: Any, guard: Any) -> ListLane:
    """With another element at an index of each list, where the flags are set; the machine fails where there is none."""
    inner, outer = x.lists.inner, x.lists.outer
    flags = const("B", True, outer) if guard is None else guard
    # An index out of range fails in this gather, and only where it is needed.
    place = gather_where(iota(inner), x.place(index), flags, outer)
    here = rules.compare("=", "I", iota(inner).h, ins1("DIST INT", "I", place.h, x.lists.h))
    if guard is not None:
        here = rules.both(here, spread(Lane(Flat(bool_, guard, outer)), x.lists).flat.h)
    return x.alike(x.lists, either_of(here, spread(value, x.lists), x.elements, inner))


def first_where(x: ListLane, flags: Any) -> Lane:
    """The place in each list of the first element whose flag is set, -1 if there is none."""
    size, none = x.lists.outer, 2**63 - 1
    local = ins1("INDEX", "I", const("I", 0, size), const("I", 1, size), x.lists.h)
    found = rules.select("I", flags, local, const("I", none, x.lists.inner))
    least = ins1("MIN_REDUCE INT", "I", found, x.lists.h)
    missing = rules.compare("=", "I", least, const("I", none, size))
    return Lane(Flat(int64, rules.select("I", missing, const("I", -1, size), least), size))


def flattened(x: ListLane) -> ListLane:
    """The lists in each list, one behind the other."""
    assert isinstance(x.elements, ListLane)
    deeper = x.elements.lists
    total = ins1("+_REDUCE INT", "I", deeper.lengths.h, x.lists.h)
    return ListLane(lists_of_lengths(Flat(int64, total, x.lists.outer), deeper.inner), x.elements.elements)
