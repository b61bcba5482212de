"""Operators and mathematical functions on vectors of one length: which type they work in, and its rule."""
from __future__ import annotations

import math
from typing import Any, Callable, Sequence, Union

from . import rules
from .dtypes import DType, Scalar, bool_, common, float64, int64, of_scalar, real_of, with_scalar
from .flat import Flat, Size, const, dist, host, ins1, of_host, single

Operand = Union[Flat, Scalar]
Rule = Callable[..., Any]

_ARITHMETIC: dict[str, Rule] = {
    "add": rules.add, "subtract": rules.subtract, "multiply": rules.multiply, "floor_divide": rules.floor_divide,
    "remainder": rules.remainder, "minimum": rules.minimum, "maximum": rules.maximum}
_COMPARISONS = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "=", "not_equal": "!="}
_BITWISE: dict[str, Rule] = {
    "bitwise_and": rules.bitwise("AND"), "bitwise_or": rules.bitwise("OR"), "bitwise_xor": rules.bitwise("XOR")}
_SHIFTS: dict[str, Rule] = {"bitwise_left_shift": rules.shift_left, "bitwise_right_shift": rules.shift_right}
_SAME: dict[str, Rule] = {
    "negative": rules.negative, "abs": rules.absolute, "sign": rules.sign, "floor": rules.to_whole("FLOOR"),
    "ceil": rules.to_whole("CEIL"), "trunc": rules.to_whole("TRUNC"), "round": rules.to_whole("ROUND")}
_REAL: dict[str, Rule] = {
    name: rules.function(text)
    for name, text in {
        "sqrt": "SQRT", "exp": "EXP", "log": "LOG", "sin": "SIN", "cos": "COS", "tan": "TAN", "asin": "ASIN", "acos": "ACOS",
        "atan": "ATAN", "sinh": "SINH", "cosh": "COSH", "tanh": "TANH"}.items()}
_TESTS: dict[str, Rule] = {"isnan": rules.is_nan, "isinf": rules.is_infinite, "isfinite": rules.is_finite}
# What NumPy computes, for want of an instruction; by its name there.
_HOST_REAL = {"expm1": "expm1", "log1p": "log1p", "log2": "log2", "log10": "log10", "asinh": "arcsinh", "acosh": "arccosh",
              "atanh": "arctanh", "cbrt": "cbrt"}
_HOST_REAL_2 = {"atan2": "arctan2", "hypot": "hypot", "copysign": "copysign", "nextafter": "nextafter", "logaddexp": "logaddexp"}
_LOGIC: dict[str, Rule] = {"logical_and": rules.both, "logical_or": rules.either,
                           "logical_xor": lambda a, b: ins1("XOR BOOL", "B", a, b)}
_NUMPY_NAMES = {"bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power", "bitwise_invert": "invert",
                "asin": "arcsin", "acos": "arccos", "atan": "arctan", "round": "rint", "square": "square", **_HOST_REAL, **_HOST_REAL_2}

UNARY = [*_SAME, *_REAL, *_TESTS, *_HOST_REAL, "positive", "square", "bitwise_invert", "logical_not", "signbit", "reciprocal",
         "real", "imag", "conj"]
BINARY = [*_ARITHMETIC, *_COMPARISONS, *_BITWISE, *_SHIFTS, *_LOGIC, *_HOST_REAL_2, "divide", "pow"]


def _check_fits(t: DType, x: Scalar) -> None:
    if t.is_int and isinstance(x, int) and not isinstance(x, bool):
        low, high = t.limits
        if not low <= x <= high:
            raise OverflowError(f"Python integer {x} out of bounds for {t}")


def meeting_type(operands: Sequence[Operand]) -> DType:
    """The type of arrays and weak Python scalars together."""
    arrays = [o.dtype for o in operands if isinstance(o, Flat)]
    scalars = [o for o in operands if not isinstance(o, Flat)]
    t = arrays[0] if arrays else of_scalar(scalars.pop(0))
    for other in arrays[1:]:
        t = common(t, other)
    for x in scalars:
        t = with_scalar(t, x)
    return t


def at(o: Operand, t: DType, size: Size) -> Flat:
    """An operand as a vector of a type."""
    if isinstance(o, Flat):
        return rules.convert(o, t)
    _check_fits(t, o)
    return Flat(t, dist(single(t, o), t.storage, size), size)


def _complex(name: str, operands: Sequence[Operand], size: Size) -> Flat:
    import numpy as np

    f = getattr(np, _NUMPY_NAMES.get(name, name))
    with np.errstate(all="ignore"):
        values = f(*[o.numpy() if isinstance(o, Flat) else o for o in operands])
    return of_host(np.broadcast_to(values, (size.n,)).copy())


def _on_bools(name: str, a: Flat, b: Flat) -> Any:
    if name == "add" or name == "maximum":
        return rules.either(a.h, b.h)
    if name == "multiply" or name == "minimum":
        return rules.both(a.h, b.h)
    if name == "subtract":
        raise TypeError("bool arrays are not subtracted; use ^ or logical_xor")
    return None


