"""Lists of each call: what comprehensions and reductions inside functions work on, all calls at once."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from . import rules
from .align import times
from .array import Array, Dim, Lists, lists_of_lengths, repeated
from .dtypes import bool_, int64, uint64
from .elementwise import apply
from .flat import Flat, ONE, Size, const, gather_where, ins, ins1, word
from .host_lists import load_list
from .records import Records
from .lanes import Lane, OfAllCalls, alike


class ListLane(OfAllCalls):
    """One list of each call; its elements are numbers, tuples or lists again. `row`: it is an array, a row of one."""

    __slots__ = ("lists", "elements", "row", "width", "part")

    def __init__(self, lists: Lists, elements: Any, row: bool = False, width: Optional[int] = None) -> None:
        self.lists = lists
        self.elements = elements
        self.row = row
        self.width = width  # of a row, the same in all calls
        self.part = False  # an element of another list

    def alike(self, lists: Lists, elements: Any) -> ListLane:
        """Others of its kind and length."""
        return ListLane(lists, elements, self.row, self.width)

    @property
    def length(self) -> Lane:
        return Lane(self.lists.lengths)

    def reduced(self, name: str, initial: Any = None) -> Any:
        from .reductions import extreme, sum_type

        f = flat_of(self.elements, self.lists.inner)
        outer = self.lists.outer
        if name in ("any", "all"):
            h = ins1(("OR" if name == "any" else "AND") + "_REDUCE BOOL", "B", rules.convert(f, bool_).h, self.lists.h)
            return Lane(Flat(bool_, h, outer))
        if name == "sum":
            f = rules.convert(f, sum_type(f.dtype))
            h = ins1(f"+_REDUCE {word(f.dtype.storage)}", f.dtype.storage, f.h, self.lists.h)
            return Lane(Flat(f.dtype, h, outer))
        return Lane(Flat(f.dtype, extreme(name == "max", "REDUCE", f, self.lists.h, outer), outer))

    def place(self, index: Any) -> Any:
        """Where an element of each list is among all; -1 where there is none."""
        from .lanes import choose, operate, whole

        outer = self.lists.outer
        i = Lane(whole(index, outer))
        n = self.length
        i = choose(operate("less", i, 0).flat.h, operate("add", i, n), i, outer)
        bad = rules.either(operate("less", i, 0).flat.h, operate("greater_equal", i, n).flat.h)
        return rules.select("I", bad, const("I", -1, outer), rules.int_op("+", self.lists.offsets.h, i.flat.h))

    def at(self, index: Any, guard: Any) -> Any:
        """An element of each list; the machine fails where there is none."""
        outer = self.lists.outer
        flags = const("B", True, outer) if guard is None else guard
        found = picked(self.elements, self.lists.inner, Flat(int64, self.place(index), outer), flags)
        if isinstance(found, ListLane):
            found.part = True
        return found


def flat_of(x: Any, size: Size) -> Flat:
    from .mapping import result_flat

    return result_flat(x, size)


def picked(x: Any, size: Size, index: Flat, flags: Any) -> Any:
    """A value's element at each index, zero where the flags are not set."""
    if isinstance(x, tuple):
        made = [picked(v, size, index, flags) for v in x]
        return alike(x, made)
    if isinstance(x, ListLane):
        n = Flat(int64, gather_where(x.lists.lengths, index.h, flags, index.size).h, index.size)
        start = gather_where(x.lists.offsets, index.h, flags, index.size)
        lists = lists_of_lengths(n)
        place = ins1("INDEX", "I", start.h, const("I", 1, index.size), lists.h)
        return x.alike(lists, picked(x.elements, x.lists.inner, Flat(int64, place, lists.inner), const("B", True, lists.inner)))
    return Lane(gather_where(flat_of(x, size), index.h, flags, index.size))


def spread(x: Any, lists: Lists) -> Any:
    """A value of each call, for each element of its list."""
    if isinstance(x, tuple):
        made = [spread(v, lists) for v in x]
        return alike(x, made)
    if isinstance(x, Lane):
        f = x.flat
        return Lane(Flat(f.dtype, ins1(f"DIST {word(f.dtype.storage)}", f.dtype.storage, f.h, lists.h), lists.inner))
    if isinstance(x, ListLane):
        number = Flat(int64, ins1("DIST INT", "I", ins1("INDEX", "I", const("I", 0, ONE), const("I", 1, ONE), lists.outer.seg), lists.h), lists.inner)
        return picked(x, lists.outer, number, const("B", True, lists.inner))
    return moved(x, lambda v: spread(v, lists))


def moved(x: Any, move: Callable[[Any], Any]) -> Any:
    """A value that is no number or list of each call: of a function, what it finds outside of itself is moved."""
    return x.lifted(move) if hasattr(x, "lifted") else x


