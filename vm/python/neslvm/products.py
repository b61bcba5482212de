"""Tuples of what stands in one list: products of several arrays, and combinations of one, list by list."""
from __future__ import annotations

import builtins
from typing import Any, Callable, Optional, Sequence

from .array import Array, Dim, Lists, lists_of_lengths, repeated
from .dtypes import int64
from .errors import AxisError
from .flat import Flat, ONE, Size, const, ins1, iota
from .records import Records, by_component, of_one_component
from .rules import int_op


class _Within:
    """The lists of an array along an axis, and what they consist of."""

    def __init__(self, x: Any, axis: int) -> None:
        from .lists import data, flatten
        from .making import asarray

        self.array = asarray(x)
        shape = of_one_component(self.array)
        if not 0 <= axis < 2 or axis >= self.array.ndim:
            raise AxisError(f"tuples are made along axis 0 or 1 of an array, not along axis {axis} of {self.array.ndim}")
        if axis == 0:
            size = Size(len(shape)) if len(shape) != 1 else ONE
            self.lists, self.elements = Lists(size.seg, ONE, size), self.array
            return
        dim = shape.dims[1]
        if isinstance(dim, Lists):
            self.lists, self.elements = dim, data(self.array)
        else:
            rows, columns = len(shape), int(dim)  # type: ignore[arg-type]
            outer, inner = (Size(n) if n != 1 else ONE for n in (rows, rows * columns))
            self.lists, self.elements = Lists(repeated(columns, outer), outer, inner), flatten(self.array)

    def places(self) -> Array:
        """For each element its place in its list."""
        zero, one = const("I", 0, self.lists.outer), const("I", 1, self.lists.outer)
        return Array(Flat(int64, ins1("INDEX", "I", zero, one, self.lists.h), self.lists.inner), [_dim(self.lists.inner)])


def _dim(size: Size) -> Dim:
    return size if size.known is None else size.known


def _spread(f: Flat, over: Lists) -> Flat:
    return Flat(f.dtype, ins1("DIST INT", "I", f.h, over.h), over.inner)


def _counted(start: Any, lists: Lists) -> Flat:
    """In each list the numbers from its start on."""
    return Flat(int64, ins1("INDEX", "I", start, const("I", 1, lists.outer), lists.h), lists.inner)


def _pairs(indices: list[Flat], lists: Lists, start: Flat, many: Flat) -> tuple[list[Flat], Lists]:
    """Behind each tuple of elements each of so many that follow a place; `lists` has the tuples of each list."""
    each = lists_of_lengths(many)
    total = Flat(int64, ins1("+_REDUCE INT", "I", many.h, lists.h), lists.outer)
    return [*(_spread(i, each) for i in indices), _counted(start.h, each)], lists_of_lengths(total, each.inner)


def _tuples(parts: Sequence[_Within], elements: Sequence[Array], indices: Sequence[Flat], lists: Lists, axis: int,
            names: Optional[Sequence[str]]) -> Array:
    from .lists import _at

    at: Callable[..., Array] = by_component(_at)
    chosen = [at(e, i) for e, i in builtins.zip(elements, indices)]
    if axis == 1:
        outer: list[Dim] = [of_one_component(parts[0].array).dims[0], lists]
        chosen = [_behind(c, outer) for c in chosen]
    return Records(chosen, names, axis + 1)


@by_component
def _behind(a: Array, outer: list[Dim]) -> Array:
    return Array(a.flat, [*outer, *a.dims[1:]])


def _product(arrays: Any, axis: int, of: Callable[[_Within], Array]) -> Array:
    names = list(arrays) if isinstance(arrays, dict) else None
    parts = [_Within(a, axis) for a in (arrays.values() if isinstance(arrays, dict) else arrays)]
    if not parts:
        raise ValueError("a product of no arrays")
    lists, indices = parts[0].lists, [iota(parts[0].lists.inner)]
    for k, p in enumerate(parts[1:], 2):
        if axis == 1 and len(p.array) != len(parts[0].array):
            raise ValueError(f"array {k} has {len(p.array)} lists, the first one {len(parts[0].array)}")
        indices, lists = _pairs(indices, lists, _spread(p.lists.offsets, lists), _spread(p.lists.lengths, lists))
    return _tuples(parts, [of(p) for p in parts], indices, lists, axis, names)


def _chosen(x: Any, n: int, replacement: bool, axis: int, fields: Optional[Sequence[str]], of: Callable[[_Within], Array]) -> Array:
    if n < 1:
        raise ValueError(f"combinations of {n} elements")
    if fields is not None and len(fields) != n:
        raise ValueError(f"{len(fields)} fields for combinations of {n} elements")
    part = _Within(x, axis)
    lists = part.lists
    indices = [iota(lists.inner)]
    end = _spread(Flat(int64, int_op("+", lists.offsets.h, lists.lengths.h), lists.outer), lists)
    for _ in range(n - 1):
        last = indices[-1]
        start = last if replacement else Flat(int64, int_op("+", last.h, const("I", 1, last.size)), last.size)
        many = Flat(int64, int_op("-", end.h, start.h), last.size)
        before = lists
        indices, lists = _pairs(indices, before, start, many)
        end = _spread(end, lists_of_lengths(many, lists.inner))
    return _tuples([part], [of(part)] * n, indices, lists, axis, fields)


def _elements(p: _Within) -> Array:
    return p.elements


def cartesian(arrays: Any, *, axis: int = 1) -> Array:
    """All tuples with an element of each array, list by list (axis 0: of all elements), those of the last array changing first.
    A dictionary of arrays gives records with its names."""
    return _product(arrays, axis, _elements)


def argcartesian(arrays: Any, *, axis: int = 1) -> Array:
    """The same of places in the lists."""
    return _product(arrays, axis, _Within.places)


def combinations(x: Any, n: int = 2, *, replacement: bool = False, axis: int = 1, fields: Optional[Sequence[str]] = None) -> Array:
    """All n elements of a list in their order, list by list (axis 0: of all elements); with replacement the same one may come again.
    `fields` name them."""
    return _chosen(x, n, replacement, axis, fields, _elements)


def argcombinations(x: Any, n: int = 2, *, replacement: bool = False, axis: int = 1, fields: Optional[Sequence[str]] = None) -> Array:
    """The same of places in the lists."""
    return _chosen(x, n, replacement, axis, fields, _Within.places)
