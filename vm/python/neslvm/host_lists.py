"""Lists of the host in functions: what comprehensions and displays make of arrays."""
from __future__ import annotations

import operator
from typing import Any

from .array import Array
from .dtypes import common
from .errors import CompileError


class ListArray(Array):
    """A list, of lists in `depth` levels: + puts two one behind the other, and its parts are lists again. `part`: it is an
    element of another list, which would have to change with it."""

    __slots__ = ("depth", "part")
    depth: int
    part: bool

    def __getitem__(self, key: Any) -> Any:
        got = super().__getitem__(key)
        if isinstance(key, slice):
            return as_list(got, self.depth)
        if self.depth == 1 or not isinstance(got, Array) or not got.ndim:
            return got
        inner = as_list(got, self.depth - 1)
        if isinstance(inner, ListArray):
            inner.part = True
        return inner

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check_whole()
        if isinstance(key, tuple):  # a[i][j] = value
            inner = self[key[0]]
            if isinstance(inner, ListArray):
                raise CompileError("a list of lists that was made elsewhere cannot be changed in its parts, which may have other names; take a "
                                   "copy: [list(x) for x in ...]")
            inner[key[1:] if len(key) > 2 else key[1]] = value
            key, value = key[0], inner
        if isinstance(key, slice):
            self._set_slice(key, value if isinstance(value, Array) and value.ndim else list(value))
        else:
            self._set_element(operator.index(key), value)

    def _set_slice(self, key: slice, values: Any) -> None:
        start, stop, step = key.indices(len(self))
        if step == 1:
            self.become_list(concat_lists(concat_lists(self[:start], values), self[max(start, stop) :]))
            return
        places = range(start, stop, step)
        if len(values) != len(places):
            raise ValueError(f"attempt to assign sequence of size {len(values)} to extended slice of size {len(places)}")
        for i, v in zip(places, values):
            self._set_element(i, v)

    def _set_element(self, i: int, value: Any) -> None:
        """As in a list it may have another type or length than the others."""
        from .making import asarray

        n = len(self)
        if not -n <= i < n:
            raise IndexError("list assignment index out of range")
        if self.ndim == 1 and _ndim(value) == 0 and common(self.dtype, asarray(value).dtype) is self.dtype:
            super().__setitem__(i, value)
        else:
            self.become_list(concat_lists(concat_lists(self[: i % n], [value]), self[i % n + 1 :]))

    def __add__(self, other: Any) -> Any:
        return concat_lists(self, other)

    def __radd__(self, other: Any) -> Any:
        return concat_lists(other, self)

    def __mul__(self, other: Any) -> Any:
        return super().__mul__(other) if _is_array(other) else self._repeated(other)

    def __rmul__(self, other: Any) -> Any:
        return super().__rmul__(other) if _is_array(other) else self._repeated(other)

    def _repeated(self, n: Any) -> Any:
        from .shaping import concat

        if isinstance(n, Array) and not isinstance(n, ListArray):
            raise TypeError("a list times an array of no dimensions: int() of that says how often it is repeated")
        if isinstance(n, Array) or not hasattr(n, "__index__"):
            raise TypeError(f"can't multiply sequence by non-int of type {_kind(n)!r}; a list has no elementwise operators, an array has")
        times = n.__index__()
        whole = Array(self.flat, self.dims)
        return as_list(concat([whole] * times, axis=0), self.depth) if times > 0 else self[:0]

    def __bool__(self) -> bool:
        return len(self) > 0

    def become_list(self, values: Any) -> None:
        """From now on it is this list, for all that have it."""
        from .making import asarray

        self._check_whole()
        self.become(asarray(values))

    def _check_whole(self) -> None:
        from .sections import must_be_evaluated

        must_be_evaluated()
        if self.part:
            raise CompileError("a list that is part of another one cannot be changed by itself; take a copy")

    def append(self, x: Any) -> None:
        self.become_list(concat_lists(self, [x]))

    def extend(self, values: Any) -> None:
        self.become_list(concat_lists(self, values if isinstance(values, Array) else list(values)))

    def insert(self, at: Any, x: Any) -> None:
        i = slice(int(at), None).indices(len(self))[0]
        self.become_list(concat_lists(concat_lists(self[:i], [x]), self[i:]))

    def pop(self, at: Any = -1) -> Any:
        n, i = len(self), int(at)
        if not -n <= i < n:
            raise IndexError("pop index out of range" if n else "pop from empty list")
        found = self[i]
        self.become_list(concat_lists(self[: i % n], self[i % n + 1 :]))
        return found

    def remove(self, x: Any) -> None:
        self.pop(self.index(x))

    def clear(self) -> None:
        self.become_list(self[:0])

    def copy(self) -> ListArray:
        made: ListArray = self[:]
        return made

    def reverse(self) -> None:
        self.become_list(self[::-1])

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        from .calls import sorted_list

        self.become_list(sorted_list(self, key=key, reverse=reverse))

    def count(self, x: Any) -> int:
        from .reductions import count_nonzero

        return int(count_nonzero(Array(self.flat, self.dims) == x))

    def index(self, x: Any) -> int:
        from .reductions import argmax

        hits = Array(self.flat, self.dims) == x
        place = int(argmax(hits)) if len(self) else 0
        if len(self) == 0 or not bool(hits[place]):
            raise ValueError(f"{x} is not in list")
        return place


