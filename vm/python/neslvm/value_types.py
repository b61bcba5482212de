"""Types that functions of Python have values of, as far as their texts say, and what built-in functions make of them."""
from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional, Union

from .array import Array


class Number(NamedTuple):
    """bool, int or float of 64 bits, by rank."""

    rank: int


class Listed(NamedTuple):
    element: Type


class Tupled(NamedTuple):
    parts: tuple[Type, ...]


class Value:
    """A value of Python's that is no data: a function, a module, a text, None."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and (self.value is other.value or isinstance(self.value, str) and self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value) if isinstance(self.value, str) else id(self.value)

    def __repr__(self) -> str:
        return f"{type(self.value).__name__} {self.value!r}" if isinstance(self.value, str) else f"value {id(self.value)}"


class Clash(NamedTuple):
    """A list in one branch and a number in the other: an error where it is used."""

    line: int
    why: str


class Mark(NamedTuple):
    text: str


Type = Union[Number, Listed, Tupled, Value, Clash, Mark]
NEVER, UNKNOWN = Mark("never"), Mark("unknown")
BOOL, INT, FLOAT = Number(0), Number(1), Number(2)
_OF_ARRAYS = {"bool": BOOL, "int64": INT, "float64": FLOAT}


def shape_of(t: Type) -> str:
    return "a list" if isinstance(t, Listed) else "a tuple" if isinstance(t, Tupled) else "a number"


def join(a: Type, b: Type, line: int) -> Type:
    """What is one of both."""
    if a == b or b == NEVER:
        return a
    if a == NEVER:
        return b
    if isinstance(a, Clash) or isinstance(b, Clash):
        return a if isinstance(a, Clash) else b
    if UNKNOWN in (a, b) or isinstance(a, Value) or isinstance(b, Value):
        return UNKNOWN
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(max(a.rank, b.rank))
    if isinstance(a, Listed) and isinstance(b, Listed):
        return Listed(join(a.element, b.element, line))
    if isinstance(a, Tupled) and isinstance(b, Tupled) and len(a.parts) == len(b.parts):
        return Tupled(tuple(join(x, y, line) for x, y in zip(a.parts, b.parts)))
    return Clash(line, f"{shape_of(a)} in one branch and {shape_of(b)} in the other")


def type_of(x: Any) -> Type:
    """Of a value that a function is given or finds outside."""
    if isinstance(x, (bool, int, float)):
        return Number(0 if isinstance(x, bool) else 1 if isinstance(x, int) else 2)
    if isinstance(x, Array):
        t: Type = _OF_ARRAYS.get(x.dtype.name, UNKNOWN) if type(x) is Array else UNKNOWN
        for _ in range(x.ndim if t != UNKNOWN else 0):
            t = Listed(t)
        return t
    if isinstance(x, tuple):
        return Tupled(tuple(type_of(v) for v in x)) if type(x) is tuple else UNKNOWN
    if isinstance(x, list):
        t = NEVER
        for v in x:
            t = join(t, type_of(v), 0)
        return UNKNOWN if isinstance(t, (Clash, Value)) else Listed(t)
    return Value(x)


def _number_of(rank: Optional[int]) -> Callable[[list[Type]], Type]:
    """A function of numbers: that of all of them, or always the same."""

    def result(args: list[Type]) -> Type:
        if not all(isinstance(a, Number) for a in args):
            return UNKNOWN
        return Number(rank) if rank is not None else Number(max((a.rank for a in args), default=1))  # type: ignore[union-attr]

    return result


def _extreme(args: list[Type]) -> Type:
    if len(args) == 1:
        return args[0].element if isinstance(args[0], Listed) else UNKNOWN
    return _number_of(None)(args)


def _sum(args: list[Type]) -> Type:
    t = args[0].element if args and isinstance(args[0], Listed) else UNKNOWN
    return Number(max(t.rank, 1)) if isinstance(t, Number) and len(args) == 1 else UNKNOWN


def _same_list(args: list[Type]) -> Type:
    return args[0] if args and isinstance(args[0], Listed) else UNKNOWN


def _zip(args: list[Type]) -> Type:
    found = [a.element for a in args if isinstance(a, Listed)]
    return Listed(Tupled(tuple(found))) if len(found) == len(args) else UNKNOWN


def _enumerate(args: list[Type]) -> Type:
    return Listed(Tupled((INT, args[0].element))) if args and isinstance(args[0], Listed) else UNKNOWN


_REAL = ("sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh fabs atan2 hypot log2 log10 log1p expm1 copysign pow fmod").split()
RESULTS: dict[Any, Callable[[list[Type]], Type]] = {
    **{getattr(math, n): _number_of(2) for n in _REAL}, **{getattr(math, n): _number_of(0) for n in ("isnan", "isinf", "isfinite")},
    **{getattr(math, n): _number_of(1) for n in ("floor", "ceil", "trunc", "isqrt", "gcd", "comb")},
    abs: lambda args: _number_of(None)([*args, INT]), min: _extreme, max: _extreme, sum: _sum, len: lambda args: INT, float: _number_of(2),
    int: _number_of(1), bool: lambda args: BOOL, any: lambda args: BOOL, all: lambda args: BOOL,
    range: lambda args: Listed(INT), sorted: _same_list, reversed: _same_list, list: _same_list, zip: _zip, enumerate: _enumerate,
    round: lambda args: INT if len(args) == 1 else UNKNOWN}
