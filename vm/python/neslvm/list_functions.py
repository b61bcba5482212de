"""Built-in functions of Python and some of math on numbers and lists of all calls at once, with Python's parameters."""
from __future__ import annotations

import functools
import math
from typing import Any, Callable, Sequence

from .comprehensions import everywhere
from .dtypes import bool_, float64, int64
from .expressions import as_lists
from .flat import Flat, const, ins1
from .interpreter import Frame, all_and, any_of, choose_value, is_lane
from .list_moves import first_where, flattened, side_by_side, sliced
from .nested import ListLane, display, filtered, flat_of, kept, numbers, picked, spread
from .order import _rank, permuted
from .reductions import prod
from .rows import along
from .rules import convert, int_op
from .lanes import Lane, operate, truth, whole


def _converted(x: Any, to: Any) -> Any:
    return Lane(convert(x.flat, to))


def _whole(name: str) -> Callable[..., Any]:
    def apply(frame: Frame, x: Any, /) -> Any:
        return _converted(operate(name, x), int64)

    return apply


def of_elements(f: Any, x: ListLane, frame: Frame) -> Any:
    """f of each element of the lists; of `_Together` it takes the parts."""
    from .calls import call

    if f is None:
        return x.elements
    lists = x.lists
    moved = f.lifted(lambda v: spread(v, lists)) if hasattr(f, "lifted") else f
    assert frame.size is not None
    active = None if frame.active is None else spread(Lane(Flat(bool_, frame.active, frame.size)), lists).flat.h
    values = list(x.elements) if isinstance(x, _Together) else [x.elements]
    return call(moved, values, {}, Frame(frame.function, lists.inner, active))


class _Together(ListLane):
    """Lists of the arguments of one function."""

    __slots__ = ()


def _keys(key: Any, x: ListLane, frame: Frame) -> ListLane:
    found = of_elements(key, x, frame)
    if isinstance(found, ListLane):
        raise TypeError("lists are not compared")
    if isinstance(found, tuple):
        raise NotImplementedError("tuples are not compared for each element; give a key= that is a number")
    return ListLane(x.lists, found if isinstance(found, Lane) else Lane(flat_of(found, x.lists.inner)))


def _extreme(name: str) -> Callable[..., Any]:
    def apply(frame: Frame, *values: Any, key: Any = None, **default: Any) -> Any:
        if default and (list(default) != ["default"] or len(values) != 1):
            raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(default))!r}")
        if len(values) == 1:
            return _extreme_of_list(name, as_lists(values[0], frame), key, default, frame)
        if key is not None:
            assert frame.size is not None
            return _extreme_of_list(name, display(values, frame.size), key, {}, frame)
        result = values[0]
        for v in values[1:]:
            first = operate("less" if name == "min" else "greater", v, result)
            assert frame.size is not None
            result = choose_value(first.flat.h, v, result, frame.size) if isinstance(first, Lane) else v if first else result
        return result

    return apply


def _extreme_of_list(name: str, x: ListLane, key: Any, default: dict[str, Any], frame: Frame) -> Any:
    assert frame.size is not None
    keys = _keys(key, x, frame)
    best = keys.reduced(name)
    if key is not None:
        hit = operate("equal", keys.elements, spread(best, x.lists))
        place = first_where(x, hit.flat.h)
        there = all_and(frame.active, operate("greater_equal", place, 0).flat.h)
        best = x.at(choose_value(there, place, 0, frame.size), there)
    if x.row and x.width:
        return best
    empty = operate("equal", x.length, 0).flat.h
    if default:
        return choose_value(empty, default["default"], best, frame.size)
    if any_of(all_and(frame.active, empty), frame.size):
        raise ValueError(f"{name}() arg is an empty sequence")
    return best


def _sum(frame: Frame, values: Any, /, start: Any = 0) -> Any:
    lists = as_lists(values, frame)
    if isinstance(lists.elements, ListLane):
        if isinstance(start, list) and not start:
            return flattened(lists)
        raise TypeError("a sum of lists begins with []: sum(lists, [])")
    total = lists.reduced("sum")
    return total if isinstance(start, int) and start == 0 else operate("add", total, start)


def _product(frame: Frame, values: Any, /, *, start: Any = 1) -> Any:
    assert frame.size is not None
    total = along(prod, as_lists(values, frame), {}, frame.size)
    return total if isinstance(start, int) and start == 1 else operate("multiply", total, start)


def _range(frame: Frame, *bounds: Any) -> Any:
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
    assert frame.size is not None
    return numbers(start, stop, step, frame.size, frame.active)


def _zip(frame: Frame, *values: Any) -> Any:
    return side_by_side([as_lists(v, frame) for v in values])


def _enumerate(frame: Frame, values: Any, start: Any = 0) -> Any:
    made = as_lists(values, frame)
    outer = made.lists.outer
    place = ins1("INDEX", "I", whole(start, outer).h, const("I", 1, outer), made.lists.h)
    return ListLane(made.lists, (Lane(Flat(int64, place, made.lists.inner)), made.elements))


def sorted_(frame: Frame, values: Any, /, *, key: Any = None, reverse: Any = False) -> ListLane:
    made = as_lists(values, frame)
    if isinstance(reverse, Lane):
        raise NotImplementedError("reverse= is the same in all calls")
    inner = made.lists.inner
    rank = _rank(flat_of(_keys(key, made, frame).elements, inner), made.lists.h, bool(reverse))
    if isinstance(made.elements, Lane):
        return ListLane(made.lists, Lane(permuted(made.elements.flat, rank, made.lists.h)))
    local = ins1("INDEX", "I", const("I", 0, made.lists.outer), const("I", 1, made.lists.outer), made.lists.h)
    at = permuted(Flat(int64, local, inner), rank, made.lists.h)
    return ListLane(made.lists, _at_local(made, at.h))


