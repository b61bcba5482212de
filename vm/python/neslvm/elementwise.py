"""Operators and mathematical functions on vectors of one length: which type they work in, and its rule."""
from __future__ import annotations

import math
from typing import Any, Sequence, Union

from . import _nvm, rules
from .dtypes import DType, Scalar, bool_, common, int64, of_scalar, real_of, with_scalar
from .flat import Flat, Size, dist, host, of_host, single

Operand = Union[Flat, Scalar]
# The ones of vm/lib/element_ops.def.
_UNARY = ["negative", "abs", "sign", "floor", "ceil", "trunc", "round", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan",
          "sinh", "cosh", "tanh", "isnan", "isinf", "isfinite", "positive", "square", "bitwise_invert", "logical_not", "reciprocal", "real",
          "imag", "conj"]
_BINARY = ["add", "subtract", "multiply", "floor_divide", "remainder", "minimum", "maximum", "less", "less_equal", "greater",
           "greater_equal", "equal", "not_equal", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
           "logical_and", "logical_or", "logical_xor", "divide", "pow"]
# What NumPy computes, for want of an instruction; by its name there.
_HOST_REAL = {"expm1": "expm1", "log1p": "log1p", "log2": "log2", "log10": "log10", "asinh": "arcsinh", "acosh": "arccosh",
              "atanh": "arctanh", "cbrt": "cbrt"}
_HOST_REAL_2 = {"atan2": "arctan2", "hypot": "hypot", "copysign": "copysign", "nextafter": "nextafter", "logaddexp": "logaddexp"}
_NUMPY_NAMES = {"bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power", "bitwise_invert": "invert",
                "asin": "arcsin", "acos": "arccos", "atan": "arctan", "round": "rint", "square": "square", **_HOST_REAL, **_HOST_REAL_2}

UNARY = [*_UNARY, *_HOST_REAL, "signbit"]
BINARY = [*_BINARY, *_HOST_REAL_2]
_ELSEWHERE, _TYPE, _RANGE = 1, 2, 3  # of vm/lib/elements.h: Refusal


def _check_fits(t: DType, x: Scalar) -> None:
    if t.is_int and isinstance(x, int) and not isinstance(x, bool):
        low, high = t.limits
        if not low <= x <= high:
            raise OverflowError(f"Python integer {x} out of bounds for {t}; astype(), or int() of an element, makes room")


def element(t: DType, x: Any) -> Scalar:
    """A number that is put among elements of a type as it is: one that the type does not have is refused."""
    if hasattr(x, "item"):
        x = x.item()
    if not isinstance(x, (bool, int, float, complex)):
        raise TypeError(f"{x!r} is no number")
    lost = isinstance(x, complex) and t.kind != "c" or t.kind == "b" and x not in (0, 1)
    if lost or t.is_int and isinstance(x, float) and not x.is_integer():
        raise TypeError(f"{x} is none of the values of {t}; convert the array first, with astype()")
    made: Scalar = int(x) if t.is_int else x  # type: ignore[arg-type]
    _check_fits(t, made)
    return made


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
    if t.kind == "c":
        import numpy as np

        return of_host(np.full(size.n, o, dtype=t.name))
    return Flat(t, dist(single(t, o), t.storage, size), size)


def _complex_expm1(z: Any) -> Any:
    """exp(z) - 1, near zero, too; NumPy's is wrong for infinite parts."""
    import numpy as np

    x, y = z.real, z.imag
    near = np.expm1(x) * np.cos(y) - 2 * np.sin(y / 2) ** 2 + 0.0 + 1j * (np.exp(x) * np.sin(y))
    return np.where(np.isfinite(x) & np.isfinite(y), near, np.exp(z) - 1).astype(z.dtype)


