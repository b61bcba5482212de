"""Jagged arrays: their parts, choosing lists and elements of lists, and regular arrays made of them."""
from __future__ import annotations

from typing import Any, Sequence

from . import rules
from .align import lists_of
from .array import Array, Dim, Lists, lists_of_lengths, repeated
from .dtypes import bool_, int64
from .flat import Flat, NOWHERE, ONE, Size, const, gather, gather_where, ins, ins1, iota, pack, word
from .records import by_component


def lengths(a: Array) -> Array:
    dim = lists_of(a)[0]
    return Array(dim.lengths, (len(a),))


def offsets(a: Array) -> Array:
    from .making import from_numpy

    import numpy as np

    n = lists_of(a)[0].lengths.numpy()
    return from_numpy(np.concatenate([[0], np.cumsum(n)]).astype(np.int64), copy=False)


@by_component
def data(a: Array) -> Array:
    """What the lists of the first jagged dimension consist of."""
    dims = list(a.dims[2:])
    size = lists_of(a)[0].inner
    first: Dim = size if size.known is None else size.known
    return Array(a.flat, [first, *dims], host=a._host if not dims else None)


@by_component
def flatten(x: Array, /) -> Array:
    """One level less."""
    if x.is_jagged:
        made = data(x)
        return Array(made.flat, made.dims)
    shape = x.known_shape
    return Array(x.flat, [shape[0] * shape[1], *shape[2:]]) if x.ndim > 1 else x


def local_index(x: Array) -> Array:
    """For each element its place in its list."""
    dim = lists_of(x)[-1]
    zero, one = const("I", 0, dim.outer), const("I", 1, dim.outer)
    return Array(Flat(int64, ins1("INDEX", "I", zero, one, dim.h), x.flat.size), x.dims)


def choose(a: Array, index: Flat) -> Array:
    """Whole lists, by indices from 0 in range."""
    dims: list[Dim] = [index.size if index.size.known is None else index.size.known]
    for dim in lists_of(a):
        picked = gather(dim.lengths, index.h, index.size)
        starts = gather(dim.offsets, index.h, index.size)
        made = lists_of_lengths(picked)
        positions = ins1("INDEX", "I", starts.h, const("I", 1, index.size), made.h)
        index = Flat(int64, positions, made.inner)
        dims.append(made)
    return Array(gather(a.flat, index.h, index.size), dims)


def _slice_of_lists(a: Array, s: slice) -> Array:
    start, stop, step = s.indices(len(a))
    n = len(range(start, stop, step))
    return choose(a, iota(ONE if n == 1 else Size(n), start, step))


def _one_list(a: Array, i: int) -> Array:
    n = len(a)
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of range for {n} lists")
    whole = _slice_of_lists(a, slice(i % n, i % n + 1))
    return data(whole)


def get_lists(a: Array, key: Any) -> Any:
    """a[key] of a jagged array."""
    from .indexing import _as_array, _is_index_array, plain_key

    key = plain_key(key)
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if isinstance(key, tuple) or key is None or key is Ellipsis:
        return _by_keys(a, tuple(_as_array(k) if _is_index_array(k) else k for k in (key if isinstance(key, tuple) else (key,))))
    if isinstance(key, slice):
        return Array(a.flat, a.dims) if key == slice(None) else _slice_of_lists(a, key)
    if isinstance(key, Array) and key.is_jagged:
        return elements_of_lists(a, key) if key.dtype.is_int else _mask_lists(a, key)
    if _is_index_array(key):
        k = _as_array(key)
        if k.dtype is bool_ and k.ndim > 1:
            return _mask_lists(a, k)
        if k.dtype is bool_:
            if len(k) != len(a):
                raise IndexError(f"a mask of {len(k)} elements does not fit {len(a)} lists")
            return choose(a, pack(iota(k.flat.size), k.flat.h))
        return _at_indices(a, k, ())
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        raise IndexError(f"{key!r} is no index of an array of type {a.type}")
    return _one_list(a, key.__index__())


def _at_indices(a: Array, k: Array, rest: Sequence[Any]) -> Array:
    """a[k, *rest] with indices in any number of dimensions."""
    from .indexing import in_range

    got = _within(choose(a, in_range(rules.convert(k.flat, int64), len(a))), rest)
    return Array(got.flat, [*k.dims, *got.dims[1:]])


