"""The class Array: elements in regular or jagged dimensions, computed when somebody looks."""
from __future__ import annotations

import functools
import math
from typing import Any, Iterator, Optional, Sequence, Union

from . import _nvm
from .dtypes import DType, int64
from .flat import Flat, Size, evaluate, gather, ins1


class Lists:
    """A jagged dimension: for each list its length."""

    __slots__ = ("h", "outer", "inner")

    def __init__(self, handle: Any, outer: Size, inner: Size) -> None:
        self.h = handle  # a descriptor
        self.outer = outer  # how many lists
        self.inner = inner  # elements of all of them

    @property
    def lengths(self) -> Flat:
        return Flat(int64, ins1("LENGTHS", "I", self.h), self.outer)

    @property
    def offsets(self) -> Flat:
        """Where each list begins."""
        return Flat(int64, ins1("+_SCAN INT", "I", self.lengths.h, self.outer.seg), self.outer)

    def same(self, other: Lists) -> bool:
        if self is other or self.h.key == other.h.key:
            return True
        a, b = self.lengths.numpy(), other.lengths.numpy()
        return a.shape == b.shape and bool((a == b).all())


def lists_of_lengths(lengths: Flat, inner: Optional[Size] = None) -> Lists:
    h = ins1("MAKE_SEGDES", "S", lengths.h)
    if inner is None:
        total = ins1("+_REDUCE INT", "I", lengths.h, lengths.size.seg)
        inner = Size(None, ins1("MAKE_SEGDES", "S", total))
    return Lists(h, lengths.size, inner)


Dim = Union[int, Size, Lists]