def _complex(name: str, operands: Sequence[Operand], size: Size) -> Flat:
    import numpy as np

    f = _complex_expm1 if name == "expm1" else getattr(np, _NUMPY_NAMES.get(name, name))
    with np.errstate(all="ignore"):
        values = f(*[o.numpy() if isinstance(o, Flat) else o for o in operands])
    return of_host(np.broadcast_to(values, (size.n,)).copy())


def _by_numpy(name: str, operands: Sequence[Operand], size: Size) -> Flat:
    """For want of an instruction."""
    import numpy as np

    if len(operands) == 1:
        a = operands[0]
        assert isinstance(a, Flat)
        if name == "signbit":
            return host(np.signbit, bool_, a)
        t = real_of(a.dtype)
        return host(getattr(np, _NUMPY_NAMES[name]), t, rules.convert(a, t))
    t = meeting_type(operands)
    t = real_of(t) if name in _HOST_REAL_2 else common(t, int64) if t is bool_ else t
    return host(getattr(np, _NUMPY_NAMES.get(name, name)), t, at(operands[0], t, size), at(operands[1], t, size))


def _floor_divide(a: Any, b: Any) -> Any:
    """The standard's, which says what comes of infinite operands; NumPy and Python differ there."""
    import numpy as np

    with np.errstate(all="ignore"):
        exact, plain = a / b, np.floor_divide(a, b)
        return np.where(np.isinf(a) & np.isfinite(b) | np.isfinite(a) & np.isinf(b), exact, plain).astype(plain.dtype)


def floor_divide(operands: Sequence[Operand], size: Size) -> Flat:
    """The operator of arrays; functions of elements have Python's."""
    if not any(isinstance(o, complex) or isinstance(o, Flat) and o.dtype.kind == "c" for o in operands):
        t = meeting_type(operands)
        if t.kind == "f":
            return host(_floor_divide, t, at(operands[0], t, size), at(operands[1], t, size))
    return apply("floor_divide", operands, size)


def _refused(why: int, name: str, operands: Sequence[Operand], size: Size) -> Flat:
    t = meeting_type(operands)
    if why == _ELSEWHERE:
        return _by_numpy(name, operands, size)
    if why == _RANGE:
        for o in operands:
            if not isinstance(o, Flat):
                _check_fits(t, o)
    if name == "subtract":
        raise TypeError("bool arrays are not subtracted; use ^ or logical_xor")
    raise TypeError(f"{name} is not defined for {t}")


def apply(name: str, operands: Sequence[Operand], size: Size) -> Flat:
    """An operator or function of the array API by its name, on vectors of this size and Python scalars."""
    if any(isinstance(o, complex) or isinstance(o, Flat) and o.dtype.kind == "c" for o in operands):
        return _complex(name, operands, size)
    if not any(isinstance(o, Flat) for o in operands):
        operands = [at(operands[0], of_scalar(operands[0]), size), *operands[1:]]  # type: ignore[arg-type]
    made = _nvm.apply(name, operands, size)
    return _refused(made, name, operands, size) if isinstance(made, int) else made  # type: ignore[no-any-return]


def where(c: Flat, a: Operand, b: Operand, size: Size) -> Flat:
    """a where c is set, else b."""
    made = _nvm.where(c, a, b, size) if isinstance(a, Flat) or isinstance(b, Flat) else _ELSEWHERE
    if not isinstance(made, int):
        return made  # type: ignore[no-any-return]
    t = meeting_type([a, b])
    x, y = at(a, t, size), at(b, t, size)
    if t.kind == "c":
        import numpy as np

        return of_host(np.where(c.numpy(), x.numpy(), y.numpy()))
    return _nvm.where(c, x, y, size)  # type: ignore[no-any-return]


def known_scalar(name: str, *x: Scalar) -> Scalar:
    """The same of Python scalars alone."""
    import operator

    f = {"divide": operator.truediv, "floor_divide": operator.floordiv, "remainder": operator.mod}.get(name) or getattr(math, name)
    result: Scalar = f(*x)
    return result