def elements_of_lists(a: Array, index: Array) -> Array:
    """Of each list the elements at its own indices; negative ones count from its end."""
    own, given = lists_of(a), lists_of(index)
    if len(own) != len(given) or len(a) != len(index) or not all(x.same(y) for x, y in zip(own[:-1], given[:-1])):
        raise IndexError(f"an array of type {index.type} has no indices for each list of one of type {a.type}")
    lengths, wanted = own[-1].lengths, given[-1]
    i = rules.convert(index.flat, int64)

    def of_each(f: Flat) -> Any:
        return ins1("DIST INT", "I", f.h, wanted.h)

    # An index out of range must not find an element of another list.
    low = rules.compare("<", "I", i.h, const("I", 0, i.size))
    place = rules.select("I", low, rules.int_op("+", i.h, of_each(lengths)), i.h)
    out = rules.either(rules.compare("<", "I", place, const("I", 0, i.size)), rules.compare(">=", "I", place, of_each(lengths)))
    place = rules.select("I", out, const("I", NOWHERE, i.size), rules.int_op("+", place, of_each(own[-1].offsets)))
    return Array(gather(a.flat, place, i.size), index.dims)


def _mask_lists(a: Array, mask: Array) -> Array:
    """Each list keeps its own."""
    own, other = lists_of(a), lists_of(mask)
    if mask.dtype is not bool_ or len(own) != len(other):
        raise IndexError(f"an array of type {mask.type} is no mask of one of type {a.type}")
    if not all(x.same(y) for x, y in zip(own, other)):
        raise ValueError("a mask of other lengths does not fit the lists")
    last = own[-1]
    kind = a.dtype.storage
    h, seg = ins(f"PACK {word(kind)}", a.flat.h, mask.flat.h, last.h)
    total = ins1("MAKE_SEGDES", "S", ins1(f"LENGTH {word(kind)}", "I", h))
    dim = Lists(seg, last.outer, Size(None, total))
    return Array(Flat(a.dtype, h, dim.inner), [*a.dims[:-1], dim])


def _by_keys(a: Array, keys: tuple[Any, ...]) -> Any:
    used = sum(k is not None and k is not Ellipsis for k in keys)
    if sum(k is Ellipsis for k in keys) == 1:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        keys = (*keys[:at], *[slice(None)] * (a.ndim - used), *keys[at + 1 :])
    if used > a.ndim:
        raise IndexError(f"{used} indices for an array of {a.ndim} dimensions")
    if any(k is Ellipsis for k in keys):
        raise IndexError("an index has one ellipsis at most")
    if not keys:
        return Array(a.flat, a.dims)
    first, *rest = keys
    if first is None:
        got = _by_keys(a, tuple(rest))
        return Array(got.flat, [1, *got.dims])
    if isinstance(first, Array) and first.dtype.is_int and not first.is_jagged:
        return _at_indices(a, first, rest)
    chosen = get_lists(a, first)
    if isinstance(first, slice) or isinstance(chosen, Array) and chosen.ndim == a.ndim:
        return _within(chosen, rest)
    return chosen[tuple(rest)]


def _within(a: Array, keys: Sequence[Any]) -> Array:
    """a[:, *keys]: what keys choose in each list."""
    keys = list(keys)
    while keys and isinstance(keys[-1], slice) and keys[-1] == slice(None):
        keys.pop()
    if not keys:
        return a
    if keys[0] is None:
        got = _within(a, keys[1:])
        return Array(got.flat, [got.dims[0], 1, *got.dims[1:]])
    key, dim = keys[0], lists_of(a)[0]
    if isinstance(key, slice):
        made, index = _slices(dim, key)
        got = _within(_at(data(a), index), keys[1:])
        return Array(got.flat, [a.dims[0], made, *got.dims[1:]])
    if isinstance(key, bool) or not hasattr(key, "__index__") or isinstance(key, Array) and key.ndim:
        raise NotImplementedError("only integers and slices choose elements of each list")
    got = _at(data(a), _element(dim, key.__index__()))
    return _within(Array(got.flat, [a.dims[0], *got.dims[1:]]), keys[1:])


def _at(a: Array, index: Flat) -> Array:
    """Elements or lists of the first dimension at indices from 0."""
    from .indexing import rows

    if a.ndim == 1:
        return Array(gather(a.flat, index.h, index.size), [index.size])
    return choose(a, index) if a.is_jagged else rows(a, index)


def _element(dim: Lists, i: int) -> Flat:
    """Where the i-th element of each list is; the machine fails where there is none."""
    size = dim.outer
    h = const("I", i, size)
    if i < 0:
        h = rules.int_op("+", h, dim.lengths.h)
    place = ins1("EXTRACT INT", "I", iota(dim.inner).h, h, dim.h)
    return Flat(int64, place, size)


