"""What operators mean for each element type, as instructions on vectors of one length.

Small integers are computed in 64 bits and wrapped, float32 in double and rounded, which is exact for + - * / and sqrt."""
from __future__ import annotations

from typing import Any, Callable

from .dtypes import DType, bool_, float32, float64, int64, real_of
from .flat import Flat, Size, const, host, ins1, word

MIN64 = -(2**63)


def _same(text: str, t: DType, *h: Any) -> Any:
    return ins1(f"{text} {word(t.storage)}", t.storage, *h)


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


def magnitude(x: Any, size: Size) -> Any:
    zero = const("F", 0.0, size)
    return select("F", compare("<=", "F", x, zero), float_op("-", zero, x), x)


def wrap(h: Any, t: DType, size: Size) -> Any:
    """A result of 64 bits in a smaller integer type, modulo its width."""
    if t.bits == 64:
        return h
    if t.kind == "u":
        return int_op("AND", h, const("I", 2**t.bits - 1, size))
    shift = const("I", 64 - t.bits, size)
    return int_op("RSHIFT", int_op("LSHIFT", h, shift), shift)


def round32(x: Any, size: Size) -> Any:
    """The nearest float32, ties to even. For normal results c - (c - x) with c = x * 2^29 has an ulp of float32's; tiny ones
    are rounded to multiples of 2^-149, large ones are infinite."""
    c = float_op("*", x, const("F", 2.0**29, size))
    normal = float_op("-", c, float_op("-", c, x))
    shift = const("F", 1.5 * 2.0 ** (52 - 149), size)
    tiny = float_op("-", float_op("+", x, shift), shift)
    zero = const("F", 0.0, size)
    tiny = select("F", compare("=", "F", tiny, zero), float_op("*", x, zero), tiny)
    large = float_op("*", x, const("F", 1e308, size))
    large = float_op("*", large, const("F", 1e308, size))
    size_of_x = magnitude(x, size)
    fits = compare("<", "F", magnitude(normal, size), const("F", 2.0**128, size))
    result = select("F", fits, normal, large)
    return select("F", compare("<", "F", size_of_x, const("F", 2.0**-126, size)), tiny, result)


def rounded(h: Any, t: DType, size: Size) -> Any:
    return round32(h, size) if t is float32 else h


def finish(h: Any, t: DType, size: Size) -> Any:
    return wrap(h, t, size) if t.is_int else rounded(h, t, size)


def unsigned_key(h: Any, size: Size) -> Any:
    """Of 64 bits without a sign: signed ones in the same order."""
    return int_op("XOR", h, const("I", MIN64, size))


def order_key(f: Flat) -> Any:
    """What compares as the elements do."""
    if f.dtype.name == "uint64":
        return unsigned_key(f.h, f.size)
    return ins1("B_TO_I", "I", f.h) if f.dtype is bool_ else f.h


# Conversions.


def convert(f: Flat, t: DType) -> Flat:
    s, h, size = f.dtype, f.h, f.size
    if s is t:
        return f
    if t.kind == "b":
        if s.kind == "f":
            return Flat(t, compare("!=", "F", h, const("F", 0.0, size)), size)
        return Flat(t, ins1("I_TO_B", "B", h), size)
    if s.kind == "b":
        h, s = ins1("B_TO_I", "I", h), int64
        if t.is_int:
            return Flat(t, h, size)
    if t.kind == "f":
        if s.kind == "f":
            return Flat(t, rounded(h, t, size) if s.bits > t.bits else h, size)
        if s.name == "uint64":
            half = int_op("OR", int_op("AND", int_op("RSHIFT", h, const("I", 1, size)), const("I", 2**63 - 1, size)),
                          int_op("AND", h, const("I", 1, size)))
            big = float_op("*", ins1("I_TO_F", "F", half), const("F", 2.0, size))
            x = select("F", compare("<", "I", h, const("I", 0, size)), big, ins1("I_TO_F", "F", h))
        else:
            x = ins1("I_TO_F", "F", h)
        return Flat(t, rounded(x, t, size), size)
    if s.kind == "f":
        if t.name == "uint64":
            return host(lambda x: x.astype("uint64"), t, f)
        h = ins1("TRUNC", "I", h)
    narrower = t.bits < s.bits or t.kind != s.kind or s.kind == "f"
    return Flat(t, wrap(h, t, size) if narrower else h, size)


