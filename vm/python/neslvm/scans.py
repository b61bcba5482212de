"""Scans, and reductions with any associative function."""
from __future__ import annotations

import operator
from typing import Any, Callable, Optional

from . import rules
from .array import Array
from .dtypes import as_dtype, bool_
from .elementwise import apply
from .flat import Flat, Size, const, ins1, iota, of_host, word
from .order import _arranged, _back
from .reductions import extreme, grouped, sum_type

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
    name = known_function(f)
    a, seg, k = _arranged(x, axis)
    if a.dtype.kind == "c" and name is None:
        raise TypeError("a scan of complex numbers is + or *")
    if name in ("add", "multiply") and a.dtype is not sum_type(a.dtype):
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
    from .making import asarray
    from .operators import elementwise_call
    from .reductions import _extreme_of, _result, _summed

    x = asarray(a)
    name = known_function(f)
    empty = x.size == 0
    if empty and axis is None and initial is not None:
        return asarray(initial).astype(x.dtype)  # type: ignore[attr-defined, no-any-return]
    if name in ("add", "multiply"):
        made = _summed("+_REDUCE" if name == "add" else "*_REDUCE", "", x, axis, None, False)
    elif name in ("maximum", "minimum"):
        made = _extreme_of(name == "maximum", x, axis, False)
    else:
        if empty:
            raise ValueError("a reduction of no elements needs initial=")
        flat, groups = grouped(x, axis)
        done = _stepwise(f, flat, groups.seg)
        lengths = groups.lengths()
        last = rules.int_op("-", lengths.h, const("I", 1, groups.count))
        kind = flat.dtype.storage
        h = ins1(f"EXTRACT {word(kind)}", kind, done.h, last, groups.seg)
        made = _result(Flat(flat.dtype, h, groups.count), groups)
    if initial is None:
        return made
    if name is not None:
        return elementwise_call(name, initial, made)
    from .mapping import map as mapped

    return mapped(f, asarray(initial), made)