def row_strides(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def _in_rows(shape: Sequence[int], strides: Sequence[int], offset: int, elements: Optional[int]) -> bool:
    """Does a view show all elements where they lie?"""
    if offset != 0 or elements != math.prod(shape):
        return False
    return all(n == 1 or s == row for n, s, row in zip(shape, strides, row_strides(shape)))


def affine(shape: Sequence[int], strides: Sequence[int], offset: int) -> tuple[Any, Size]:
    """offset + the sum of strides times indices for each element of a shape, in row order."""
    h, steps, size = _steps(tuple(shape), tuple(strides), offset)
    for stride, over, seg in steps:
        h = ins1("INDEX", "I", h, stride if over is None else ins1("DIST INT", "I", stride, over), seg)
    return h, size


@functools.lru_cache(maxsize=64)
def _steps(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> tuple[Any, list[tuple[Any, Any, Any]], Size]:
    """What affine() counts from, and for each dimension the stride, what spreads it and a descriptor: values, so that the
    indices of one shape are the same promises."""
    merged: list[tuple[int, int]] = []
    for n, s in zip(shape, strides):
        if n == 1:
            continue
        if merged and merged[-1][1] == n * s:
            merged[-1] = (merged[-1][0] * n, s)
        else:
            merged.append((n, s))
    size, steps = Size(1), []
    for n, s in merged:
        inner = Size(size.n * n)
        steps.append((_step(s), None, inner.seg) if size.n == 1 else (_step(s), size.seg, repeated(n, size)))
        size = inner
    if not merged:
        size = Size(math.prod(shape))
        if size.n == 0:
            steps.append((_step(0), None, size.seg))
    return _nvm.constant_int(0) if offset == 0 else _nvm.of_int(offset), steps, size


def _step(stride: int) -> Any:
    return _nvm.constant_int(stride) if stride in (0, 1) else _nvm.of_int(stride)


def repeated(n: int, size: Size) -> Any:
    """A descriptor: as many segments of n elements as the size says."""
    if size.known is not None:
        return _nvm.regular(size.known, n)
    return ins1("MAKE_SEGDES", "S", ins1("DIST INT", "I", _nvm.of_int(n), size.seg))


class Array(_nvm.ArrayBase):
    """An array of nvm: lazy, immutable inside, regular or jagged in any dimension but the first."""

    __slots__ = ()
    __array_priority__ = 1000

    # What it is.

    @property
    def flat(self) -> Flat:
        """The elements in row order."""
        if self._view is not None:
            strides, offset = self._view
            if not _in_rows(self.known_shape, strides, offset, self._flat.size.known):
                index, size = affine(self.known_shape, strides, offset)
                self._flat = gather(self._flat, index, size)
            self._view = None
        return self._flat

    @property
    def dims(self) -> tuple[Dim, ...]:
        return self._dims  # type: ignore[no-any-return]

    @property
    def is_jagged(self) -> bool:
        return any(isinstance(d, Lists) for d in self._dims)

    @property
    def known_shape(self) -> tuple[int, ...]:
        """Of a regular array; evaluates what a mask has left open."""
        if any(isinstance(d, Size) for d in self._dims):
            self._dims = tuple(d.n if isinstance(d, Size) else d for d in self._dims)
        if self.is_jagged:
            raise TypeError(f"an array of type {self.type} is jagged; to_regular(fill=...) makes a regular one")
        return self._dims  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        return self._flat.dtype

    @property
    def shape(self) -> tuple[Optional[int], ...]:
        return tuple(d.n if isinstance(d, Size) else d if isinstance(d, int) else None for d in self._dims)

    @property
    def ndim(self) -> int:
        return len(self._dims)

    @property
    def size(self) -> int:
        return self.flat.size.n if self.is_jagged else math.prod(self.known_shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def device(self) -> str:
        return "cpu"

    def to_device(self, device: str, /, *, stream: Any = None) -> Array:
        if device != "cpu":
            raise ValueError(f"there is no device {device!r}, only 'cpu'")
        return self

    @property
    def type(self) -> str:
        """In words: "3 * var * float64"."""
        return " * ".join([*("var" if n is None else str(n) for n in self.shape), self.element_type])

    @property
    def element_type(self) -> str:
        return self.dtype.name

    @property
    def is_evaluated(self) -> bool:
        return all(h is None or h.evaluated for h in self.handles(False))

    def handles(self, materialise: bool = True) -> list[Any]:
        """What must be computed."""
        if not materialise and self._view is not None:
            return [self._flat.h]
        found = [self.flat.h] if self._flat.h is not None or self._view is not None else []
        return found + [d.h for d in self._dims if isinstance(d, Lists)]

    def eval(self) -> Array:
        """Computes it now; gives itself."""
        evaluate([h for h in self.handles() if h is not None])
        return self

    # Leaving.

    def to_numpy(self) -> Any:
        """A NumPy array that cannot be written, without a copy where elements lie as NumPy's do."""
        if self._host is not None and self._view is None:
            self.eval()
            return self._host
        shape = self.known_shape
        values = self.flat.numpy()
        return values if len(shape) == 1 else values.reshape(shape)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy as np

        values = self.to_numpy()
        if dtype is not None and values.dtype != np.dtype(dtype):
            return values.astype(dtype)
        return values.copy() if copy else values

    def lengths_inside(self) -> list[Any]:
        """For each dimension but the first the lengths of all its lists."""
        import numpy as np

        count, found = len(self), []
        for dim in self._dims[1:]:
            if isinstance(dim, Lists):
                lengths = dim.lengths.numpy()
            else:
                lengths = np.full(count, dim.n if isinstance(dim, Size) else dim, dtype=np.int64)
            found.append(lengths)
            count = int(lengths.sum())
        return found

    def tolist(self) -> Any:
        values = self.flat.numpy()
        if not self.is_jagged:
            return values.reshape(self.known_shape).tolist()
        self.eval()
        nested: list[Any] = values.tolist()
        for lengths in reversed(self.lengths_inside()):
            cut, begin = [], 0
            for n in lengths.tolist():
                cut.append(nested[begin : begin + n])
                begin += n
            nested = cut
        return nested

    def item(self) -> Any:
        """The only element, as a Python scalar."""
        if self.is_jagged or self.size != 1:
            raise TypeError(f"only an array of one element is a scalar, not one of type {self.type}")
        return self.flat.numpy().reshape(-1)[0].item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __format__(self, spec: str) -> str:
        if self.ndim == 0:
            return format(self.item(), spec)
        if spec:
            raise TypeError(f"an array of type {self.type} has no format {spec!r}, only its elements have one")
        return str(self)

    def __round__(self, ndigits: Optional[int] = None) -> Any:
        if self.ndim:
            raise TypeError(f"round() takes a number, not an array of type {self.type}; nvm.round() rounds its elements")
        return round(self.item(), ndigits)

    def __index__(self) -> int:
        if not self.dtype.is_int or self.ndim:
            raise TypeError(f"an array of type {self.type} is no index")
        return int(self.item())

    def __bool__(self) -> bool:
        if self.is_jagged or self.size != 1:
            raise ValueError(f"the truth value of an array of type {self.type} is ambiguous; use nvm.any() or nvm.all()")
        return bool(self.item())

    def __len__(self) -> int:
        if not self._dims:
            raise TypeError("an array of no dimensions has no length")
        first = self._dims[0]
        assert not isinstance(first, Lists)
        return first.n if isinstance(first, Size) else first

    def __iter__(self) -> Iterator[Any]:
        if not self._dims:
            raise TypeError("an array of no dimensions cannot be iterated over")
        self.eval()
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        from .indexing import get

        return get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .indexing import set_items

        set_items(self, key, value)

    def become(self, other: Array) -> None:
        """From now on it is what the other one is."""
        self._flat, self._dims, self._view, self._host = other._flat, other._dims, other._view, other._host

    def __repr__(self) -> str:
        from .show import text

        return text(self)

    def _repr_html_(self) -> str:
        from .show import html

        return html(self)


def of_flat(flat: Flat) -> Array:
    """In one dimension."""
    known = flat.size.known
    return Array(flat, (flat.size if known is None else known,))


def scalar_array(flat: Flat) -> Array:
    return Array(flat, ())