# Arithmetic; both operands have the type t.


def add(t: DType, a: Flat, b: Flat) -> Any:
    return finish(_same("+", t, a.h, b.h), t, a.size)


def subtract(t: DType, a: Flat, b: Flat) -> Any:
    return finish(_same("-", t, a.h, b.h), t, a.size)


def multiply(t: DType, a: Flat, b: Flat) -> Any:
    return finish(_same("*", t, a.h, b.h), t, a.size)


def divide(t: DType, a: Flat, b: Flat) -> Any:
    return finish(float_op("/", a.h, b.h), t, a.size)


def _unsigned_parts(a: Any, b: Any, size: Size) -> tuple[Any, Any]:
    """Quotient and remainder of 64 bits without signs."""
    zero, one = const("I", 0, size), const("I", 1, size)
    key_b = unsigned_key(b, size)
    half = int_op("AND", int_op("RSHIFT", a, one), const("I", 2**63 - 1, size))
    large = compare("<", "I", b, zero)
    divisor = select("I", large, one, b)
    q = int_op("LSHIFT", int_op("/", half, divisor), one)
    q = select("I", large, zero, q)
    r = int_op("-", a, int_op("*", q, b))
    more = compare(">=", "I", unsigned_key(r, size), key_b)
    q = int_op("+", q, ins1("B_TO_I", "I", more))
    return q, select("I", more, int_op("-", r, b), r)


def _signed_parts(t: DType, a: Any, b: Any, size: Size) -> tuple[Any, Any]:
    zero = const("I", 0, size)
    if t.bits == 64:  # the least integer by -1 wraps
        minus = compare("=", "I", b, const("I", -1, size))
        divisor = select("I", minus, const("I", 1, size), b)
        q = int_op("/", a, divisor)
        q, r = select("I", minus, int_op("-", zero, a), q), int_op("%", a, divisor)
    else:
        q, r = int_op("/", a, b), int_op("%", a, b)
    if t.kind == "u":
        return q, r
    signs = ins1("XOR BOOL", "B", compare("<", "I", r, zero), compare("<", "I", b, zero))
    down = both(compare("!=", "I", r, zero), signs)
    return int_op("-", q, ins1("B_TO_I", "I", down)), select("I", down, int_op("+", r, b), r)


def by_positive(name: str, a: Flat, b: Flat) -> Any:
    """Of signed integers by a number that is known to be positive."""
    r = int_op("%", a.h, b.h)
    down = compare("<", "I", r, const("I", 0, a.size))
    if name == "remainder":
        return select("I", down, int_op("+", r, b.h), r)
    return int_op("-", int_op("/", a.h, b.h), ins1("B_TO_I", "I", down))