def _at_local(x: ListLane, local: Any) -> Any:
    """The elements at places in their own lists, as many as there are."""
    inner = x.lists.inner
    place = int_op("+", local, ins1("DIST INT", "I", x.lists.offsets.h, x.lists.h))
    return picked(x.elements, inner, Flat(int64, place, inner), const("B", True, inner))


def reversed_(frame: Frame, values: Any, /) -> ListLane:
    return sliced(as_lists(values, frame), slice(None, None, -1))


def _map(frame: Frame, f: Any, *values: Any) -> ListLane:
    both = side_by_side([as_lists(v, frame) for v in values])
    return ListLane(both.lists, everywhere(of_elements(f, _Together(both.lists, both.elements), frame), both.lists.inner))


def _filter(frame: Frame, f: Any, values: Any, /) -> ListLane:
    x = as_lists(values, frame)
    test = of_elements(f, x, frame)
    flags = truth(test, x.lists.inner) if is_lane(test) else const("B", bool(test), x.lists.inner)
    lists = filtered(x.lists, flags)
    return ListLane(lists, kept(x.elements, flags, x.lists.inner, lists.inner))


def _len(frame: Frame, values: Any, /) -> Any:
    return as_lists(values, frame).length


def _logical(name: str) -> Callable[..., Any]:
    def apply(frame: Frame, values: Any, /) -> Any:
        return as_lists(values, frame).reduced(name)

    return apply


def _list(frame: Frame, values: Any = (), /) -> ListLane:
    x = as_lists(values, frame)
    return ListLane(x.lists, x.elements)


def _isqrt(frame: Frame, x: Any, /) -> Any:
    assert frame.size is not None
    x = Lane(whole(x, frame.size))
    if any_of(all_and(frame.active, operate("less", x, 0).flat.h), frame.size):
        raise ValueError("isqrt() argument must be nonnegative")
    root = _converted(operate("floor", operate("sqrt", x)), int64)
    high = operate("greater", operate("multiply", root, root), x)
    root = operate("subtract", root, _converted(high, int64))
    following = operate("add", root, 1)
    low = operate("less_equal", operate("multiply", following, following), x)
    return operate("add", root, _converted(low, int64))


def _log(frame: Frame, x: Any, base: Any = None, /) -> Any:
    return operate("log", x) if base is None else operate("divide", _log(frame, x), _log(frame, base) if isinstance(base, Lane) else math.log(base))


def _round(frame: Frame, x: Any, ndigits: Any = None) -> Any:
    if ndigits is not None:
        raise NotImplementedError("round to a number of digits for each element is not there yet")
    return _converted(operate("round", x), int64)


def _pow(frame: Frame, base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is not None:
        raise NotImplementedError("pow of three numbers for each element is not there yet")
    return operate("pow", base, exp)


def _divmod(frame: Frame, a: Any, b: Any, /) -> Any:
    return operate("floor_divide", a, b, guard=frame.active), operate("remainder", a, b, guard=frame.active)


def _reduce(frame: Frame, f: Any, values: Any, *initial: Any) -> Any:
    """functools.reduce: one element after the other, in all lists at once."""
    x = as_lists(values, frame)
    assert frame.size is not None
    if not initial and any_of(all_and(frame.active, operate("equal", x.length, 0).flat.h), frame.size):
        raise TypeError("reduce() of empty iterable with no initial value")
    return _fold(f, x, initial, frame)


def _fold(f: Any, x: ListLane, initial: Sequence[Any], frame: Frame) -> Any:
    from .calls import call

    assert frame.size is not None
    total, k = (initial[0], 0) if initial else (x.at(0, frame.active), 1)
    before = frame.active
    try:
        while True:
            there = operate("greater", x.length, k).flat.h
            frame.active = all_and(before, there)
            if not any_of(frame.active, frame.size):
                return total
            total = choose_value(there, call(f, [total, x.at(k, frame.active)], {}, frame), total, frame.size)
            k += 1
    finally:
        frame.active = before


def _number(name: str, to: Any) -> Callable[..., Any]:
    def apply(frame: Frame, x: Any, /) -> Any:
        if not isinstance(x, Lane):
            raise TypeError(f"{name}() of a list")
        return _converted(x, to)

    return apply


BUILT_IN: dict[Any, Callable[..., Any]] = {
    abs: lambda frame, x, /: operate("abs", x), min: _extreme("min"), max: _extreme("max"), sum: _sum, len: _len, range: _range,
    zip: _zip, enumerate: _enumerate, sorted: sorted_, reversed: reversed_, map: _map, filter: _filter,
    any: _logical("any"), all: _logical("all"), float: _number("float", float64), int: _number("int", int64),
    bool: lambda frame, x, /: operate("not_equal", x.length if isinstance(x, ListLane) else x, 0), round: _round, pow: _pow,
    divmod: _divmod, math.floor: _whole("floor"), math.ceil: _whole("ceil"), math.trunc: _whole("trunc"), math.isqrt: _isqrt,
    math.log: _log, math.prod: _product, math.fsum: lambda frame, v, /: _sum(frame, v),
    math.degrees: lambda frame, x, /: operate("multiply", x, 180 / math.pi),
    math.radians: lambda frame, x, /: operate("multiply", x, math.pi / 180), list: _list, tuple: lambda frame, v, /: v,
    functools.reduce: _reduce}
