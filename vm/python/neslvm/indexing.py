"""Indexing: views of regular arrays, elements at indices, masks, and writes, which rebind what an array is."""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence

from . import elementwise, rules
from .align import broadcast_shape, flat_at, spread
from .array import Array, affine, repeated, row_strides
from .dtypes import bool_, int64
from .flat import Flat, HostFlat, ONE, Size, const, dist, gather, ins1, iota, of_host, pack, word
from .records import by_component


def _is_index_array(k: Any) -> bool:
    return isinstance(k, (Array, list)) or hasattr(k, "__array__") and getattr(k, "ndim", 0) > 0


def plain_key(key: Any) -> Any:
    """An index, whose arrays of no dimensions are numbers."""
    if isinstance(key, tuple):
        return tuple(map(plain_key, key))
    if isinstance(key, Array):
        return key.__index__() if key.ndim == 0 and key.dtype.is_int else key
    return key.item() if hasattr(key, "__array__") and getattr(key, "ndim", 1) == 0 else key


def _keys(a: Array, key: Any) -> list[Any]:
    key = plain_key(key)
    keys = [_as_array(k) if _is_index_array(k) else k for k in (key if isinstance(key, tuple) else (key,))]
    used = sum(k is not None and k is not Ellipsis for k in keys)
    used += sum(k.ndim - 1 for k in keys if isinstance(k, Array) and k.dtype is bool_)
    if used > a.ndim:
        raise IndexError(f"{used} indices for an array of {a.ndim} dimensions")
    if sum(k is Ellipsis for k in keys) > 1:
        raise IndexError("an index has one ellipsis at most")
    at = next((i for i, k in enumerate(keys) if k is Ellipsis), None)
    rest = [slice(None)] * (a.ndim - used)
    return keys + rest if at is None else keys[:at] + rest + keys[at + 1 :]


def get(a: Array, key: Any) -> Any:
    """a[key]."""
    if a.is_jagged:
        from .lists import get_lists

        return get_lists(a, key)
    if isinstance(key, bool) or isinstance(key, Array) and key.ndim == 0 and key.dtype is bool_:
        return view(a, [None, *[slice(None)] * a.ndim])[: int(bool(key))]
    keys = _keys(a, key)
    if not any(isinstance(k, Array) for k in keys):
        return view(a, keys)
    if len(keys) >= 1 and isinstance(keys[0], Array) and keys[0].dtype is bool_:
        if all(k == slice(None) for k in keys[1:]):
            return masked(a, keys[0])
    return advanced(a, _without_masks(a, keys))


def _without_masks(a: Array, keys: Sequence[Any]) -> list[Any]:
    """With the indices of what a mask keeps in its place."""
    found: list[Any] = []
    for k in keys:
        if isinstance(k, Array) and k.dtype is bool_:
            d = sum(f is not None for f in found)
            _check_mask(k.known_shape, a.known_shape[d : d + k.ndim])
            found.extend(nonzero(k))
        else:
            found.append(k)
    return found


def _check_mask(shape: Sequence[int], own: Sequence[int]) -> None:
    """As for NumPy a mask without elements fits every dimension."""
    if len(shape) != len(own) or any(n not in (m, 0) for n, m in zip(shape, own)):
        raise IndexError(f"a mask of shape {tuple(shape)} does not fit dimensions of {tuple(own)} elements")


def _as_array(k: Any) -> Array:
    from .making import asarray

    made = asarray(k) if not (isinstance(k, list) and not k) else asarray(k, dtype=int64)
    if made.dtype is not bool_ and not made.dtype.is_int:
        raise IndexError(f"an array of type {made.type} is no index")
    return made


def _strided(a: Array) -> tuple[tuple[int, ...], int]:
    return a._view if a._view is not None else (row_strides(a.known_shape), 0)


