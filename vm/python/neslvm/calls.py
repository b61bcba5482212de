"""Calls inside of functions: built-in functions, those of math and nvm, and other functions, which are executed as met."""
from __future__ import annotations

import builtins
import math
from typing import Any, Callable

from . import elementwise, sections
from .array import Array
from .dtypes import float64, int64
from .expressions import _Zipped, as_list, as_lists
from .flat import Flat
from .interpreter import Closure, Frame, call_function, choose_value, closure_of, is_lane
from .nested import ListLane, numbers
from .trace import Lane, operate

_MATH = {math.sqrt: "sqrt", math.exp: "exp", math.log: "log", math.sin: "sin", math.cos: "cos", math.tan: "tan", math.asin: "asin",
         math.acos: "acos", math.atan: "atan", math.sinh: "sinh", math.cosh: "cosh", math.tanh: "tanh", math.fabs: "abs",
         math.atan2: "atan2", math.hypot: "hypot", math.log2: "log2", math.log10: "log10", math.log1p: "log1p", math.expm1: "expm1",
         math.copysign: "copysign", math.pow: "pow", math.isnan: "isnan", math.isinf: "isinf", math.isfinite: "isfinite"}


def _converted(x: Any, to: Any) -> Any:
    from .rules import convert

    return Lane(convert(x.flat, to))


def _whole(name: str) -> Callable[..., Any]:
    def apply(frame: Frame, x: Any) -> Any:
        return _converted(operate(name, x), int64)

    return apply


def _extreme(name: str) -> Callable[..., Any]:
    def apply(frame: Frame, *values: Any) -> Any:
        if len(values) == 1:
            return as_lists(values[0], frame).reduced(name) if not isinstance(values[0], ListLane) else values[0].reduced(name)
        result = values[0]
        for v in values[1:]:
            first = operate("less" if name == "min" else "greater", v, result)
            assert frame.size is not None
            result = choose_value(first.flat.h, v, result, frame.size) if isinstance(first, Lane) else v if first else result
        return result

    return apply


def _sum(frame: Frame, values: Any, start: Any = 0) -> Any:
    total = as_lists(values, frame).reduced("sum")
    return total if isinstance(start, int) and start == 0 else operate("add", total, start)


def _range(frame: Frame, *bounds: Any) -> Any:
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
    if isinstance(step, Lane):
        raise NotImplementedError("the step of a range is a number, the same in all calls")
    assert frame.size is not None
    return numbers(start, stop, step, frame.size)


def _zip(frame: Frame, *values: Any) -> Any:
    made = [as_lists(v, frame) for v in values]
    return ListLane(made[0].lists, tuple(v.elements for v in made))


def _enumerate(frame: Frame, values: Any, start: int = 0) -> Any:
    from .flat import const, ins1

    made = as_lists(values, frame)
    outer = made.lists.outer
    place = ins1("INDEX", "I", const("I", start, outer), const("I", 1, outer), made.lists.h)
    return ListLane(made.lists, (Lane(Flat(int64, place, made.lists.inner)), made.elements))


def _sorted(frame: Frame, values: Any) -> Any:
    from .nested import flat_of
    from .order import _rank, permuted

    made = as_lists(values, frame)
    f = flat_of(made.elements, made.lists.inner)
    return ListLane(made.lists, Lane(permuted(f, _rank(f, made.lists.h, False), made.lists.h)))


def _reversed(frame: Frame, values: Any) -> Any:
    from .flat import const, ins1
    from .nested import picked, spread
    from .rules import int_op

    made = as_lists(values, frame)
    outer, inner = made.lists.outer, made.lists.inner
    local = ins1("INDEX", "I", const("I", 0, outer), const("I", 1, outer), made.lists.h)
    last = spread(Lane(Flat(int64, int_op("+", made.lists.offsets.h, int_op("-", made.lists.lengths.h, const("I", 1, outer))), outer)), made.lists)
    place = int_op("-", last.flat.h, local)
    return ListLane(made.lists, picked(made.elements, inner, Flat(int64, place, inner), const("B", True, inner)))


def _len(frame: Frame, values: Any) -> Any:
    return as_lists(values, frame).length


