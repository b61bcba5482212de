"""Arrays and scalars brought to one shape: broadcasting, and values spread into lists."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from . import _nvm
from .array import Array, Dim, Lists, repeated, row_strides
from .dtypes import Scalar, is_number
from .elementwise import Operand
from .flat import Flat, ONE, Size, dist, ins1, word
from .records import by_component

Input = Union[Array, Scalar]


def broadcast_shape(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    out: list[int] = []
    for shape in shapes:
        for k, n in enumerate(reversed(shape)):
            if k == len(out):
                out.append(n)
            elif out[k] != n and n != 1:
                if out[k] != 1:
                    raise ValueError("shapes " + ", ".join(map(_text, shapes)) + " do not fit together")
                out[k] = n
    return tuple(reversed(out))


def _text(shape: Sequence[int]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


@by_component
def broadcast_to(a: Array, shape: Sequence[int]) -> Array:
    own = a.known_shape
    if own == tuple(shape):
        return a
    if broadcast_shape([own, shape]) != tuple(shape):
        raise ValueError(f"shape {_text(own)} does not spread to {_text(shape)}")
    strides, offset = a._view if a._view is not None else (row_strides(own), 0)
    padded = [0] * (len(shape) - len(own)) + [0 if n == 1 and m != 1 else s for n, m, s in zip(own, shape[len(shape) - len(own) :], strides)]
    return Array(a._flat, shape, (tuple(padded), offset))


def flat_at(a: Array, shape: Sequence[int], size: Size) -> Flat:
    """Its elements, spread to a shape."""
    if a.known_shape == tuple(shape):
        f = a.flat
        return Flat(f.dtype, f.h, size) if f.h is not None else f
    if a.size == 1 and a.flat.h is not None:
        f = a.flat
        return Flat(f.dtype, dist(f.h, f.dtype.storage, size), size)
    return broadcast_to(a, shape).flat


class Aligned:
    """Operands of one size, and the dimensions of what is made of them."""

    def __init__(self, operands: Sequence[Input]) -> None:
        arrays = [o for o in operands if isinstance(o, Array)]
        self.dims: tuple[Dim, ...]
        self.size: Size
        if any(a.is_jagged for a in arrays):
            self.operands = self._jagged(operands, arrays)
        else:
            self.operands = self._same(operands, arrays) or self._regular(operands, arrays)

    def _same(self, operands: Sequence[Input], arrays: Sequence[Array]) -> Optional[list[Operand]]:
        """All arrays have one shape, perhaps one that nobody knows yet."""
        first = next((a for a in arrays if a.ndim), arrays[0] if arrays else None)
        if first is None:
            return None
        for a in arrays:
            if a.ndim == 0 and first.ndim:
                continue
            if a.ndim != first.ndim:
                return None
            for d, e in zip(a.dims, first.dims):
                if not (isinstance(d, Size) and isinstance(e, Size) and d.same(e) or isinstance(d, int) and d == e):
                    return None
        self.dims, self.size = first.dims, first.flat.size
        found: list[Operand] = []
        for o in operands:
            if isinstance(o, Array):
                f = o.flat
                if o.ndim == 0 and first.ndim:
                    f = Flat(f.dtype, dist(f.h, f.dtype.storage, self.size), self.size) if f.h is not None else broadcast_to(o, first.known_shape).flat
                found.append(f)
            else:
                found.append(o)
        return found

    def _regular(self, operands: Sequence[Input], arrays: Sequence[Array]) -> list[Operand]:
        shape = broadcast_shape([a.known_shape for a in arrays])
        self.dims = shape
        count = 1
        for n in shape:
            count *= n
        self.size = next((a.flat.size for a in arrays if a.known_shape == shape), ONE if count == 1 else Size(count))
        return [flat_at(o, shape, self.size) if isinstance(o, Array) else o for o in operands]

    def _jagged(self, operands: Sequence[Input], arrays: Sequence[Array]) -> list[Operand]:
        deepest = max((a for a in arrays if a.is_jagged), key=lambda a: (a.ndim, sum(isinstance(d, Lists) for d in a.dims)))
        self.dims, self.size = deepest.dims, deepest.flat.size
        return [spread(o, deepest) if isinstance(o, Array) else o for o in operands]


def lists_of(a: Array) -> list[Lists]:
    """The dimensions inside of the first one as lists; regular ones have lists of one length."""
    first = a.dims[0]
    assert not isinstance(first, Lists)
    outer = first if isinstance(first, Size) else ONE if first == 1 else Size(first)
    found: list[Lists] = []
    for k, d in enumerate(a.dims[1:], 1):
        if not isinstance(d, Lists):
            n = d.n if isinstance(d, Size) else d
            d = Lists(repeated(n, outer), outer, a.flat.size if k == a.ndim - 1 else times(outer, n))
        found.append(d)
        outer = d.inner
    return found


def times(size: Size, n: int) -> Size:
    """So many for each."""
    if size.known is not None:
        return ONE if size.known * n == 1 else Size(size.known * n)
    total = ins1("* INT", "I", ins1("LENGTHS", "I", size.seg), dist(_nvm.constant_int(n), "I", ONE))
    return Size(None, ins1("MAKE_SEGDES", "S", total))


def spread(a: Array, target: Array) -> Flat:
    """Its elements for each element of a jagged array whose outer part it fits."""
    if a is target:
        return a.flat
    lists, size = lists_of(target), target.flat.size
    if not a.is_jagged and a.size == 1:
        f = a.flat
        return Flat(f.dtype, dist(f.h, f.dtype.storage, size), size)
    dims = list(a.dims)
    while len(dims) > 1 and type(dims[-1]) is int and dims[-1] == 1:
        dims.pop()
    if len(dims) > len(lists) + 1 or dims[0] != len(target) and len(a) != len(target):
        raise ValueError(f"an array of type {a.type} does not fit one of type {target.type}")
    f, depth = a.flat, len(dims) - 1
    for mine, other in zip(lists_of(Array(f, dims)), lists):
        if not mine.same(other):
            raise ValueError(f"lists of other lengths do not meet: {a.type} and {target.type}")
    for dim in lists[depth:]:
        f = Flat(f.dtype, ins1(f"DIST {word(f.dtype.storage)}", f.dtype.storage, f.h, dim.h), dim.inner)
    return Flat(f.dtype, f.h, size)


def as_operand(x: Any) -> Optional[Input]:
    """What can stand beside an array in an operator; None if it cannot."""
    if isinstance(x, Array) or is_number(x):
        return x  # type: ignore[no-any-return]
    if hasattr(x, "__array__") or isinstance(x, (list, tuple)):
        from .making import asarray

        return asarray(x)
    return None


