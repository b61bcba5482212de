"""Rows of arrays of each call: what operators and functions of the module do with their elements."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from .array import Array
from .dtypes import bool_
from .errors import AxisError
from .flat import Flat, Size
from .interpreter import Frame
from .nested import ListLane, array_of, lanes_of, of_array, spread
from .lanes import Lane, operate

# What the module does with an array along an axis.
ALONG = frozenset("sum prod min max mean var std any all count_nonzero argmin argmax sort argsort cumulative_sum cumulative_prod".split())


def on_rows(name: str, values: Sequence[Any], guard: Any, frame: Frame) -> ListLane:
    """An operator on the elements of rows; numbers are the same for all elements of one."""
    assert frame.size is not None
    return _on_rows(name, values, guard, frame.size)


def _on_rows(name: str, values: Sequence[Any], guard: Any, size: Size) -> ListLane:
    given = [of_array(v, size) if isinstance(v, Array) and v.ndim else v for v in values]
    rows = [v for v in given if isinstance(v, ListLane)]
    if not all(v.row for v in rows):
        raise TypeError(f"{name} is no operator of lists")
    first = rows[0]
    for other in rows[1:]:
        if other.width != first.width if None not in (other.width, first.width) else not other.lists.same(first.lists):
            raise ValueError("rows of other lengths do not meet")
    lists = first.lists
    inner = [v.elements if isinstance(v, ListLane) else spread(v, lists) for v in given]
    flags = None if guard is None else spread(Lane(Flat(bool_, guard, size)), lists).flat.h
    if any(isinstance(v, ListLane) for v in inner):
        return first.alike(lists, _on_rows(name, inner, flags, lists.inner))
    return first.alike(lists, operate(name, *inner, guard=flags))


def along(f: Callable[..., Any], x: ListLane, named: dict[str, Any], size: Size) -> Any:
    """A function of the module of the list or row of each call."""
    if isinstance(x.elements, ListLane):
        raise NotImplementedError(f"{f.__name__} of an array of several dimensions for each element")
    if named.get("axis", -1) not in (None, 0, -1):
        raise AxisError(f"there is no axis {named['axis']} in 1 dimensions")
    array = array_of(x, [size if size.known is None else size.known], size)
    result = f(array, **{**named, "axis": -1})
    made, _ = lanes_of(result)
    return _of_size(made, size) if isinstance(made, Lane) else ListLane(x.lists, _of_size(made.elements, x.lists.inner), x.row, x.width)


def _of_size(x: Any, size: Size) -> Any:
    return Lane(Flat(x.flat.dtype, x.flat.h, size))