def kept(x: Any, flags: Any, size: Size, seg: Any) -> Any:
    """Of a value of each element what a condition keeps; `seg` is the one segment of what is kept."""
    from .flat import iota, pack

    if isinstance(x, (Lane, tuple, ListLane)):
        index = pack(iota(size), flags)
        index = Flat(int64, index.h, seg)
        return picked(x, size, index, const("B", True, seg))
    return moved(x, lambda v: kept(v, flags, size, seg))


def filtered(lists: Lists, flags: Any) -> Lists:
    from .flat import iota

    h, seg = ins("PACK INT", iota(lists.inner).h, flags, lists.h)
    inner = Size(None, ins1("MAKE_SEGDES", "S", ins1("LENGTH INT", "I", h)))
    return Lists(seg, lists.outer, inner)


def merged(flags: Any, a: ListLane, b: ListLane, size: Size) -> ListLane:
    """The list of a where the flags are set, else that of b."""
    n = Flat(int64, rules.select("I", flags, a.lists.lengths.h, b.lists.lengths.h), size)
    lists = lists_of_lengths(n)
    local = ins1("INDEX", "I", const("I", 0, size), const("I", 1, size), lists.h)
    first = ins1("DIST BOOL", "B", flags, lists.h)
    places = [rules.int_op("+", local, ins1("DIST INT", "I", x.lists.offsets.h, lists.h)) for x in (a, b)]
    left = picked(a.elements, a.lists.inner, Flat(int64, places[0], lists.inner), first)
    right = picked(b.elements, b.lists.inner, Flat(int64, places[1], lists.inner), rules.negated(first))
    width = a.width if a.width == b.width else None
    return ListLane(lists, either_of(first, left, right, lists.inner), a.row and b.row, width)


def either_of(flags: Any, a: Any, b: Any, size: Size) -> Any:
    """choose(), of lists as well."""
    from .lanes import choose

    if isinstance(a, ListLane) and isinstance(b, ListLane):
        return merged(flags, a, b, size)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        made = [either_of(flags, x, y, size) for x, y in zip(a, b)]
        return alike(a, made) if type(a) is type(b) else tuple(made)
    if isinstance(a, ListLane) or isinstance(b, ListLane):
        raise TypeError("a list and a number do not meet")
    return choose(flags, a, b, size)


def joined(a: ListLane, b: ListLane) -> ListLane:
    """Each list of a with that of b behind it."""
    size = a.lists.outer
    n = Flat(int64, rules.int_op("+", a.lists.lengths.h, b.lists.lengths.h), size)
    lists = lists_of_lengths(n)
    local = ins1("INDEX", "I", const("I", 0, size), const("I", 1, size), lists.h)

    def over(f: Flat) -> Any:
        return ins1("DIST INT", "I", f.h, lists.h)

    first = rules.compare("<", "I", local, over(a.lists.lengths))
    left = picked(a.elements, a.lists.inner, Flat(int64, rules.int_op("+", local, over(a.lists.offsets)), lists.inner), first)
    behind = rules.int_op("+", rules.int_op("-", local, over(a.lists.lengths)), over(b.lists.offsets))
    right = picked(b.elements, b.lists.inner, Flat(int64, behind, lists.inner), rules.negated(first))
    return ListLane(lists, either_of(first, left, right, lists.inner))


def display(values: Sequence[Any], size: Size) -> ListLane:
    """[a, b, ...] in each call."""
    lists = Lists(repeated(len(values), size), size, times(size, len(values)))
    values = [display(v, size) if isinstance(v, list) else of_array(v, size) if load_list(v) else v for v in values]
    for v in values:
        if isinstance(v, ListLane):
            v.part = True
    if all(isinstance(v, ListLane) for v in values) and values:
        parts = [ListLane(Lists(repeated(1, size), size, size), v) for v in values]
        result = parts[0]
        for p in parts[1:]:
            result = joined(result, p)
        return result
    if not values:
        return ListLane(Lists(repeated(0, size), size, Size(0)), Lane(Flat(int64, const("I", 0, Size(0)), Size(0))))
    from .lanes import choose

    place = ins1("INDEX", "I", const("I", 0, size), const("I", 1, size), lists.h)
    result_value = spread(values[-1], lists)
    for k in range(len(values) - 2, -1, -1):
        hit = rules.compare("=", "I", place, const("I", k, lists.inner))
        result_value = choose(hit, spread(values[k], lists), result_value, lists.inner)
    if not isinstance(result_value, (Lane, tuple)):
        result_value = Lane(flat_of(result_value, lists.inner))
    return ListLane(lists, result_value)


def numbers(start: Any, stop: Any, step: Any, size: Size, guard: Any = None) -> ListLane:
    """range(start, stop, step) of each call."""
    from .lanes import whole

    first, last, by = (whole(x, size).h for x in (start, stop, step))
    lists = lists_of_lengths(Flat(int64, _count(first, last, by, step, size, guard), size))
    return ListLane(lists, Lane(Flat(int64, ins1("INDEX", "I", first, by, lists.h), lists.inner)))


