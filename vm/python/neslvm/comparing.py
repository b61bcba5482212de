"""Lists and tuples of each call are compared as a whole, as Python does."""
from __future__ import annotations

from typing import Any

from .dtypes import bool_
from .flat import Flat, Size, const
from .host_lists import load_list
from .interpreter import all_and, choose_value
from .lanes import Lane, operate
from .list_moves import first_where, side_by_side
from .nested import ListLane, display, of_array

_SIGNS = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}


def _is_list(x: Any) -> bool:
    return isinstance(x, (list, ListLane)) or load_list(x)


def as_a_whole(a: Any, b: Any) -> bool:
    """Whether they are compared by more than one number."""
    return any(_is_list(x) or isinstance(x, tuple) for x in (a, b))


def _kind(x: Any) -> str:
    return "list" if _is_list(x) else type(x).__name__ if isinstance(x, tuple) else "number"


def _lists(x: Any, size: Size) -> ListLane:
    return x if isinstance(x, ListLane) else display(x, size) if isinstance(x, list) else of_array(x, size)


def same_value(a: Any, b: Any, size: Size) -> Lane:
    """Whether two values are equal, in each call."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        result = Lane(Flat(bool_, const("B", True, size), size))
        for x, y in zip(a, b):
            result = operate("logical_and", result, same_value(x, y, size))
        return result
    if _is_list(a) and _is_list(b):
        x, y = _lists(a, size), _lists(b, size)
        return operate("logical_and", _same_begin(side_by_side([x, y])).reduced("all"), operate("equal", x.length, y.length))  # type: ignore[no-any-return]
    if as_a_whole(a, b):
        return Lane(Flat(bool_, const("B", False, size), size))
    return operate("equal", a, b) if isinstance(a, Lane) or isinstance(b, Lane) else Lane(Flat(bool_, const("B", bool(a == b), size), size))  # type: ignore[no-any-return]


def _same_begin(both: ListLane) -> ListLane:
    """Which elements at one place are equal."""
    a, b = both.elements
    return ListLane(both.lists, same_value(a, b, both.lists.inner))


def compared(name: str, a: Any, b: Any, size: Size, active: Any) -> Any:
    """An operator on what is compared as a whole."""
    if name in ("equal", "not_equal"):
        same = same_value(a, b, size)
        return same if name == "equal" else operate("logical_not", same)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _tuples(name, a, b, size, active)
    if _is_list(a) and _is_list(b):
        return _of_lists(name, _lists(a, size), _lists(b, size), size, active)
    if as_a_whole(a, b):
        raise TypeError(f"'{_SIGNS[name]}' not supported between instances of {_kind(a)!r} and {_kind(b)!r}")
    if isinstance(a, Lane) or isinstance(b, Lane):
        return operate(name, a, b)
    return bool(a < b if name == "less" else a <= b if name == "less_equal" else a > b if name == "greater" else a >= b)


def _tuples(name: str, a: tuple[Any, ...], b: tuple[Any, ...], size: Size, active: Any) -> Any:
    """The first parts that are different decide."""
    result = compared(name, len(a), len(b), size, active)
    for x, y in reversed(list(zip(a, b))):
        same = same_value(x, y, size).flat.h
        result = choose_value(same, result, compared(name, x, y, size, active), size)
    return result


def _of_lists(name: str, a: ListLane, b: ListLane, size: Size, active: Any) -> Any:
    both = side_by_side([a, b])
    place = first_where(both, operate("logical_not", _same_begin(both).elements).flat.h)
    differ = operate("greater_equal", place, 0).flat.h
    there = all_and(active, differ)
    first = compared(name, a.at(place, there), b.at(place, there), size, there)
    return choose_value(differ, first, operate(name, a.length, b.length), size)
