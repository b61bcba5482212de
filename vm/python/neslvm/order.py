"""Sorting, and what is made of it: distinct values, searching, scatters that combine."""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

from . import rules
from .align import lists_of
from .array import Array, repeated
from .dtypes import bool_, common, int64
from .flat import Flat, HostFlat, ONE, Size, const, gather, ins1, iota, of_host, pack, word


def permuted(f: Flat, rank: Any, seg: Any = None) -> Flat:
    """Each element at its rank."""
    kind = f.dtype.storage
    return Flat(f.dtype, ins1(f"PERMUTE {word(kind)}", kind, f.h, rank, f.size.seg if seg is None else seg), f.size)


def _rank(f: Flat, seg: Any, descending: bool) -> Any:
    """The place of each element among those of its segment; what is no number comes last, zeros are equal."""
    key = rules.order_key(f)
    if f.dtype.kind == "f":
        key = rules.float_op("+", _numbers_first(f, descending), const("F", 0.0, f.size))
    return _ranked(f, key, seg, descending)


def _ranked(f: Flat, key: Any, seg: Any, descending: bool) -> Any:
    return ins1(f"{'RANK_DOWN' if descending else 'RANK_UP'} {word(f.dtype.storage if f.dtype is not bool_ else 'I')}", "I", key, seg)


def _numbers_first(f: Flat, descending: bool) -> Any:
    """Floats, whose NaNs are those that RANK has last: it orders bits."""
    nan = math.copysign(math.nan, -1.0 if descending else 1.0)
    return rules.select("F", rules.compare("!=", "F", f.h, f.h), const("F", nan, f.size), f.h)


def _arranged(x: Any, axis: int) -> tuple[Array, Any, Optional[int]]:
    """With the axis innermost, its segments, and where the axis was."""
    from .making import asarray
    from .shaping import axis_of, moveaxis

    a = asarray(x)
    if a.is_jagged:
        if axis_of(axis, a.ndim) != a.ndim - 1:
            raise NotImplementedError(f"axis {axis} of an array of type {a.type} is not there yet")
        return a, lists_of(a)[-1].h, None
    if a.ndim <= 1:
        axis_of(axis, a.ndim)
        return a, a.flat.size.seg, None
    k = axis_of(axis, a.ndim)
    moved = moveaxis(a, k, a.ndim - 1)
    shape = moved.known_shape
    outer = 1
    for n in shape[:-1]:
        outer *= n
    return moved, repeated(shape[-1], Size(outer) if outer != 1 else ONE), k


def _back(f: Flat, a: Array, k: Optional[int]) -> Array:
    from .shaping import moveaxis

    made = Array(f, a.dims)
    return made if k is None else moveaxis(made, a.ndim - 1, k)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    a, seg, k = _arranged(x, axis)
    if a.dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    f = a.flat
    if f.dtype.kind == "f":
        f = Flat(f.dtype, _numbers_first(f, descending), f.size)
    return _back(permuted(f, _ranked(f, rules.order_key(f), seg, descending), seg), a, k)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    a, seg, k = _arranged(x, axis)
    if a.dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    f = a.flat
    count = ins1("LENGTHS", "I", seg)
    groups = Size(None, ins1("MAKE_SEGDES", "S", ins1("LENGTH INT", "I", count)))
    local = ins1("INDEX", "I", const("I", 0, groups), const("I", 1, groups), seg)
    return _back(permuted(Flat(int64, local, f.size), _rank(f, seg, descending), seg), a, k)


