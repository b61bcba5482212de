"""Functions of Python applied to all elements: map, new, each and stencils."""
from __future__ import annotations

import inspect
import itertools
import math
from types import FunctionType
from typing import Any, Callable, NamedTuple, Optional, Sequence

from . import rules
from .align import Aligned
from .array import Array, Dim, row_strides
from .dtypes import Whole, int64, is_number
from .elementwise import at
from .flat import Flat, ONE, Size, const, gather, ins1, iota, length
from .making import asarray
from .records import Records, of_one_component
from .sections import repeated
from .shaping import integers
from .lanes import Lane, operand, operate


def check_parameters(f: Any, count: int) -> None:
    """A function that cannot take so many arguments is refused at once."""
    target = getattr(f, "python", f)
    if _takes(target, count):
        return
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*range(count))
    except TypeError as e:
        raise TypeError(f"the function is called with {count} arguments: {e}") from None


def _takes(f: Any, count: int) -> bool:
    """Whether a function is plainly one of so many parameters; else its signature is asked, which takes longer."""
    return type(f) is FunctionType and f.__code__.co_argcount == count and not f.__code__.co_kwonlyargcount


def run_function(f: Callable[..., Any], values: Sequence[Any], size: Size) -> Any:
    """Its result for all calls at once."""
    from .interpreter import call_vectorised

    return call_vectorised(f, values, size)


def call_on(f: Callable[..., Any], flats: Sequence[Flat], size: Size) -> Flat:
    result = run_function(f, [Lane(x) for x in flats], size)
    return result_flat(result, size)


def result_flat(result: Any, size: Size) -> Flat:
    value = operand(result, size)
    if isinstance(value, Flat):
        return value
    from .dtypes import of_scalar

    return at(value, of_scalar(value), size)


def _argument(a: Array, dims: Sequence[Dim], size: Size) -> Any:
    """One array as what a function takes of each element."""
    if isinstance(a, Records):
        if a.has_lists:
            raise TypeError(f"map takes single elements; nvm.each takes those of an array of type {a.type}")
        values = [_argument(p, dims, size) for p in a.parts]
        return a.element(values)
    return Lane(a.flat)


def _result(value: Any, dims: Sequence[Dim], size: Size) -> Array:
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        return Records([_result(v, dims, size) for v in value], names)
    return Array(result_flat(value, size), dims)


def index_of(dims: Sequence[Dim], size: Size) -> Any:
    """The index of each element: a number in one dimension, else a tuple."""
    if any(isinstance(d, Size) for d in dims):
        if len(dims) == 1:
            return Lane(iota(size))
        dims = tuple(d.n if isinstance(d, Size) else d for d in dims)
    shape: list[int] = [d for d in dims if isinstance(d, int)]
    if len(shape) != len(dims):
        raise NotImplementedError("the index of an element of a jagged array is not there yet; see nvm.local_index")
    if len(shape) == 1:
        return Lane(iota(size))
    return tuple(Lane(Flat(int64, _index_in(shape, k, size), size)) for k in range(len(shape)))


def _index_in(shape: Sequence[int], k: int, size: Size) -> Any:
    """The index in one dimension: (number of the element // elements behind) % length."""
    outer, inner = math.prod(shape[:k]), math.prod(shape[k + 1 :])
    if outer * inner * shape[k] == 0 or shape[k] == 1:
        return const("I", 0, size)
    h = iota(size).h
    if inner > 1:
        h = ins1("/ INT", "I", h, length(inner, size).h)
    return h if outer == 1 else ins1("%", "I", h, length(shape[k], size).h)


