"""Scans, and reductions with any associative function."""
from __future__ import annotations

import operator
from typing import Any, Callable, Optional

from . import rules
from .array import Array
from .dtypes import DType, as_dtype, bool_, with_scalar
from .elementwise import apply
from .flat import Flat, Size, const, gather_where, ins1, iota, of_host, word
from .order import _arranged, _back
from .reductions import _axes, extreme, grouped, sum_type

_BITWISE = {"bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor}
_SUMS = {"add": ("+_REDUCE", "sum"), "multiply": ("*_REDUCE", "prod")}  # of the machine and of NumPy
_KNOWN: dict[Any, str] = {
    operator.add: "add", "+": "add", sum: "add", operator.mul: "multiply", "*": "multiply", max: "maximum", "max": "maximum",
    min: "minimum", "min": "minimum", operator.and_: "bitwise_and", "&": "bitwise_and", operator.or_: "bitwise_or",
    "|": "bitwise_or", operator.xor: "bitwise_xor", "^": "bitwise_xor"}


def known_function(f: Any) -> Optional[str]:
    """The name of an associative function that the machine has."""
    try:
        found = _KNOWN.get(f)
    except TypeError:
        return None
    if found is None and not callable(f):
        raise TypeError(f"{f!r} is no function of two values")
    if found is None:
        found = _recognised(f)
    return found


def _recognised(f: Callable[..., Any]) -> Optional[str]:
    """A lambda that is one of them."""
    code = getattr(f, "__code__", None)
    if code is None or code.co_argcount != 2:
        return None
    names = {(lambda a, b: a + b).__code__.co_code: "add", (lambda a, b: a * b).__code__.co_code: "multiply"}
    return names.get(code.co_code)


def _is_lambda(f: Any) -> bool:
    """Whether it was recognised as a function of two elements: these say its type, where sums of small ones have 64 bits."""
    return getattr(f, "__code__", None) is not None


def _name_for(f: Any, t: DType) -> Optional[str]:
    """The function that the machine has and that does what f does with elements of a type."""
    return None if t is bool_ and _is_lambda(f) else known_function(f)


def _inclusive(name: str, a: Array, seg: Any, exclusive: bool) -> Flat:
    if a.dtype.kind == "c":
        return _complex(name, a, exclusive)
    f = a.flat
    t, size = f.dtype, f.size
    if name in ("maximum", "minimum"):
        before = Flat(t, extreme(name == "maximum", "SCAN", f, seg, size), size)
        return before if exclusive else apply(name, [before, f], size)
    text = {"add": "+", "multiply": "*", "bitwise_and": "AND", "bitwise_or": "OR", "bitwise_xor": "XOR"}[name]
    h = ins1(f"{text}_SCAN {word(t.storage)}", t.storage, f.h, seg)
    if not exclusive:
        h = ins1(f"{text} {word(t.storage)}", t.storage, h, f.h)
    return Flat(t, rules.finish(h, t, size) if t is not bool_ else h, size)


def scan(f: Any, x: Any, /, *, axis: int = -1, exclusive: bool = False) -> Array:
    """Each element combined with those before it; `exclusive`: only those before it."""
    a, seg, k = _arranged(x, axis)
    name = _name_for(f, a.dtype)
    if a.dtype.kind == "c" and name is None:
        raise TypeError("a scan of complex numbers is + or *")
    if name in ("add", "multiply") and not _is_lambda(f) and a.dtype is not sum_type(a.dtype):
        a = Array(rules.convert(a.flat, sum_type(a.dtype)), a.dims)
    if name is not None:
        return _back(_inclusive(name, a, seg, exclusive), a, k)
    if exclusive:
        raise ValueError("an exclusive scan needs a function with an identity: + * min max & | ^")
    return _back(_stepwise(f, a.flat, seg), a, k)


def _complex(name: str, a: Array, exclusive: bool) -> Flat:
    """Along the last axis, by NumPy."""
    import numpy as np

    if name not in ("add", "multiply"):
        raise TypeError("a scan of complex numbers is + or *")
    values = a.to_numpy()
    found = np.cumsum(values, axis=-1) if name == "add" else np.cumprod(values, axis=-1)
    if exclusive:
        first = np.full((*found.shape[:-1], 1), 0 if name == "add" else 1, dtype=found.dtype)
        found = np.concatenate([first, found[..., :-1]], axis=-1)
    return of_host(found.reshape(-1))


def _stepwise(f: Callable[..., Any], flat: Flat, seg: Any) -> Flat:
    """Distances 1, 2, 4, ...: the value of each element covers twice as many before it."""
    from .mapping import call_on

    size = flat.size
    lengths = ins1("LENGTHS", "I", seg)
    groups = Size(None, ins1("MAKE_SEGDES", "S", ins1("LENGTH INT", "I", lengths)))
    local = ins1("INDEX", "I", const("I", 0, groups), const("I", 1, groups), seg)
    place = iota(size).h
    distance = 1
    while distance < size.n:
        step = const("I", distance, size)
        has = rules.compare(">=", "I", local, step)
        source = rules.select("I", has, rules.int_op("-", place, step), place)
        before = Flat(flat.dtype, ins1(f"BPERMUTE {word(flat.dtype.storage)}", flat.dtype.storage, flat.h, source, size.seg, size.seg), size)
        combined = rules.convert(call_on(f, [before, flat], size), flat.dtype)
        flat = Flat(flat.dtype, rules.select(flat.dtype.storage, has, combined.h, flat.h), size)
        distance *= 2
    return flat


def cumulative_sum(x: Any, /, *, axis: Optional[int] = None, dtype: Any = None, include_initial: bool = False) -> Array:
    return _cumulative("add", x, axis, dtype, include_initial)


def cumulative_prod(x: Any, /, *, axis: Optional[int] = None, dtype: Any = None, include_initial: bool = False) -> Array:
    return _cumulative("multiply", x, axis, dtype, include_initial)


def _cumulative(name: str, x: Any, axis: Optional[int], dtype: Any, include_initial: bool) -> Array:
    from .making import asarray, full
    from .shaping import concat

    a = asarray(x)
    if axis is None:
        if a.ndim != 1:
            raise ValueError("a cumulative sum of several dimensions needs an axis")
        axis = 0
    t = as_dtype(dtype) if dtype is not None else sum_type(a.dtype)
    a = Array(rules.convert(a.flat, t), a.dims)
    moved, seg, k = _arranged(a, axis)
    result = _back(_inclusive(name, moved, seg, False), moved, k)
    if include_initial:
        shape = list(result.known_shape)
        shape[axis] = 1
        result = concat([full(shape, 0 if name == "add" else 1, dtype=t), result], axis=axis)
    return result


def reduce(f: Any, a: Any, /, *, axis: Any = None, initial: Any = None) -> Array:
    """Neighbours combined by an associative function until one value is left; it need not commute."""
    from .making import asarray, full
    from .operators import elementwise_call
    from .reductions import _extreme_of, _summed

    x = asarray(a)
    name = _name_for(f, x.dtype)
    initial = initial.item() if hasattr(initial, "item") else initial
    if x.size == 0 and not x.is_jagged and name not in _SUMS:
        gone = _axes(axis, x.ndim)
        shape = [n for k, n in enumerate(x.known_shape) if k not in gone]
        if initial is None and 0 not in shape:
            raise ValueError("a reduction of no elements needs initial=")
        return full(shape, initial or 0, dtype=x.dtype if initial is None else with_scalar(x.dtype, initial))
    if name in _SUMS:
        made = _summed(*_SUMS[name], x, axis, x.dtype if _is_lambda(f) else None, False)
    elif name in ("maximum", "minimum"):
        made = _extreme_of(name == "maximum", x, axis, False)
    else:
        return _reduced(f, name, x, axis, initial)
    return made if initial is None else elementwise_call(name, initial, made)


def _reduced(f: Any, name: Optional[str], x: Array, axis: Any, initial: Any) -> Array:
    """With a function for which there is no reduction."""
    from .making import asarray
    from .mapping import map as mapped
    from .operators import elementwise_call, where

    if x.dtype.kind == "c":
        raise TypeError("a reduction of complex numbers is + or *")
    if x.size == 0 and initial is None:
        raise ValueError("a reduction of no elements needs initial=")
    flat, groups = grouped(x, axis)
    done = _stepwise(_BITWISE[name] if name is not None else f, flat, groups.seg)
    lengths, size, kind = groups.lengths().h, groups.count, flat.dtype.storage
    last = rules.int_op("-", lengths, const("I", 1, size))
    if initial is None:
        return Array(Flat(flat.dtype, ins1(f"EXTRACT {word(kind)}", kind, done.h, last, groups.seg), size), groups.dims)
    there = rules.compare(">", "I", lengths, const("I", 0, size))
    ends = rules.int_op("+", ins1("+_SCAN INT", "I", lengths, size.seg), last)
    found = Array(gather_where(done, ends, there, size), groups.dims)
    first = asarray(initial, dtype=with_scalar(flat.dtype, initial))
    both = elementwise_call(name, first, found) if name is not None else mapped(f, first, found)
    return where(Array(Flat(bool_, there, size), groups.dims), both, first)
