"""Reductions and scans: of everything, along axes, list by list, and by position across lists."""
from __future__ import annotations

import builtins
import math
from typing import Any, Optional, Sequence, Union

from . import _nvm, rules
from .align import lists_of
from .array import Array, Dim, Lists, repeated
from .dtypes import DType, as_dtype, bool_, float64, int64, real_of, uint64
from .flat import Flat, ONE, Size, const, ins1, iota, word
from .shaping import axes_of, axis_of, permute_dims

Axis = Union[None, int, Sequence[int]]
LEAST = -9.99999961690316e35  # below this and above its opposite VCODE's maxima and minima of floats see nothing


class Groups:
    """Consecutive elements that are reduced together: a descriptor, and how many groups there are."""

    def __init__(self, seg: Any, count: Size, dims: Sequence[Dim]) -> None:
        self.seg = seg
        self.count = count
        self.dims = list(dims)  # of the result

    def spread(self, f: Flat, size: Size) -> Flat:
        return Flat(f.dtype, ins1(f"DIST {word(f.dtype.storage)}", f.dtype.storage, f.h, self.seg), size)

    def lengths(self) -> Flat:
        return Flat(int64, ins1("LENGTHS", "I", self.seg), self.count)

    def places(self) -> Any:
        """Where each element is along the axis."""
        return ins1("INDEX", "I", const("I", 0, self.count), const("I", 1, self.count), self.seg)


class _Across(Groups):
    """By position across lists: not all lists have an element in each group."""

    def __init__(self, seg: Any, count: Size, dims: Sequence[Dim], lists: Lists, rank: Any) -> None:
        super().__init__(seg, count, dims)
        self.lists = lists
        self.rank = rank  # where each of their elements is in this order

    def places(self) -> Any:
        """Which list each element is of."""
        from .order import permuted

        number = ins1("DIST INT", "I", iota(self.lists.outer).h, self.lists.h)
        return permuted(Flat(int64, number, self.lists.inner), self.rank).h


def _axes(axis: Axis, ndim: int) -> list[int]:
    """As for NumPy the one value of an array of no dimensions has an axis, too."""
    return axes_of(axis, ndim if axis is None else builtins.max(ndim, 1))


def grouped(a: Array, axis: Axis, keepdims: bool = False) -> tuple[Flat, Groups]:
    """The elements in an order in which those that are reduced together are consecutive."""
    if a.is_jagged:
        return _grouped_lists(a, axis, keepdims)
    if axis is None or a.ndim <= 1 and _axes(axis, a.ndim):
        _axes(axis, a.ndim)
        f = a.flat
        return f, Groups(f.size.seg, ONE, [1] * a.ndim if keepdims else [])
    shape = a.known_shape
    axes = _axes(axis, a.ndim)
    kept = [k for k in range(a.ndim) if k not in axes]
    f = permute_dims(a, tuple(kept + sorted(axes))).flat
    inner, outer = math.prod(shape[k] for k in axes), math.prod(shape[k] for k in kept)
    count = Size(outer) if outer != 1 else ONE
    dims = [1 if k in axes else n for k, n in enumerate(shape)] if keepdims else [shape[k] for k in kept]
    return f, Groups(repeated(inner, count), count, dims)


def _grouped_lists(a: Array, axis: Axis, keepdims: bool) -> tuple[Flat, Groups]:
    lists, axes = lists_of(a), _axes(axis, a.ndim)
    if len(axes) == a.ndim:
        f = a.flat
        return f, Groups(f.size.seg, ONE, [1] * a.ndim if keepdims else [])
    k = axes[0] if len(axes) == 1 else None
    if k == a.ndim - 1:
        last = lists[-1]
        dims = list(a.dims[:-1])
        return a.flat, Groups(last.h, last.outer, dims + [1] if keepdims else dims)
    if k == 0 and a.ndim == 2:
        return _across(a, keepdims)
    raise NotImplementedError(f"axis {axis} of an array of type {a.type} is not there yet")


def _across(a: Array, keepdims: bool) -> tuple[Flat, Groups]:
    """By position in the list: the first elements of all lists, then the second ones."""
    from .lists import local_index
    from .order import permuted

    position = local_index(a).flat
    dim = lists_of(a)[0]
    lengths = dim.lengths.numpy()
    longest = int(lengths.max()) if lengths.size else 0
    rank = ins1("RANK_UP INT", "I", position.h, position.size.seg)
    f = permuted(a.flat, rank)
    import numpy as np

    how_many = np.bincount(lengths, minlength=longest + 1)[::-1].cumsum()[::-1][1:] if lengths.size else np.zeros(0, np.int64)
    count = Size(longest) if longest != 1 else ONE
    dims: list[Dim] = [1, longest] if keepdims else [longest]
    return f, _Across(_nvm.descriptor(np.ascontiguousarray(how_many, dtype=np.int64)), count, dims, dim, rank)