def view(a: Array, keys: Sequence[Any]) -> Array:
    """By integers, slices and None: no element is moved."""
    if all(isinstance(k, slice) and k == slice(None) for k in keys):
        return Array(a._flat, a.dims, a._view)
    shape = a.known_shape
    strides, offset = _strided(a)
    new_shape, new_strides, d = [], [], 0
    for k in keys:
        if k is None:
            new_shape.append(1)
            new_strides.append(0)
            continue
        n, s = shape[d], strides[d]
        d += 1
        if isinstance(k, slice):
            start, stop, step = k.indices(n)
            count = len(range(start, stop, step))
            new_shape.append(count)
            new_strides.append(s * step)
            offset += start * s if count else 0
            continue
        if isinstance(k, bool) or not hasattr(k, "__index__"):
            raise IndexError(f"{k!r} is no index")
        i = k.__index__()
        if not -n <= i < n:
            raise IndexError(f"index {i} is out of range for {n} elements")
        offset += (i % n) * s
    return Array(a._flat, new_shape, (tuple(new_strides), offset))


def rows(a: Array, index: Flat) -> Array:
    """Elements of the outermost dimension at indices from 0, which must be in range."""
    shape = a.known_shape
    inner = 1
    for n in shape[1:]:
        inner *= n
    if inner == 1 and len(shape) == 1:
        f = gather(a.flat, index.h, index.size)
        return Array(f, [f.size if f.size.known is None else f.size.known])
    dim = index.size if index.size.known is None else index.size.known
    if inner == 0:
        _in_range(index, shape[0]).numpy()  # nothing is read at them, yet they must be indices
        return Array(gather(a.flat, const("I", 0, Size(0)), Size(0)), [index.size.n, *shape[1:]])
    seg = repeated(inner, index.size)
    starts = rules.int_op("*", index.h, const("I", inner, index.size))
    positions = ins1("INDEX", "I", starts, const("I", 1, index.size), seg)
    size = Size(index.size.known * inner) if index.size.known is not None else Size(None, ins1("MAKE_SEGDES", "S", ins1("LENGTH INT", "I", positions)))
    if size.known == 1:
        size = ONE
    return Array(gather(a.flat, positions, size), [dim, *shape[1:]])


def masked(a: Array, mask: Array) -> Array:
    """What a mask over the outer dimensions keeps."""
    shape, own = mask.known_shape if mask.ndim > 1 or a.ndim > 1 else None, None
    if shape is not None:
        own = a.known_shape
        if 0 in shape and len(shape) <= len(own) and all(n in (m, 0) for n, m in zip(shape, own)):
            return rows(Array(a.flat, [math.prod(own[: len(shape)]), *own[len(shape) :]]), Flat(int64, const("I", 0, Size(0)), Size(0)))
        if own[: len(shape)] != shape:
            raise IndexError(f"a mask of shape {shape} does not fit an array of shape {own}")
    elif mask.flat.size.known == 0:
        return Array(gather(a.flat, const("I", 0, Size(0)), Size(0)), [0])
    elif not mask.flat.size.same(a.flat.size) and mask.known_shape != a.known_shape:
        raise IndexError(f"a mask of {len(mask)} elements does not fit an array of {len(a)}")
    flags = mask.flat
    if mask.ndim == a.ndim:
        kept = pack(a.flat, flags.h)
        return Array(kept, [kept.size])
    assert own is not None
    index = pack(iota(flags.size), flags.h)
    merged = Array(a.flat, [flags.size.n, *own[mask.ndim :]])
    return rows(merged, index)


def checked_index(index: Flat, n: int) -> Flat:
    """Negative indices count from the end; what is out of range stays so, for the machine to find."""
    zero = const("I", 0, index.size)
    low = rules.compare("<", "I", index.h, zero)
    h = rules.select("I", low, rules.int_op("+", index.h, const("I", n, index.size)), index.h)
    return Flat(int64, h, index.size)