def _isqrt(frame: Frame, x: Any) -> Any:
    root = _converted(operate("floor", operate("sqrt", x)), int64)
    high = operate("greater", operate("multiply", root, root), x)
    root = operate("subtract", root, _converted(high, int64))
    following = operate("add", root, 1)
    low = operate("less_equal", operate("multiply", following, following), x)
    return operate("add", root, _converted(low, int64))


_VECTORISED: dict[Any, Callable[..., Any]] = {
    abs: lambda frame, x: operate("abs", x), min: _extreme("min"), max: _extreme("max"), sum: _sum, len: _len, range: _range, zip: _zip,
    enumerate: _enumerate, sorted: _sorted, reversed: _reversed,
    any: lambda frame, v: as_lists(v, frame).reduced("any"), all: lambda frame, v: as_lists(v, frame).reduced("all"),
    float: lambda frame, x: _converted(x, float64), int: lambda frame, x: _converted(x, int64),
    bool: lambda frame, x: operate("not_equal", x, 0), round: lambda frame, x: _converted(operate("round", x), int64),
    math.floor: _whole("floor"), math.ceil: _whole("ceil"), math.trunc: _whole("trunc"), math.isqrt: _isqrt,
    list: lambda frame, v: as_lists(v, frame), tuple: lambda frame, v: v}


def _deep_lane(x: Any) -> bool:
    return is_lane(x) or isinstance(x, list) and builtins.any(_deep_lane(v) for v in x)


def call(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    lanes = builtins.any(_deep_lane(a) for a in [*args, *named.values()])
    if not lanes:
        return _host_call(f, args, named, frame)
    if f in _VECTORISED if _hashable(f) else False:
        return _VECTORISED[f](frame, *args)
    if f in _MATH if _hashable(f) else False:
        return operate(_MATH[f], *args)
    name = getattr(f, "__name__", "")
    if getattr(f, "__module__", "").startswith("neslvm") and (name in elementwise.UNARY or name in elementwise.BINARY):
        return operate(name, *args)
    if name == "where" and getattr(f, "__module__", "").startswith("neslvm"):
        assert frame.size is not None
        return choose_value(args[0].flat.h, args[1], args[2], frame.size)
    closure = f if isinstance(f, Closure) else closure_of(f)
    if closure is not None:
        return call_function(closure, args, named, frame.size, frame.active)
    if frame.size is not None and not getattr(f, "__module__", "").startswith("neslvm"):
        sections.about_to_call(f)
        return f(*args, **named)
    raise TypeError(f"{name or f} cannot be called for each element")


def _hashable(f: Any) -> bool:
    try:
        hash(f)
    except TypeError:
        return False
    return True


def _host_call(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    from . import reductions

    if isinstance(f, Closure):
        return call_function(f, args, named, frame.size if frame.active is not None else None, frame.active)
    if f in (zip, enumerate) if _hashable(f) else False:
        if builtins.any(isinstance(a, Array) for a in args[:1] if f is enumerate) or f is zip and builtins.any(isinstance(a, (Array, _Zipped)) for a in args):
            return _Zipped(args) if f is zip else _Zipped([range(named.get("start", 0), 2**62) if len(args[0]) is None else range(len(args[0])), args[0]])
        if f is enumerate and isinstance(args[0], _Zipped):
            return _Zipped([range(len(args[0])), args[0]])
    if f in (sum, min, max, any, all) and len(args) == 1 and isinstance(args[0], Array):
        if args[0].size == 0 and f in (min, max):
            raise ValueError(f"{f.__name__}() of an empty list")
        return getattr(reductions, f.__name__)(args[0])
    if f in (sorted, reversed, list) if _hashable(f) else False:
        if isinstance(args[0], Array):
            from .order import sort
            from .shaping import flip

            a = args[0]
            return as_list(sort(a) if f is sorted else flip(a, axis=0) if f is reversed else a)
    closure = closure_of(f) if not isinstance(f, type) and not getattr(f, "__module__", "").startswith("neslvm") else None
    if closure is not None:
        return call_function(closure, args, named, None, None)
    if hasattr(f, "python") and closure_of(f) is not None:
        return call_function(closure_of(f), args, named, None, None)  # type: ignore[arg-type]
    if f in _MATH if _hashable(f) else False:
        args = [a.item() if isinstance(a, Array) and a.ndim == 0 else a for a in args]
    sections.about_to_call(f)
    return f(*args, **named)