def load_list(x: Any) -> bool:
    return isinstance(x, ListArray)


def concat_lists(a: Any, b: Any) -> Any:
    from .making import asarray
    from .shaping import concat

    if isinstance(a, list) and not a:
        return b[:] if isinstance(b, (list, ListArray)) else b
    if isinstance(b, list) and not b:
        return a[:] if isinstance(a, (list, ListArray)) else a
    depth = max((x.depth for x in (a, b) if isinstance(x, ListArray)), default=1)
    parts = [asarray(_plain(x)) for x in (a, b)]
    if parts[0].ndim != parts[1].ndim and 0 in (len(parts[0]), len(parts[1])):  # nobody knows what an empty list has
        parts = [x for x in parts if len(x)][:1] or parts[:1]
    return as_list(concat(_jagged(parts), axis=0), depth)


def _plain(x: Any) -> Any:
    if isinstance(x, list) and any(isinstance(v, Array) and v.ndim for v in x):
        for v in x:
            if isinstance(v, ListArray):
                v.part = True
        return [v.tolist() if isinstance(v, Array) else v for v in x]
    return x


def _jagged(parts: list[Array]) -> list[Array]:
    """All jagged if one is, or if their rows have different lengths."""
    if all(p.ndim == 1 for p in parts) or not (any(p.is_jagged for p in parts) or len({p.known_shape[1:] for p in parts}) > 1):
        return parts
    from .making import jagged

    return [p if p.is_jagged else jagged(p.tolist()) for p in parts]


def as_list(a: Array, depth: int = 1) -> Array:
    """An array as a list of Python's, of lists in so many levels."""
    if depth < 1 or type(a) is not Array and type(a) is not ListArray:
        return a
    made = ListArray(a.flat, a.dims)
    made.depth, made.part = depth, False
    return made


def _ndim(x: Any) -> int:
    return 1 if isinstance(x, (list, tuple)) else getattr(x, "ndim", 0)


def _is_array(x: Any) -> bool:
    """Whether it makes an array of a list that it meets. A whole number of no dimensions does so only where it is no number of Python's,
    and nobody knows."""
    if isinstance(x, ListArray) or not hasattr(x, "dtype"):
        return False
    return not isinstance(x, Array) or x.ndim > 0 or x.dtype.kind in "fc"


def _kind(x: Any) -> str:
    return "list" if isinstance(x, ListArray) else type(x).__name__


def _refused(name: str, sign: str) -> Any:
    """An operator that lists do not have."""

    def apply(self: ListArray, other: Any) -> Any:
        if hasattr(other, "dtype") and not isinstance(other, ListArray):
            return getattr(Array, name)(self, other)
        raise TypeError(f"unsupported operand type(s) for {sign}: 'list' and {_kind(other)!r}; a list has no elementwise operators, an array has")

    return apply


def _refused_alone(sign: str) -> Any:
    def apply(self: ListArray) -> Any:
        raise TypeError(f"bad operand type for unary {sign}: 'list'; a list has no elementwise operators, an array has")

    return apply


def _compared(name: str) -> Any:
    def apply(self: ListArray, other: Any) -> Any:
        if hasattr(other, "dtype") and not isinstance(other, ListArray):
            return getattr(Array, name)(self, other)
        from .sections import must_be_evaluated

        must_be_evaluated()
        return getattr(operator, name)(self.tolist(), other.tolist() if isinstance(other, ListArray) else _plain(other))

    return apply


for _short, _sign in {"sub": "-", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
                      "rshift": ">>", "matmul": "@"}.items():
    for _name in (f"__{_short}__", f"__r{_short}__"):
        setattr(ListArray, _name, _refused(_name, _sign))
for _short, _sign in {"neg": "-", "pos": "+", "invert": "~"}.items():
    setattr(ListArray, f"__{_short}__", _refused_alone(_sign))
for _name in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
    setattr(ListArray, _name, _compared(_name))
