"""What a function of one element is given: the elements of all calls at once, and which of the calls are under way."""
from __future__ import annotations

import math
import operator
from typing import Any, Optional, Sequence, Union

from . import elementwise, rules
from .array import Array, row_strides
from .dtypes import DType, Scalar, Whole, bool_, int64, is_number, uint64
from .errors import CompileError
from .flat import Flat, Size, const, dist, gather_where, length

Number = (bool, int, float, complex)


class OfAllCalls:
    """A value of each call. Only a function that is read from its source, or an expression of operators, works on all of them."""

    __slots__ = ()
    __array_ufunc__ = None

    def _one(self, *_: Any) -> Any:
        from .interpreter import under_way

        if under_way():
            raise CompileError("what is called here for all elements at once asks for the value of one of them: it is not there for elements, "
                               "or its own source cannot be read")
        raise CompileError("this function is called for all elements at once, and asks for the value of one of them; its source, which says "
                           "what it does with each, cannot be read: it must be in a file or in a cell of a notebook")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<a value of each element>"


for _asks in ("bool iter len getitem contains int float complex index round floor ceil trunc neg pos abs invert add sub mul truediv floordiv mod pow matmul "
              "and or xor lshift rshift radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift lt le gt ge eq ne").split():
    setattr(OfAllCalls, f"__{_asks}__", OfAllCalls._one)


class Lane(OfAllCalls):
    """One scalar of each call."""

    __slots__ = ("flat", "guard")

    def __init__(self, flat: Flat, guard: Any = None) -> None:
        self.flat = flat
        self.guard = guard  # flags of the calls in which it is needed, None: all

    @property
    def dtype(self) -> DType:
        return self.flat.dtype

    def __getitem__(self, key: Any) -> Any:
        raise TypeError("a number has no elements")

    def __iter__(self) -> Any:
        raise TypeError("a number has no elements")

    __hash__ = None  # type: ignore[assignment]


Value = Union[Lane, Scalar, tuple[Any, ...]]


def operand(x: Any, size: Size) -> Union[Flat, Scalar]:
    if isinstance(x, Lane):
        return x.flat
    if is_number(x):
        return x  # type: ignore[no-any-return]
    if hasattr(x, "__array__") and getattr(x, "ndim", 1) == 0:
        from .making import asarray

        f = asarray(x).flat
        return Flat(f.dtype, dist(f.h, f.dtype.storage, size), size)
    raise TypeError(f"a {type(x).__name__} cannot be computed with for each element")


def whole(x: Any, size: Size) -> Flat:
    """The integer of each call, where Python asks for one: of 64 bits, and the greatest for what is greater."""
    if not isinstance(x, (Lane, Array)):
        return Flat(int64, const("I", min(max(operator.index(x), -(2**63)), 2**63 - 1), size), size)
    f = operand(x, size)
    if not isinstance(f, Flat) or not (f.dtype.is_int or f.dtype is bool_):
        raise TypeError("a float cannot be interpreted as an integer; int() of it can")
    found = rules.convert(f, int64)
    if f.dtype is not uint64:
        return found
    beyond = rules.compare("<", "I", found.h, const("I", 0, size))
    return Flat(int64, rules.select("I", beyond, const("I", 2**63 - 1, size), found.h), size)


def guard_of(*values: Any) -> Any:
    return next((v.guard for v in values if isinstance(v, Lane) and v.guard is not None), None)


def operate(name: str, *values: Any, guard: Any = None) -> Any:
    """An operator on numbers of all calls."""
    size = next(v.flat.size for v in values if isinstance(v, Lane))
    operands = [operand(v, size) for v in values]
    if guard is not None and name in ("floor_divide", "remainder"):
        divisor = operands[1]
        if isinstance(divisor, Flat) and divisor.dtype.kind != "f":  # where it is not needed nothing fails
            d = rules.convert(divisor, int64) if divisor.dtype is bool_ else divisor
            operands[1] = Flat(d.dtype, rules.select("I", guard, d.h, const("I", 1, size)), size)
    return Lane(elementwise.apply(name, operands, size))


_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder", "pow": "pow",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
_COMPARE = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}


def _method(name: str, swapped: bool) -> Any:
    def apply(self: Lane, other: Any) -> Any:
        if isinstance(other, (tuple, list, str)) or other is None:
            return NotImplemented
        return operate(name, other, self) if swapped else operate(name, self, other)

    return apply


for _short, _name in _BINARY.items():
    setattr(Lane, f"__{_short}__", _method(_name, False))
    setattr(Lane, f"__r{_short}__", _method(_name, True))