@by_component
def take(x: Array, indices: Any, /, *, axis: Optional[int] = None) -> Array:
    """Elements at indices along an axis."""
    from .shaping import axis_of

    i = _as_array(indices)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("take of several dimensions needs an axis")
        axis = 0
    keys: list[Any] = [slice(None)] * x.ndim
    keys[axis_of(axis, x.ndim)] = i
    got: Array = get(x, tuple(keys))
    return got


def advanced(a: Array, keys: Sequence[Any]) -> Array:
    """With arrays of integers among the indices."""
    shape = a.known_shape
    if sum(isinstance(k, Array) for k in keys) == 1 and isinstance(keys[0], Array):
        rest = view(a, [slice(None), *keys[1:]]) if any(k != slice(None) for k in keys[1:]) else a
        k = keys[0]
        n = shape[0]
        if k.ndim == 1 or k.ndim == 0:
            f = rules.convert(k.flat, int64)
            return rows(rest, checked_index(f, n))
        got = rows(rest, checked_index(rules.convert(k.flat, int64), n))
        return Array(got.flat, [*k.known_shape, *got.known_shape[1:]])
    return _gathered(a, keys)


def positions(a: Array, keys: Sequence[Any]) -> Array:
    """Which elements, counted in row order, an index means; the machine finds what is out of range."""
    shape = a.known_shape
    strides = row_strides(shape)
    arrays = [k for k in keys if isinstance(k, Array)]
    together = broadcast_shape([k.known_shape for k in arrays])
    places = [i for i, k in enumerate(keys) if k is not None and not isinstance(k, slice)]  # a number is an array, too, beside one
    first = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
    sliced: list[tuple[int, int]] = []
    offset, d, count = 0, 0, 0
    terms: list[tuple[Array, int, int]] = []
    before = 0
    for place, k in enumerate(keys):
        if isinstance(k, Array):
            terms.append((k, shape[d], strides[d]))
            d += 1
            continue
        if place < first:
            before += 1
        if k is None:
            sliced.append((1, 0))
            continue
        n, s = shape[d], strides[d]
        d += 1
        if isinstance(k, slice):
            start, stop, step = k.indices(n)
            count = len(range(start, stop, step))
            sliced.append((count, s * step))
            offset += start * s if count else 0
        else:
            if not -n <= k < n:
                raise IndexError(f"index {k} is out of range for {n} elements")
            offset += (k % n) * s
    dims = [n for n, _ in sliced]
    result = [*dims[:before], *together, *dims[before:]]
    zeros = [0] * len(together)
    steps = [s for _, s in sliced]
    h, size = affine(result, [*steps[:before], *zeros, *steps[before:]], offset)
    total = Flat(int64, h, size)
    for k, n, s in terms:
        index = in_range(rules.convert(k.flat, int64), n)
        spread = Array(index, k.known_shape)
        spread = Array(spread.flat, [*spread.known_shape, *([1] * (len(dims) - before))])
        f = flat_at(spread, result, size)
        h = rules.int_op("+", h, rules.int_op("*", f.h, const("I", s, size)))
    return Array(Flat(int64, h, total.size), result)


def _in_range(index: Flat, n: int) -> Flat:
    """The same indices; the machine fails if one is out of range."""
    return gather(iota(Size(n) if n != 1 else ONE), index.h, index.size)


def in_range(index: Flat, n: int) -> Flat:
    """Indices from 0 of such that may be negative; the machine fails if one is out of range."""
    return _in_range(checked_index(index, n), n)