def _result(f: Flat, groups: Groups) -> Array:
    return Array(f, groups.dims)


def fold(text: str, t: DType, h: Any, seg: Any) -> Any:
    return ins1(f"{text} {word(t.storage)}", t.storage, h, seg)


def sum_type(t: DType) -> DType:
    if t.kind in "fc" or t.bits == 64 and t is not bool_:
        return t
    return uint64 if t.kind == "u" else int64


def _through_numpy(name: str, x: Array, axis: Axis, keepdims: bool, **more: Any) -> Array:
    import numpy as np

    from .making import asarray

    result = getattr(np, name)(x.to_numpy(), axis=tuple(axis) if isinstance(axis, (list, tuple)) else axis, keepdims=keepdims, **more)
    return asarray(np.asarray(result))


def _summed(text: str, name: str, x: Any, axis: Axis, dtype: Any, keepdims: bool) -> Array:
    a = _array(x)
    t = as_dtype(dtype) if dtype is not None else sum_type(a.dtype)
    if "c" in (t.kind, a.dtype.kind):
        return _through_numpy(name, a, axis, keepdims, dtype=t.name)
    f, groups = grouped(Array(rules.convert(a.flat, t), a.dims), axis, keepdims)
    if t is bool_:
        h = fold("OR_REDUCE" if text == "+_REDUCE" else "AND_REDUCE", t, f.h, groups.seg)
    else:
        h = rules.finish(fold(text, t, f.h, groups.seg), t, groups.count)
    return _result(Flat(t, h, groups.count), groups)


def _array(x: Any) -> Array:
    from .making import asarray

    return asarray(x)