def _count(first: Any, last: Any, by: Any, step: Any, size: Size, guard: Any) -> Any:
    """How many numbers a range has. Between the limits of 64 bits are more than an integer counts: what overflows is a length
    below zero, which fails."""
    from .interpreter import all_and, any_of

    zero, one = const("I", 0, size), const("I", 1, size)
    if isinstance(step, Lane):
        if any_of(all_and(guard, rules.compare("=", "I", by, zero)), size):
            raise ValueError("range() arg 3 must not be zero")
        up = rules.compare(">", "I", by, zero)
        low, high = rules.select("I", up, first, last), rules.select("I", up, last, first)
        by = rules.select("I", up, by, rules.int_op("-", zero, by))
        plain = False
    else:
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        low, high = (first, last) if step > 0 else (last, first)
        plain, by = step in (1, -1), by if step > 0 else rules.int_op("-", zero, by)
    there = rules.compare("<", "I", low, high)
    span = rules.int_op("-", high, low)
    if not plain:
        if isinstance(step, Lane):  # of a call that is not under way it may be 0
            by = rules.select("I", rules.compare("=", "I", by, zero), one, by)
        without_sign = [Flat(uint64, h, size) for h in (rules.int_op("-", span, one), by)]
        span = rules.int_op("+", apply("floor_divide", without_sign, size).h, one)
    return rules.select("I", all_and(guard, there), span, zero)


def of_array(a: Array, size: Size) -> ListLane:
    """An array of the host, the same in each call."""
    n = len(a)
    lists = Lists(repeated(n, size), size, times(size, n))
    place = ins1("INDEX", "I", const("I", 0, size), const("I", 1, size), lists.h)
    values, count = lanes_of(a)
    found = picked(values, count, Flat(int64, place, lists.inner), const("B", True, lists.inner))
    return ListLane(lists, found, not load_list(a) and not a.is_jagged, n)


def lanes_of(a: Array) -> tuple[Any, Size]:
    """The rows or lists of an array, one for each call."""
    if isinstance(a, Records):
        found = [lanes_of(p) for p in a.parts]
        return a.element([v for v, _ in found]), found[0][1]
    f = a.flat
    first = a.dims[0]
    outer = first if isinstance(first, Size) else ONE if first == 1 else Size(first)  # type: ignore[arg-type]
    if a.ndim == 1:
        return Lane(f), f.size
    levels: list[tuple[Lists, Optional[int]]] = []
    size = outer
    for d in a.dims[1:]:
        if isinstance(d, Lists):
            levels.append((Lists(d.h, size, d.inner), None))
        else:
            n = d.n if isinstance(d, Size) else d
            levels.append((Lists(repeated(n, size), size, times(size, n)), n))
        size = levels[-1][0].inner
    value: Any = Lane(Flat(f.dtype, f.h, size))
    for lists, width in reversed(levels):
        value = ListLane(lists, value, width is not None, width)
    return value, outer


def array_of(value: Any, dims: list[Dim], size: Size) -> Array:
    """Values of all calls as an array."""
    if isinstance(value, tuple):
        return Records([array_of(v, dims, size) for v in value], getattr(value, "_fields", None), len(dims), type(value))
    if isinstance(value, ListLane):
        return array_of(value.elements, [*dims, value.lists if value.width is None or not value.row else value.width], value.lists.inner)
    return Array(flat_of(value, size), dims)


def _of_all(x: Any, size: Size) -> Any:
    """A result that may be the same in all calls, as one of each."""
    from .comprehensions import everywhere

    return everywhere(x, size)


def compiled_each(f: Any, arrays: Sequence[Array]) -> Optional[Array]:
    """f of all elements, if it is compiled as a whole."""
    from .compiled import NOT_COMPILED, called
    from .interpreter import closure_of, parameters

    closure = closure_of(f)
    if closure is None or len(parameters(closure)) != len(arrays) or any(len(a) != len(arrays[0]) for a in arrays[1:]):
        return None
    found = called(closure, arrays, True)
    return None if found is NOT_COMPILED else found


def each_row(f: Any, arrays: Sequence[Array]) -> Array:
    from .interpreter import call_vectorised
    from .mapping import check_parameters

    check_parameters(f, len(arrays))
    whole = compiled_each(f, arrays)
    if whole is not None:
        return whole
    found = [lanes_of(a) for a in arrays]
    size = found[0][1]
    if any(s.n != size.n for _, s in found[1:]):
        raise ValueError("the arrays have different lengths")
    result = _of_all(call_vectorised(f, [v for v, _ in found], size), size)
    return array_of(result, [size if size.known is None else size.known], size)