def floor_divide(t: DType, a: Flat, b: Flat) -> Any:
    if t.kind == "f":
        return host(lambda x, y: x // y, t, a, b).h
    parts = _unsigned_parts(a.h, b.h, a.size) if t.name == "uint64" else _signed_parts(t, a.h, b.h, a.size)
    return wrap(parts[0], t, a.size) if t.kind == "i" else parts[0]


def remainder(t: DType, a: Flat, b: Flat) -> Any:
    if t.kind == "f":
        return host(lambda x, y: x % y, t, a, b).h
    return (_unsigned_parts(a.h, b.h, a.size) if t.name == "uint64" else _signed_parts(t, a.h, b.h, a.size))[1]


def minimum(t: DType, a: Flat, b: Flat) -> Any:
    return _extreme("<", t, a, b)


def maximum(t: DType, a: Flat, b: Flat) -> Any:
    return _extreme(">", t, a, b)


def _extreme(text: str, t: DType, a: Flat, b: Flat) -> Any:
    kind = "I" if t is bool_ else t.storage
    first = compare(text, kind, order_key(a), order_key(b))
    if t.kind == "f":  # what is no number comes through
        first = either(first, compare("!=", "F", a.h, a.h))
    return select(t.storage, first, a.h, b.h)


def shift_left(t: DType, a: Flat, b: Flat) -> Any:
    far = compare(">=", "I", b.h, const("I", 64, a.size))
    h = select("I", far, const("I", 0, a.size), int_op("LSHIFT", a.h, b.h))
    return wrap(h, t, a.size)


def shift_right(t: DType, a: Flat, b: Flat) -> Any:
    size = a.size
    far = compare(">=", "I", b.h, const("I", 64, size))
    if t.name == "uint64":
        one = const("I", 1, size)
        half = int_op("AND", int_op("RSHIFT", a.h, one), const("I", 2**63 - 1, size))
        h = int_op("RSHIFT", half, int_op("-", b.h, one))
        h = select("I", far, const("I", 0, size), h)
        return select("I", compare("=", "I", b.h, const("I", 0, size)), a.h, h)
    return int_op("RSHIFT", a.h, select("I", far, const("I", 63, size), b.h))


def bitwise(text: str) -> Callable[[DType, Flat, Flat], Any]:
    return lambda t, a, b: _same(text, t, a.h, b.h)


def comparison(text: str) -> Callable[[DType, Flat, Flat], Any]:
    def apply(t: DType, a: Flat, b: Flat) -> Any:
        return compare(text, "I" if t is bool_ else t.storage, order_key(a), order_key(b))

    return apply


# Of one operand.


def negative(t: DType, a: Flat) -> Any:
    if t.kind == "f":
        return float_op("*", a.h, const("F", -1.0, a.size))
    return finish(int_op("-", const("I", 0, a.size), a.h), t, a.size)


def absolute(t: DType, a: Flat) -> Any:
    if t.kind == "f":
        return magnitude(a.h, a.size)
    if t.kind != "i":
        return a.h
    zero = const("I", 0, a.size)
    return finish(select("I", compare("<", "I", a.h, zero), int_op("-", zero, a.h), a.h), t, a.size)


def invert(t: DType, a: Flat) -> Any:
    if t is bool_:
        return negated(a.h)
    return finish(ins1("NOT INT", "I", a.h), t, a.size)


def sign(t: DType, a: Flat) -> Any:
    kind = t.storage
    zero, one = const(kind, 0, a.size), const(kind, 1, a.size)
    if t.kind == "u":
        return select("I", compare("=", "I", a.h, zero), zero, one)
    above = select(kind, compare(">", kind, a.h, zero), one, a.h)
    return select(kind, compare("<", kind, a.h, zero), const(kind, -1, a.size), above)


def to_whole(how: str) -> Callable[[DType, Flat], Any]:
    """floor, ceil, trunc, round (half to even), which stay floats."""

    def apply(t: DType, a: Flat) -> Any:
        if t.kind != "f":
            return a.h
        size = a.size
        if how == "ROUND":
            big = const("F", 2.0**52, size)
            up = float_op("-", float_op("+", a.h, big), big)
            down = float_op("+", float_op("-", a.h, big), big)
            r = select("F", compare(">=", "F", a.h, const("F", 0.0, size)), up, down)
        else:
            r = ins1("I_TO_F", "F", ins1(how, "I", a.h))
        zero = const("F", 0.0, size)
        r = select("F", compare("=", "F", r, zero), float_op("*", a.h, zero), r)
        return select("F", compare("<", "F", magnitude(a.h, size), const("F", 2.0**52, size)), r, a.h)

    return apply


def function(text: str) -> Callable[[DType, Flat], Any]:
    return lambda t, a: rounded(ins1(text, "F", a.h), t, a.size)


def is_nan(a: Flat) -> Any:
    return compare("!=", "F", a.h, a.h) if a.dtype.kind == "f" else const("B", False, a.size)


def is_infinite(a: Flat) -> Any:
    if a.dtype.kind != "f":
        return const("B", False, a.size)
    return compare(">", "F", magnitude(a.h, a.size), const("F", 1.7976931348623157e308, a.size))


def is_finite(a: Flat) -> Any:
    if a.dtype.kind != "f":
        return const("B", True, a.size)
    return compare("<=", "F", magnitude(a.h, a.size), const("F", 1.7976931348623157e308, a.size))