def sum(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:  # noqa: A001
    return _summed("+_REDUCE", "sum", x, axis, dtype, keepdims)


def prod(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    return _summed("*_REDUCE", "prod", x, axis, dtype, keepdims)


def extreme(upper: bool, step: str, f: Flat, seg: Any, size: Size) -> Any:
    """The largest or smallest elements of each group (step REDUCE) or of those before each (SCAN); `size` is the result's."""
    t = f.dtype
    text, order = ("MAX", ">") if upper else ("MIN", "<")
    if t.kind != "f":
        h = ins1(f"{text}_{step} INT", "I", rules.order_key(f), seg)
        if t.name == "uint64":
            return rules.int_op("XOR", h, const("I", -(2**63), size))
        if t is bool_:
            return rules.compare(">", "I", h, const("I", 0, size))
        return _clamped(upper, h, t, size)
    identity = LEAST if upper else -LEAST
    plain = ins1(f"{text}_{step} FLOAT", "F", f.h, seg)
    far = ins1(f"{text}_{step} FLOAT", "F", rules.float_op("*", f.h, const("F", 2.0**-1000, f.size)), seg)
    bound = const("F", identity, size)
    back = rules.float_op("*", far, const("F", 2.0**1000, size))
    huge = rules.float_op("*", const("F", -1e308 if upper else 1e308, size), const("F", 10.0, size))
    beyond = rules.select("F", rules.compare(order, "F", far, bound), back, huge)
    h = rules.select("F", rules.compare(order, "F", plain, bound), plain, beyond)
    bad = ins1(f"OR_{step} BOOL", "B", rules.compare("!=", "F", f.h, f.h), seg)
    nan = rules.float_op("-", huge, huge)
    return rules.select("F", bad, nan, h)


def _clamped(upper: bool, h: Any, t: DType, size: Size) -> Any:
    """The identity of 64 bits becomes that of the type."""
    if t.bits == 64:
        return h
    limit = const("I", t.limits[0] if upper else t.limits[1], size)
    return rules.select("I", rules.compare("<" if upper else ">", "I", h, limit), limit, h)


def _extreme_of(upper: bool, x: Any, axis: Axis, keepdims: bool) -> Array:
    a = _array(x)
    name = "max" if upper else "min"
    if a.dtype.kind == "c":
        return _through_numpy(name, a, axis, keepdims)
    if not a.is_jagged and not builtins.any(isinstance(d, Size) for d in a.dims):
        shape = a.known_shape
        if builtins.any(shape[k] == 0 for k in _axes(axis, a.ndim) if shape):
            raise ValueError(f"{name} of no elements")
    f, groups = grouped(a, axis, keepdims)
    return _result(Flat(f.dtype, extreme(upper, "REDUCE", f, groups.seg, groups.count), groups.count), groups)


def max(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    return _extreme_of(True, x, axis, keepdims)


def min(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    return _extreme_of(False, x, axis, keepdims)


def _mean(f: Flat, groups: Groups) -> Flat:
    total = Flat(f.dtype, fold("+_REDUCE", f.dtype, f.h, groups.seg), groups.count)
    count = rules.convert(groups.lengths(), float64)
    return Flat(f.dtype, rules.float_op("/", total.h, count.h), groups.count)


def _meaning(x: Any, axis: Axis) -> Array:
    """What a mean is taken of: as for NumPy the one value of an array of no dimensions has no axis, where a sum lets it pass."""
    a = _array(x)
    if a.ndim == 0:
        axes_of(axis, 0)
    return a


def mean(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    a = _meaning(x, axis)
    if a.dtype.kind == "c":
        return _through_numpy("mean", a, axis, keepdims)
    t = real_of(a.dtype)
    f, groups = grouped(Array(rules.convert(a.flat, t), a.dims), axis, keepdims)
    m = _mean(f, groups)
    return _result(Flat(t, rules.finish(m.h, t, groups.count), groups.count), groups)


def var(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    a = _meaning(x, axis)
    if a.dtype.kind == "c":
        return _through_numpy("var", a, axis, keepdims, ddof=correction)
    t = real_of(a.dtype)
    f, groups = grouped(Array(rules.convert(a.flat, t), a.dims), axis, keepdims)
    away = rules.float_op("-", f.h, groups.spread(_mean(f, groups), f.size).h)
    squares = fold("+_REDUCE", float64, rules.float_op("*", away, away), groups.seg)
    count = rules.convert(groups.lengths(), float64)
    freedom = rules.float_op("-", count.h, const("F", correction, groups.count))
    zero = const("F", 0.0, groups.count)
    freedom = rules.select("F", rules.compare("<", "F", freedom, zero), zero, freedom)
    h = rules.float_op("/", squares, freedom)
    return _result(Flat(t, rules.finish(h, t, groups.count), groups.count), groups)


def std(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    from .operators import elementwise_call

    return elementwise_call("sqrt", var(x, axis=axis, correction=correction, keepdims=keepdims))


def _logical(text: str, name: str, x: Any, axis: Axis, keepdims: bool) -> Array:
    a = _array(x)
    if a.dtype.kind == "c":
        return _through_numpy(name, a, axis, keepdims)
    f, groups = grouped(Array(rules.convert(a.flat, bool_), a.dims), axis, keepdims)
    return _result(Flat(bool_, fold(text, bool_, f.h, groups.seg), groups.count), groups)


def any(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    return _logical("OR_REDUCE", "any", x, axis, keepdims)


def all(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:  # noqa: A001
    return _logical("AND_REDUCE", "all", x, axis, keepdims)


def count_nonzero(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    a = _array(x)
    if a.dtype.kind == "c":
        return _through_numpy("count_nonzero", a, axis, keepdims)
    return sum(Array(rules.convert(a.flat, bool_), a.dims), axis=axis, keepdims=keepdims)


def _place(upper: bool, x: Any, axis: Optional[int], keepdims: bool) -> Array:
    """Where the first largest or smallest element is, -1 in an empty list."""
    a = _array(x)
    if axis is not None:
        axis = axis_of(axis, builtins.max(a.ndim, 1))
    if a.dtype.kind == "c":
        return _through_numpy("argmax" if upper else "argmin", a, axis, keepdims)
    f, groups = grouped(a, axis, keepdims)
    if not a.is_jagged and (a.size if axis is None or not a.ndim else a.known_shape[axis]) == 0:
        raise ValueError("argmax or argmin of no elements")
    best = groups.spread(Flat(f.dtype, extreme(upper, "REDUCE", f, groups.seg, groups.count), groups.count), f.size)
    key = "I" if f.dtype is bool_ else f.dtype.storage
    hit = rules.compare("=", key, rules.order_key(f), rules.order_key(best))
    if f.dtype.kind == "f":
        hit = rules.either(hit, rules.compare("!=", "F", f.h, f.h))
    none = 2**63 - 1
    place = ins1("MIN_REDUCE INT", "I", rules.select("I", hit, groups.places(), const("I", none, f.size)), groups.seg)
    missing = rules.compare("=", "I", place, const("I", none, groups.count))
    h = rules.select("I", missing, const("I", -1, groups.count), place)
    return _result(Flat(int64, h, groups.count), groups)


def argmax(x: Any, /, *, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    return _place(True, x, axis, keepdims)


def argmin(x: Any, /, *, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    return _place(False, x, axis, keepdims)