for _short, _name in _COMPARE.items():
    setattr(Lane, f"__{_short}__", _method(_name, False))
for _short, _name in {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}.items():
    setattr(Lane, f"__{_short}__", lambda self, name=_name: operate(name, self))


def truth(x: Any, size: Size) -> Any:
    """Flags: which of the numbers are not zero."""
    if isinstance(x, Lane):
        return rules.convert(x.flat, bool_).h
    return const("B", bool(x), size)


def alike(x: tuple[Any, ...], parts: Sequence[Any]) -> Any:
    """A tuple of other parts of the same kind."""
    return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)


def choose(flags: Any, a: Any, b: Any, size: Size) -> Any:
    """a where the flags are set, else b; of tuples by component."""
    if a is b:
        return a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        made = [choose(flags, x, y, size) for x, y in zip(a, b)]
        return alike(a, made) if type(a) is type(b) else tuple(made)
    if isinstance(a, tuple) or isinstance(b, tuple):
        raise TypeError("a tuple and a number do not meet")
    x, y = operand(a, size), operand(b, size)
    return Lane(elementwise.where(Flat(bool_, flags, size), _beside(x, y, size), _beside(y, x, size), size))


def _beside(x: Union[Flat, Scalar], other: Union[Flat, Scalar], size: Size) -> Union[Flat, Scalar]:
    """A number that is chosen instead of elements whose type has no room for it is one of 64 bits, as they become."""
    if type(x) not in (int, Whole) or not isinstance(other, Flat) or not other.dtype.is_int or other.dtype is uint64:
        return x
    low, high = other.dtype.limits
    return x if low <= x <= high or not -(2**63) <= x < 2**63 else Flat(int64, const("I", x, size), size)  # type: ignore[operator]


def pick(values: Sequence[Any], index: Lane) -> Any:
    """An element of a tuple, by a number of each call."""
    size = index.flat.size
    n = len(values)
    i = Lane(whole(index, size))
    i = operate("remainder", i, Whole(n)) if n else i
    result = values[-1]
    for k in range(n - 2, -1, -1):
        result = choose(operate("equal", i, Whole(k)).flat.h, values[k], result, size)
    return result


def element(a: Array, keys: Sequence[Any], guard: Any = None) -> Any:
    """a[keys] with numbers of each call; of tuples by component."""
    from .records import Records

    if isinstance(a, Records):
        return tuple(element(p, keys, guard) for p in a.parts)
    lane = next(k for k in keys if isinstance(k, Lane))
    size = lane.flat.size
    shape = a.known_shape
    if len(keys) != len(shape):
        raise NotImplementedError("a function of elements takes single elements of other arrays, not rows")
    if _is_own_index(shape, keys, size):
        return Lane(a.flat)
    index: Any = None
    for k, n, s in zip(keys, shape, row_strides(shape)):
        place = _place(k, n, s, len(shape), math.prod(shape), size)
        index = place if index is None else operate("add", index, place)
    flags = const("B", True, size) if guard is None else guard
    return Lane(gather_where(a.flat, rules.convert(index.flat, int64).h, flags, size))


def _place(k: Any, n: int, stride: int, ndim: int, count: int, size: Size) -> Lane:
    """What one index of a dimension of n elements adds to the place."""
    if not isinstance(k, Lane):
        if not -n <= k < n:
            raise IndexError(f"index {k} is out of range for {n} elements")
        return Lane(length((k % n) * stride, size))
    if not k.dtype.is_int:
        raise IndexError("an index is an integer")
    from_end = operate("add", k, Lane(length(n, size)))
    i = choose(operate("less", k, Whole(0)).flat.h, from_end, k, size)
    if ndim == 1:
        return i  # type: ignore[no-any-return]
    # One number out of range would be another element.
    out = rules.either(operate("less", i, Whole(0)).flat.h, operate("greater_equal", i, Lane(length(n, size))).flat.h)
    return choose(out, Lane(length(-(2**40) * max(count, 1), size)), operate("multiply", i, Lane(length(stride, size))), size)  # type: ignore[no-any-return]


def _is_own_index(shape: Sequence[int], keys: Sequence[Any], size: Size) -> bool:
    """Whether each call asks for the element where it stands itself."""
    from .mapping import index_of

    if math.prod(shape) != size.known:
        return False
    own = index_of(shape, size)
    return all(isinstance(k, Lane) and k.flat.h.key == o.flat.h.key for k, o in zip(keys, own if isinstance(own, tuple) else (own,)))