def _power(operands: Sequence[Operand], size: Size) -> Flat:
    import numpy as np

    base, exponent = operands
    t = meeting_type(operands)
    t = common(t, int64) if t is bool_ else t
    if isinstance(exponent, int) and not isinstance(exponent, bool) and 0 <= exponent <= 16 and t.kind != "b":
        power = at(base, t, size)
        result = Flat(t, const(t.storage, 1, size), size)
        while exponent:
            if exponent & 1:
                result = Flat(t, rules.multiply(t, result, power), size)
            exponent >>= 1
            if exponent:
                power = Flat(t, rules.multiply(t, power, power), size)
        return result
    if isinstance(exponent, float) and exponent == 0.5 and t.kind == "f" and isinstance(base, Flat):
        pass  # sqrt differs at -0.0 and -inf
    return host(np.power, t, at(base, t, size), at(exponent, t, size))


def _binary(name: str, operands: Sequence[Operand], size: Size) -> Flat:
    import numpy as np

    t = meeting_type(operands)
    if name in _LOGIC:
        a, b = (at(o, bool_, size) if isinstance(o, Flat) else at(bool(o), bool_, size) for o in operands)
        return Flat(bool_, _LOGIC[name](a.h, b.h), size)
    if name == "pow":
        return _power(operands, size)
    if name in _BITWISE or name in _SHIFTS:
        if t.kind == "f" or name in _SHIFTS and t is bool_:
            raise TypeError(f"{name} is not defined for {t}")
        a, b = (at(o, t, size) for o in operands)
        return Flat(t, (_BITWISE.get(name) or _SHIFTS[name])(t, a, b), size)
    if name == "divide":
        t = real_of(t)
        return Flat(t, rules.divide(t, at(operands[0], t, size), at(operands[1], t, size)), size)
    if name in _HOST_REAL_2:
        t = real_of(t)
        return host(getattr(np, _HOST_REAL_2[name]), t, at(operands[0], t, size), at(operands[1], t, size))
    if name in _COMPARISONS:
        if any(not isinstance(o, Flat) and t.is_int and not t.limits[0] <= o <= t.limits[1] for o in operands):  # type: ignore[operator]
            t = float64
        a, b = (at(o, t, size) for o in operands)
        return Flat(bool_, rules.comparison(_COMPARISONS[name])(t, a, b), size)
    a, b = (at(o, t, size) for o in operands)
    divisor = operands[1]
    if name in ("floor_divide", "remainder") and t.kind == "i" and isinstance(divisor, int) and divisor > 0:
        return Flat(t, rules.by_positive(name, a, b), size)
    if t is bool_:
        h = _on_bools(name, a, b)
        if h is not None:
            return Flat(bool_, h, size)
        t = with_scalar(t, 1)
        a, b = rules.convert(a, t), rules.convert(b, t)
    return Flat(t, _ARITHMETIC[name](t, a, b), size)


def _unary(name: str, a: Flat, size: Size) -> Flat:
    import numpy as np

    t = a.dtype
    if name in ("positive", "real", "conj"):
        return a
    if name == "imag":
        return Flat(t, const(t.storage, 0, size), size)
    if name in _TESTS:
        return Flat(bool_, _TESTS[name](a), size)
    if name == "square":
        return _binary("multiply", [a, a], size)
    if name == "logical_not":
        return Flat(bool_, rules.negated(rules.convert(a, bool_).h), size)
    if name == "bitwise_invert":
        if t.kind == "f":
            raise TypeError(f"{name} is not defined for {t}")
        return Flat(t, rules.invert(t, a), size)
    if name in _SAME:
        if t is bool_:
            if name == "abs":
                return a
            raise TypeError(f"{name} is not defined for bool")
        return Flat(t, _SAME[name](t, a), size)
    if name == "signbit":
        return host(np.signbit, bool_, a)
    t = real_of(t)
    a = rules.convert(a, t)
    if name == "reciprocal":
        return _binary("divide", [Flat(t, const("F", 1.0, size), size), a], size)
    if name in _HOST_REAL:
        return host(getattr(np, _HOST_REAL[name]), t, a)
    return Flat(t, _REAL[name](t, a), size)


def apply(name: str, operands: Sequence[Operand], size: Size) -> Flat:
    """An operator or function of the array API by its name, on vectors of this size and Python scalars."""
    if any(isinstance(o, complex) or isinstance(o, Flat) and o.dtype.kind == "c" for o in operands):
        return _complex(name, operands, size)
    if len(operands) == 1:
        only = operands[0]
        return _unary(name, only if isinstance(only, Flat) else at(only, of_scalar(only), size), size)
    return _binary(name, operands, size)


def where(c: Flat, a: Operand, b: Operand, size: Size) -> Flat:
    """a where c is set, else b."""
    t = meeting_type([a, b])
    x, y = at(a, t, size), at(b, t, size)
    if t.kind == "c":
        import numpy as np

        return of_host(np.where(c.numpy(), x.numpy(), y.numpy()))
    c = rules.convert(c, bool_)
    return Flat(t, rules.select(t.storage, c.h, x.h, y.h), size)


def known_scalar(name: str, *x: Scalar) -> Scalar:
    """The same of Python scalars alone."""
    import operator

    f = {"divide": operator.truediv, "floor_divide": operator.floordiv, "remainder": operator.mod}.get(name) or getattr(math, name)
    result: Scalar = f(*x)
    return result


