"""Element types, and what two of them have in common."""
from __future__ import annotations

from typing import Any, Union

Scalar = Union[bool, int, float, complex]


class DType:
    """An element type. Equal to NumPy's of the same name, and to the name."""

    __slots__ = ("name", "kind", "bits")

    def __init__(self, name: str, kind: str, bits: int) -> None:
        self.name = name
        self.kind = kind  # b bool, i signed, u unsigned, f float, c complex
        self.bits = bits

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    @property
    def itemsize(self) -> int:
        return max(self.bits // 8, 1)

    @property
    def storage(self) -> str:
        """How the machine holds it: I, F or B."""
        return {"b": "B", "f": "F"}.get(self.kind, "I")

    @property
    def is_int(self) -> bool:
        return self.kind in "iu"

    @property
    def limits(self) -> tuple[int, int]:
        if self.kind == "u":
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1


bool_ = DType("bool", "b", 8)
int8, int16, int32, int64 = (DType(f"int{b}", "i", b) for b in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (DType(f"uint{b}", "u", b) for b in (8, 16, 32, 64))
float32, float64 = DType("float32", "f", 32), DType("float64", "f", 64)
complex64, complex128 = DType("complex64", "c", 64), DType("complex128", "c", 128)
ALL = (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, complex64, complex128)
_BY_NAME = {t.name: t for t in ALL}


class Whole(int):
    """A number that stands in the text of a function: a constant of the program, not an input."""


class Real(float):
    """The same, with a fraction."""


_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128, Whole: int64, Real: float64}


def as_dtype(x: object) -> DType:
    """The type that a DType, a name, a Python type or a type of NumPy stands for."""
    if isinstance(x, DType):
        return x
    if isinstance(x, type) and x in _PYTHON:
        return _PYTHON[x]
    name = x if isinstance(x, str) else getattr(x, "name", None) or getattr(x, "__name__", None)
    found = _BY_NAME.get("bool" if name == "bool_" else name) if isinstance(name, str) else None
    if found is None:
        raise TypeError(f"nvm has no element type {x!r}; it has " + ", ".join(_BY_NAME))
    return found


def _integers(a: DType, b: DType) -> DType:
    if a.kind == b.kind:
        return a if a.bits >= b.bits else b
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    bits = max(signed.bits, 2 * unsigned.bits)
    return float64 if bits > 64 else _BY_NAME[f"int{bits}"]


def common(a: DType, b: DType) -> DType:
    """The type in which two arrays meet, as in NumPy."""
    if a is b:
        return a
    if "b" in (a.kind, b.kind):
        return b if a.kind == "b" else a
    if a.is_int and b.is_int:
        return _integers(a, b)
    if "c" in (a.kind, b.kind):
        wide = any(t.kind == "c" and t.bits == 128 or t.kind in "fiu" and t.bits > (32 if t.kind == "f" else 16) for t in (a, b))
        return complex128 if wide else complex64
    wide = any(t.bits > (32 if t.kind == "f" else 16) for t in (a, b))
    return float64 if wide else float32


def is_number(x: object) -> bool:
    """Whether it is one of Python's numbers, which are weak. NumPy's, of which some are Python's, too, have a type of elements."""
    return isinstance(x, (bool, int, float, complex)) and not hasattr(x, "__array__")


def of_scalar(x: Scalar) -> DType:
    return next(_PYTHON[c] for c in type(x).__mro__ if c in _PYTHON)


def with_scalar(t: DType, x: Scalar) -> DType:
    """The type in which an array and a Python scalar meet: scalars are weak."""
    rank = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    own = of_scalar(x)
    if rank[own.kind] <= rank[t.kind]:
        return t
    if own.kind == "c" and t.kind == "f":
        return complex64 if t.bits == 32 else complex128
    return own


def real_of(t: DType) -> DType:
    """The float type in which mathematical functions of a type give their results."""
    if t.kind in "fc":
        return t
    return float64