def _gathered(a: Array, keys: Sequence[Any]) -> Array:
    at = positions(a, keys)
    return Array(gather(a.flat, at.flat.h, at.flat.size), at.dims)


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Along an axis, for each place of the others, the elements at its own indices."""
    from .making import arange
    from .shaping import axis_of

    k = axis_of(axis, x.ndim)
    if x.is_jagged:
        from .lists import elements_of_lists

        if k != x.ndim - 1:
            raise NotImplementedError(f"axis {axis} of an array of type {x.type} is not there yet")
        return elements_of_lists(x, indices)
    if indices.ndim != x.ndim:
        raise ValueError(f"indices of {indices.ndim} dimensions for an array of {x.ndim}")
    key: list[Any] = []
    for d, n in enumerate(x.known_shape):
        own = indices if d == k else arange(n).reshape([-1 if e == d else 1 for e in range(x.ndim)])  # type: ignore[attr-defined]
        key.append(own)
    found: Array = x[tuple(key)]
    return found


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices of elements that are not zero, an array for each dimension."""
    if x.ndim == 0:
        raise ValueError("nonzero of an array of no dimensions")
    flags = rules.convert(x.flat, bool_)
    index = pack(iota(flags.size), flags.h)
    if x.ndim == 1:
        return (Array(index, [index.size]),)
    found = []
    rest = index
    for n in reversed(x.known_shape):
        if n == 0:
            n = 1
        found.append(elementwise.apply("remainder", [rest, n], index.size))
        rest = elementwise.apply("floor_divide", [rest, n], index.size)
    return tuple(Array(f, [index.size]) for f in reversed(found))


def scattered(target: Flat, index: Any, values: Flat) -> Flat:
    """The target with values at indices from 0; the last one wins."""
    if isinstance(target, HostFlat):
        made = target.values.copy()
        made[Flat(int64, index, values.size).numpy()] = values.numpy()
        return of_host(made)
    kind = target.dtype.storage
    h = ins1(f"DPERMUTE {word(kind)}", kind, values.h, index, target.h, values.size.seg, target.size.seg)
    return Flat(target.dtype, h, target.size)


def set_items(a: Array, key: Any, value: Any) -> None:
    """a[key] = value: from now on `a` is another array; nobody else sees it."""
    from .making import array
    from .operators import where

    v = array(value, dtype=a.dtype)
    if a.is_jagged:
        _set_in_lists(a, key, v)
        return
    if isinstance(key, Array) and key.dtype is bool_ and key.ndim == a.ndim and v.ndim == 0:
        a.become(where(key, v, Array(a.flat, a.dims)))
        return
    whole = Array(iota(a.flat.size), a.known_shape)
    at = get(whole, key)
    if any(isinstance(d, Size) for d in at.dims):
        at = Array(at.flat, at.known_shape)
    size = at.flat.size
    values = flat_at(v, at.known_shape, size) if v.ndim <= at.ndim else flat_at(v.reshape(at.known_shape), at.known_shape, size)  # type: ignore[attr-defined]
    if not isinstance(values, HostFlat):
        values = Flat(a.dtype, values.h, size)
    made = scattered(a.flat, at.flat.h, values)
    a.become(Array(made, a.known_shape))


def _set_in_lists(a: Array, key: Any, v: Array) -> None:
    at = get(Array(iota(a.flat.size), a.dims), key)
    f = at.flat
    if at.is_jagged:
        given = spread(v, at)
    elif at.ndim == 1 and v.ndim < 2 and v.size == 1:
        given = Flat(a.dtype, dist(v.flat.h, a.dtype.storage, f.size), f.size)
    else:
        given = flat_at(v, at.known_shape, f.size)
    made = scattered(a.flat, f.h, Flat(a.dtype, given.h, f.size))
    a.become(Array(made, a.dims))


def scatter(dest: Any, index: Any, values: Any, combine: Any = None) -> Array:
    """dest with values at indices of the outermost dimension: the last writer wins, or they are combined with what is there."""
    from .making import asarray
    from .order import combined

    d, v = asarray(dest), asarray(values)
    if d.ndim != 1:
        raise NotImplementedError("scatter into several dimensions is not there yet")
    i = _as_array(index)
    f = checked_index(rules.convert(i.flat, int64), len(d))
    v = v.astype(d.dtype)  # type: ignore[attr-defined]
    given = flat_at(v, i.known_shape, f.size)
    if combine is None:
        return Array(scattered(d.flat, f.h, given), d.dims)
    return Array(combined(d.flat, f, given, combine), d.dims)