def map(f: Any, a: Any, /, *others: Any, with_index: bool = False) -> Array:  # noqa: A001
    """f of one scalar of each array, for all elements; with_index=True adds the index."""
    arrays = [asarray(x) for x in (a, *others)]
    if len(arrays) == 1:
        dims: Sequence[Dim] = arrays[0].dims
        size = of_one_component(arrays[0]).flat.size
        values = [_argument(arrays[0], dims, size)]
    else:
        plain = [of_one_component(x) for x in arrays]
        aligned = Aligned(plain)
        dims, size = aligned.dims, aligned.size
        values = [_argument(x, dims, size) if isinstance(x, Records) else Lane(o) for x, o in zip(arrays, aligned.operands)]  # type: ignore[arg-type]
    regular = all(isinstance(d, int) for d in dims)
    if regular and not with_index and all(isinstance(v, Lane) for v in values):
        from .nested import compiled_each

        whole = compiled_each(f, [Array(v.flat, (size.n,)) for v in values])
        if type(whole) is Array and whole.ndim == 1:
            return Array(Flat(whole.dtype, whole.flat.h, size), dims)
    if regular and all(isinstance(v, Lane) for v in values):
        flats = [v.flat for v in values]
        known = repeated(("map", tuple(dims), with_index), f, flats, size, lambda g, x: _mapped(g, x, dims, size, with_index))
        if known is not None:
            return Array(known, dims)
    check_parameters(f, len(arrays) + with_index)
    if with_index:
        values.append(index_of(dims, size))
    return _result(run_function(f, values, size), dims, size)


def _mapped(f: Any, flats: Sequence[Flat], dims: Sequence[Dim], size: Size, with_index: bool) -> Flat:
    values: list[Any] = [Lane(x) for x in flats]
    if with_index:
        values.append(index_of(dims, size))
    return result_flat(run_function(f, values, size), size)


def new(shape: Any, f: Any, /) -> Array:
    """f of each index: f(i), or f(i, j, ...) for a tuple."""
    from .making import _dims

    dims = _dims(shape)
    count = 1
    for n in dims:
        count *= n
    size = ONE if count == 1 else Size(count)
    known = repeated(("new", tuple(dims)), f, [], size, lambda g, _: result_flat(run_function(g, _indices(dims, size), size), size))
    if known is not None:
        return Array(known, dims)
    values = _indices(dims, size)
    check_parameters(f, len(values))
    return _result(run_function(f, values, size), dims, size)


def _indices(dims: Sequence[Dim], size: Size) -> list[Any]:
    index = index_of(dims, size)
    return list(index) if isinstance(index, tuple) else [index]


def each(f: Any, a: Any, /, *others: Any) -> Array:
    """f of the rows or lists of arrays: apply-to-each."""
    from .nested import each_row

    return each_row(f, [asarray(x) for x in (a, *others)])


# Stencils.


class Relative:
    """The neighbours by their offsets: v[-1, 0], also by a computed one."""

    def __init__(self, offsets: Sequence[tuple[int, ...]], values: Sequence[Any]) -> None:
        self._offsets = list(offsets)
        self._values = list(values)

    def __getitem__(self, key: Any) -> Any:
        where = key if isinstance(key, tuple) else (key,)
        if not any(isinstance(k, Lane) for k in where):
            if where not in self._offsets:
                raise IndexError(f"{key} is none of the offsets")
            return self._values[self._offsets.index(where)]
        from .lanes import choose

        lane = next(k for k in where if isinstance(k, Lane))
        size = lane.flat.size
        result = self._values[0]
        for offset, value in zip(self._offsets[1:], self._values[1:]):
            hit: Any = None
            for k, o in zip(where, offset):
                same = operate("equal", k, o).flat.h if isinstance(k, Lane) else const("B", k == o, size)
                hit = same if hit is None else rules.both(hit, same)
            result = choose(hit, value, result, size)
        return result


def _offsets(offsets: Any, ndim: int) -> list[tuple[int, ...]]:
    found = [tuple(integers(o)) for o in offsets]
    if not found or any(len(o) != ndim for o in found):
        raise ValueError(f"offsets of a stencil on {ndim} dimensions are tuples of {ndim} integers")
    return found


def _replaced(place: Any, n: int, pad: str) -> Any:
    """Where the neighbour is that stands for one outside."""
    from .lanes import choose

    size = place.flat.size
    if pad == "wrap":
        return operate("remainder", place, n)
    last = Lane(length(n - 1, size))
    if pad == "edge" or n == 1:
        low = choose(operate("less", place, Whole(0)).flat.h, Whole(0), place, size)
        return choose(operate("greater", low, last).flat.h, last, low, size)
    period = 2 * (n - 1)
    folded = operate("remainder", place, period)
    return choose(operate("greater", folded, last).flat.h, Lane(length(period, size)) - folded, folded, size)


