"""Instructions on vectors of one length by short names, and the rules of element types that vm/lib/elements.h has."""
from __future__ import annotations

from typing import Any

from . import _nvm
from .dtypes import DType
from .flat import Flat, Size, host, ins1, word


def compare(text: str, kind: str, a: Any, b: Any) -> Any:
    return ins1(f"{text} {word(kind)}", "B", a, b)


def select(kind: str, c: Any, a: Any, b: Any) -> Any:
    return ins1(f"SELECT {word(kind)}", kind, c, a, b)


def both(a: Any, b: Any) -> Any:
    return ins1("AND BOOL", "B", a, b)


def either(a: Any, b: Any) -> Any:
    return ins1("OR BOOL", "B", a, b)


def negated(a: Any) -> Any:
    return ins1("NOT BOOL", "B", a)


def int_op(text: str, a: Any, b: Any) -> Any:
    return ins1(text if text in ("%", "LSHIFT", "RSHIFT") else f"{text} INT", "I", a, b)


def float_op(text: str, a: Any, b: Any) -> Any:
    return ins1(f"{text} FLOAT", "F", a, b)


def finish(h: Any, t: DType, size: Size) -> Any:
    """A result of 64 bits as a value of a type: modulo its width, or rounded."""
    return _nvm.finished(h, t, size)


def order_key(f: Flat) -> Any:
    """What compares as the elements do."""
    return _nvm.order_key(f)


def convert(f: Flat, t: DType) -> Flat:
    if f.dtype is t:
        return f
    made = _nvm.convert(f, t)
    return host(lambda x: x.astype(t.name), t, f) if made is None else made
