"""The operators of arrays and the elementwise functions of the module."""
from __future__ import annotations

from typing import Any, Callable, Optional

from . import _nvm, elementwise
from .align import Aligned, as_operand
from .array import Array
from .flat import Flat


def _wrong(name: str, x: Any) -> TypeError:
    return TypeError(f"{name} takes arrays and numbers, not {type(x).__name__}")


def elementwise_call(name: str, *given: Any) -> Array:
    operands = []
    for x in given:
        o = as_operand(x)
        if o is None:
            raise _wrong(name, x)
        operands.append(o)
    if not any(isinstance(o, Array) for o in operands):
        from .making import asarray

        operands[0] = asarray(operands[0])
    aligned = Aligned(operands)
    if name == "floor_divide":
        return Array(elementwise.floor_divide(aligned.operands, aligned.size), aligned.dims)
    return Array(elementwise.apply(name, aligned.operands, aligned.size), aligned.dims)


def where(condition: Any, a: Any, b: Any) -> Array:
    """a where the condition is true, else b."""
    made = _nvm.fast(-1, condition, a, b)
    if made is not None:
        return made  # type: ignore[no-any-return]
    operands = [as_operand(x) for x in (condition, a, b)]
    for given, o in zip((condition, a, b), operands):
        if o is None:
            raise _wrong("where", given)
    if not isinstance(operands[0], Array):
        from .making import asarray

        operands[0] = asarray(operands[0])
    aligned = Aligned(operands)  # type: ignore[arg-type]
    c, x, y = aligned.operands
    assert isinstance(c, Flat)
    return Array(elementwise.where(c, x, y, aligned.size), aligned.dims)


def clip(a: Any, min: Any = None, max: Any = None) -> Array:  # noqa: A002: the standard's names
    if min is not None:
        a = elementwise_call("maximum", a, min)
    if max is not None:
        a = elementwise_call("minimum", a, max)
    return a if isinstance(a, Array) else elementwise_call("positive", a)


def _operate(name: str, *operands: Any) -> Any:
    """Of arrays' operators, what vm/python/core/array.cpp leaves to Python."""
    for o in operands:
        if as_operand(o) is None:
            return NotImplemented
    return elementwise_call(name, *operands)


def _in_place(name: str) -> Callable[[Array, Any], Array]:
    """a += b: the name becomes another array of the same type and shape. Who else has the array keeps it, as in functions."""

    def apply(self: Array, other: Any) -> Array:
        result = elementwise_call(name, self, other)
        if result.dtype is not self.dtype:
            raise TypeError(f"a result of type {result.dtype} does not become one of {self.dtype}")
        if result.shape != self.shape:
            raise ValueError(f"a result of shape {result.shape} does not become one of {self.shape}")
        return result

    return apply


def _divmod(a: Any, b: Any) -> Any:
    return (a // b, a % b) if as_operand(a) is not None and as_operand(b) is not None else NotImplemented


_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift"}


def install() -> None:
    _nvm.set_array(Array, _operate)
    setattr(Array, "__divmod__", _divmod)
    setattr(Array, "__rdivmod__", lambda self, other: _divmod(other, self))
    for short, name in _OPERATORS.items():
        setattr(Array, f"__i{short}__", _in_place(name))


def named(name: str) -> Callable[..., Array]:
    """The function of the module by the name in the standard."""

    op, fast = _nvm.find_op(name), _nvm.fast
    if op < 0:

        def fast(*_: Any) -> Any:
            return None

    def unary(x: Any, /) -> Array:
        made = fast(op, x)
        return elementwise_call(name, x) if made is None else made  # type: ignore[no-any-return]

    def binary(x1: Any, x2: Any, /) -> Array:
        made = fast(op, x1, x2)
        return elementwise_call(name, x1, x2) if made is None else made  # type: ignore[no-any-return]

    f = unary if name in elementwise.UNARY else binary
    f.__name__ = f.__qualname__ = name
    return f


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Optional[str] = None) -> Array:
    from .dtypes import as_dtype
    from .flat import of_host
    from .rules import convert

    t = as_dtype(dtype)
    f = x.flat
    if f.dtype is t:
        return Array(f, x.dims) if copy else x
    if "c" in (t.kind, f.dtype.kind):
        return Array(of_host(f.numpy().astype(t.name)), x.dims)
    return Array(convert(f, t), x.dims)