def stencil(a: Array, offsets: Any, f: Any, *, outside: Any = None, pad: Optional[str] = None, value: Any = 0, relative: bool = False,
            with_index: bool = False) -> Array:
    """f of the neighbours at offsets. `outside`: the result where one of them is outside; `pad`: what replaces such a neighbour
    ("constant", "edge", "wrap", "reflect")."""
    if (outside is None) == (pad is None):
        raise TypeError("a stencil has exactly one rule for its border: outside= or pad=")
    if pad not in (None, "constant", "edge", "wrap", "reflect"):
        raise ValueError(f"pad={pad!r}: it is constant, edge, wrap or reflect")
    rule = _Stencil(a.known_shape, tuple(_offsets(offsets, a.ndim)), _number(outside), pad, _number(value), relative, with_index)
    use = rule._replace(outside=repr(rule.outside), value=repr(rule.value))
    known = repeated(use, f, [a.flat], a.flat.size, lambda g, x: rule.of(g, x[0]))
    if known is None:
        check_parameters(f, (1 if relative else len(rule.offsets)) + with_index)
        known = rule.of(f, a.flat)
    return Array(known, a.dims)


def _number(x: Any) -> Any:
    return x if x is None or is_number(x) else asarray(x).item()


class _Stencil(NamedTuple):
    shape: tuple[int, ...]
    offsets: tuple[tuple[int, ...], ...]
    outside: Any
    pad: Optional[str]
    value: Any
    relative: bool
    with_index: bool

    def of(self, f: Any, flat: Flat) -> Flat:
        size = flat.size
        index = index_of(self.shape, size) if self.shape else ()
        places = index if isinstance(index, tuple) else (index,)
        strides = row_strides(self.shape)
        values = [_neighbour(flat, self.shape, strides, places, o, self.pad, self.value) for o in self.offsets]
        arguments: list[Any] = [Relative(self.offsets, values)] if self.relative else values
        if self.with_index:
            arguments.append(index)
        result = result_flat(run_function(f, arguments, size), size)
        inside = self._all_inside(places) if self.pad is None else None
        if inside is None:
            return result
        from .dtypes import bool_
        from .elementwise import where

        return where(Flat(bool_, inside, size), result, self.outside, size)

    def _all_inside(self, places: Sequence[Lane]) -> Any:
        """Flags of the elements whose neighbours are all there; None if these are all."""
        inside: Any = None
        for offset in self.offsets:
            flags = _is_inside(self.shape, places, offset)
            if flags is not None:
                inside = flags if inside is None else rules.both(inside, flags)
        return inside


def _is_inside(shape: Sequence[int], places: Sequence[Lane], offset: Sequence[int]) -> Any:
    flags: Any = None
    for place, n, o in zip(places, shape, offset):
        if o == 0:
            continue
        bound = Whole(-o) if o < 0 else Lane(length(n - o, place.flat.size))
        h = operate("greater_equal" if o < 0 else "less", place, bound).flat.h
        flags = h if flags is None else rules.both(flags, h)
    return flags


def _neighbour(flat: Flat, shape: Sequence[int], strides: Sequence[int], places: Sequence[Lane], offset: Sequence[int], pad: Optional[str], value: Any) -> Lane:
    from .lanes import choose

    size = flat.size
    if not any(offset) or size.n == 0:
        return Lane(flat)
    if pad in ("wrap", "edge", "reflect"):
        total: Any = None
        for place, n, s, o in zip(places, shape, strides, offset):
            moved = place if o == 0 else _replaced(operate("add", place, Whole(o)), n, pad)
            term = moved if s == 1 else operate("multiply", moved, Lane(length(s, size)))
            total = term if total is None else operate("add", total, term)
        return Lane(gather(flat, total.flat.h, size))
    from .flat import gather_where

    flags = _is_inside(shape, places, offset)
    step = sum(s * o for s, o in zip(strides, offset))
    index = rules.int_op("+", iota(size).h, length(step, size).h)
    got = Lane(gather_where(flat, index, flags, size))
    return choose(flags, got, value, size) if pad == "constant" else got  # type: ignore[no-any-return]


def neighbourhood(distance: int, ndim: int) -> list[tuple[int, ...]]:
    """All offsets up to a distance in each dimension, in row order."""
    return list(itertools.product(range(-distance, distance + 1), repeat=ndim))