def _slices(dim: Lists, s: slice) -> tuple[Lists, Flat]:
    """What a slice leaves of each list, with Python's rules for each length: the lists, and which elements."""
    size = dim.outer
    step = 1 if s.step is None else s.step
    if step == 0:
        raise ValueError("a slice with step zero")
    n, zero = dim.lengths.h, const("I", 0, size)

    def smaller(x: Any, y: Any) -> Any:
        return rules.select("I", rules.compare("<", "I", x, y), x, y)

    def larger(x: Any, y: Any) -> Any:
        return rules.select("I", rules.compare(">", "I", x, y), x, y)

    def bound(x: Any, low: Any, high: Any, otherwise: Any) -> Any:
        if x is None:
            return otherwise
        h = const("I", x, size)
        return smaller(larger(rules.int_op("+", h, n) if x < 0 else h, low), high)

    one = const("I", 1, size)
    if step > 0:
        start, stop = bound(s.start, zero, n, zero), bound(s.stop, zero, n, n)
        many = rules.int_op("/", rules.int_op("+", rules.int_op("-", stop, start), const("I", step - 1, size)), const("I", step, size))
    else:
        last, below = rules.int_op("-", n, one), const("I", -1, size)
        start, stop = bound(s.start, below, last, last), bound(s.stop, below, last, below)
        many = rules.int_op("/", rules.int_op("+", rules.int_op("-", start, stop), const("I", -step - 1, size)), const("I", -step, size))
    made = lists_of_lengths(Flat(int64, larger(many, zero), size))
    begin = rules.int_op("+", dim.offsets.h, start)
    return made, Flat(int64, ins1("INDEX", "I", begin, const("I", step, size), made.h), made.inner)


def to_regular(a: Array, fill: Any = None) -> Array:
    """A matrix: lists that are too short are filled up."""
    if not a.is_jagged:
        return a
    if a.ndim != 2:
        raise NotImplementedError(f"to_regular of an array of type {a.type} is not there yet")
    dim = lists_of(a)[0]
    n = dim.lengths.numpy()
    width = int(n.max()) if n.size else 0
    if fill is None and (n != width).any():
        raise ValueError("the lists have different lengths; fill= says what stands where there is nothing")
    rows = len(a)
    size = ONE if rows * width == 1 else Size(rows * width)
    return Array(_filled(a, Lists(repeated(width, dim.outer), dim.outer, size), fill), (rows, width))


@by_component
def pad(a: Array, n: int, fill: Any) -> Array:
    """Lists of fewer than n elements are filled up to n."""
    if not a.is_jagged or a.ndim != 2:
        raise TypeError(f"pad takes lists of numbers, not an array of type {a.type}")
    lengths = lists_of(a)[0].lengths
    least = const("I", n, lengths.size)
    longer = rules.select("I", rules.compare("<", "I", lengths.h, least), least, lengths.h)
    made = lists_of_lengths(Flat(int64, longer, lengths.size))
    return Array(_filled(a, made, fill), [a.dims[0], made])


def _filled(a: Array, wanted: Lists, fill: Any) -> Flat:
    """The elements of lists in lists at least as long."""
    from .elementwise import at, element

    dim = lists_of(a)[0]
    column = ins1("INDEX", "I", const("I", 0, dim.outer), const("I", 1, dim.outer), wanted.h)
    there = rules.compare("<", "I", column, ins1("DIST INT", "I", dim.lengths.h, wanted.h))
    index = rules.int_op("+", column, ins1("DIST INT", "I", dim.offsets.h, wanted.h))
    f = gather_where(a.flat, index, there, wanted.inner)
    if fill is None:
        return f
    return Flat(a.dtype, rules.select(a.dtype.storage, there, f.h, at(element(a.dtype, fill), a.dtype, wanted.inner).h), wanted.inner)


def run_lengths(x: Any) -> Array:
    """How many equal elements follow each other, list by list."""
    from .making import asarray
    from .operators import elementwise_call

    a = asarray(x)
    if not a.is_jagged:
        return data(run_lengths(Array(a.flat, [1, Lists(a.flat.size.seg, ONE, a.flat.size)])))
    inner, last = a.flat.size, lists_of(a)[-1]
    place = local_index(a)
    first = rules.compare("=", "I", place.flat.h, const("I", 0, inner))
    before = gather_where(a.flat, rules.int_op("-", iota(inner).h, const("I", 1, inner)), rules.negated(first), inner)
    other = elementwise_call("not_equal", Array(a.flat, a.dims), Array(before, a.dims))
    starts = _mask_lists(place, Array(Flat(bool_, rules.either(first, other.flat.h), inner), a.dims))
    runs = lists_of(starts)[-1]
    following = rules.int_op("+", local_index(starts).flat.h, const("I", 1, runs.inner))
    goes_on = rules.compare("<", "I", following, ins1("DIST INT", "I", runs.lengths.h, runs.h))
    after = rules.int_op("+", iota(runs.inner).h, const("I", 1, runs.inner))
    end = gather_where(starts.flat, after, goes_on, runs.inner)
    h = rules.select("I", goes_on, end.h, ins1("DIST INT", "I", last.lengths.h, runs.h))
    return Array(Flat(int64, rules.int_op("-", h, starts.flat.h), runs.inner), starts.dims)