class UniqueAll(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    values: Array
    inverse_indices: Array


def unique_all(x: Any, /) -> UniqueAll:
    """The distinct values, sorted; where each occurs first; which of them each element is; how often each occurs."""
    from .making import asarray
    from .shaping import reshape

    a = asarray(x)
    if a.dtype.kind == "c":
        return _unique_by_numpy(a)
    f = reshape(a, -1).flat
    size, rank = f.size, _rank(f, f.size.seg, False)
    ordered = permuted(f, rank)
    zero = const("I", 0, size)
    index = iota(size).h
    before = rules.int_op("-", index, const("I", 1, size))
    is_first = rules.compare("=", "I", index, zero)
    previous = gather(ordered, rules.select("I", is_first, zero, before), size)
    key = "I" if f.dtype is bool_ else f.dtype.storage
    differs = rules.compare("!=", key, rules.order_key(ordered), rules.order_key(previous))
    heads = rules.either(is_first, differs)
    starts = pack(Flat(int64, index, size), heads)
    values = gather(ordered, starts.h, starts.size)
    who = permuted(Flat(int64, index, size), rank)
    indices = gather(who, starts.h, starts.size)
    ones = ins1("B_TO_I", "I", heads)
    number = rules.int_op("-", rules.int_op("+", ins1("+_SCAN INT", "I", ones, size.seg), ones), const("I", 1, size))
    inverse = ins1("BPERMUTE INT", "I", number, rank, size.seg, size.seg)
    last = rules.compare("=", "I", iota(starts.size).h, rules.int_op("-", _count(starts), const("I", 1, starts.size)))
    following = rules.int_op("+", iota(starts.size).h, const("I", 1, starts.size))
    following = rules.select("I", last, iota(starts.size).h, following)
    ends = rules.select("I", last, const("I", size.n, starts.size), gather(starts, following, starts.size).h)
    counts = Flat(int64, rules.int_op("-", ends, starts.h), starts.size)

    def made(g: Flat) -> Array:
        return Array(g, [g.size])

    return UniqueAll(made(values), made(indices), Array(Flat(int64, inverse, size), a.known_shape), made(counts))


def _unique_by_numpy(a: Array) -> UniqueAll:
    import numpy as np

    found = np.unique(a.to_numpy().reshape(-1), return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
    values, indices, inverse, counts = (Array(f, [f.size]) for f in map(of_host, found))
    return UniqueAll(values, indices, Array(inverse.flat, a.known_shape), counts)


def _count(f: Flat) -> Any:
    """How many there are, for each of them."""
    return ins1("DIST INT", "I", ins1("LENGTH INT", "I", f.h), f.size.seg)


def unique_values(x: Any, /) -> Array:
    return unique_all(x).values


def unique_counts(x: Any, /) -> UniqueCounts:
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Any, /) -> UniqueInverse:
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Array:
    """Where each value belongs in a sorted array."""
    from .making import asarray

    if side not in ("left", "right"):
        raise ValueError(f"side={side!r}: it is left or right")
    a, v = asarray(x1), asarray(x2)
    if sorter is not None:
        a = a[asarray(sorter)]
    t = common(a.dtype, v.dtype)
    table, wanted = rules.convert(a.flat, t), rules.convert(v.flat, t)
    n, size = len(a), wanted.size
    low, high = const("I", 0, size), const("I", n, size)
    key = "I" if t is bool_ else t.storage
    sought = rules.order_key(wanted)
    last = rules.compare("!=", "F", sought, sought) if t.kind == "f" else None  # what is no number is behind all that are
    for _ in range(n.bit_length()):
        middle = rules.int_op("RSHIFT", rules.int_op("+", low, high), const("I", 1, size))
        open_ = rules.compare("<", "I", low, high)
        there = gather(table, rules.select("I", open_, middle, const("I", 0, size)), size)
        right = rules.compare("<" if side == "left" else "<=", key, rules.order_key(there), sought)
        if last is not None:
            found = rules.order_key(there)
            right = rules.either(right, last if side == "right" else rules.both(last, rules.compare("=", "F", found, found)))
        up, down = rules.both(open_, right), rules.both(open_, rules.negated(right))
        low = rules.select("I", up, rules.int_op("+", middle, const("I", 1, size)), low)
        high = rules.select("I", down, middle, high)
    return Array(Flat(int64, low, size), v.dims)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Which elements of x1 are some of x2's."""
    from .making import asarray, zeros
    from .operators import elementwise_call
    from .shaping import reshape

    a, b = asarray(x1), reshape(asarray(x2), -1)
    if "c" in (a.dtype.kind, b.dtype.kind):
        import numpy as np

        flags = of_host(np.isin(a.to_numpy(), b.to_numpy()).reshape(-1))
        found = Array(Flat(bool_, flags.h, a.flat.size), a.known_shape)
    elif b.size == 0:
        found = zeros(a.known_shape, dtype=bool_)
    else:
        t = common(a.dtype, b.dtype)
        table = sort(Array(rules.convert(b.flat, t), b.dims))
        sought = Array(rules.convert(a.flat, t), a.dims)
        place = elementwise_call("minimum", searchsorted(table, sought), b.size - 1)
        found = elementwise_call("equal", Array(gather(table.flat, place.flat.h, place.flat.size), a.dims), sought)
    return elementwise_call("logical_not", found) if invert else found


def combined(d: Flat, index: Flat, values: Flat, combine: Any) -> Flat:
    """d with the values of each index combined with what is there, one after the other."""
    from .scans import known_function

    name = known_function(combine)
    if name is None:
        raise NotImplementedError("scatter combines by + * min max & | ^")
    if isinstance(d, HostFlat):
        import numpy as np

        made = d.values.copy()
        getattr(np, name).at(made, index.numpy(), values.numpy())
        return of_host(made)
    t = d.dtype
    if t is bool_:
        return Flat(t, _combined(_OF_FLAGS[name], "B", d.h, index, values.h, d.size), d.size)
    if name.startswith("bitwise") and t.kind == "f":
        raise TypeError(f"{name} combines integers and truth values, not {t.name}")
    if name not in ("maximum", "minimum"):
        h = _combined(_COMBINING[name], t.storage, d.h, index, values.h, d.size)
        return Flat(t, rules.finish(h, t, d.size), d.size)
    h = _combined(_COMBINING[name], t.storage, rules.order_key(d), index, rules.order_key(values), d.size)
    if t.name == "uint64":
        h = rules.int_op("XOR", h, const("I", -(2**63), d.size))
    if t.kind == "f":
        bad, wrong = (rules.compare("!=", "F", f.h, f.h) for f in (d, values))
        h = rules.select("F", _combined("OR", "B", bad, index, wrong, d.size), const("F", math.nan, d.size), h)
    return Flat(t, h, d.size)


_BITWISE = {"bitwise_and": "AND", "bitwise_or": "OR", "bitwise_xor": "XOR"}
_COMBINING = {"add": "+", "multiply": "*", "maximum": "MAX", "minimum": "MIN", **_BITWISE}
_OF_FLAGS = {"add": "OR", "multiply": "AND", "maximum": "OR", "minimum": "AND", **_BITWISE}


def _combined(text: str, kind: str, d: Any, index: Flat, values: Any, size: Size) -> Any:
    return ins1(f"{text}_DPERMUTE {word(kind)}", kind, values, index.h, d, index.size.seg, size.seg)
