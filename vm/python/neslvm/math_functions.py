"""Functions of math for all calls at once: by the machine, or for want of an instruction by Python, one call after the other."""
from __future__ import annotations

import math
from typing import Any, Sequence

from .dtypes import bool_, float64, int64
from .elementwise import UNARY
from .flat import Flat, of_host
from .interpreter import Frame
from .lanes import Lane, operand, operate
from .nested import ListLane
from .rules import convert

_BY_MACHINE = {
    math.sqrt: "sqrt", math.exp: "exp", math.sin: "sin", math.cos: "cos", math.tan: "tan", math.asin: "asin", math.acos: "acos",
    math.atan: "atan", math.sinh: "sinh", math.cosh: "cosh", math.tanh: "tanh", math.fabs: "abs", math.atan2: "atan2", math.hypot: "hypot",
    math.log2: "log2", math.log10: "log10", math.log1p: "log1p", math.expm1: "expm1", math.copysign: "copysign", math.pow: "pow",
    math.isnan: "isnan", math.isinf: "isinf", math.isfinite: "isfinite", math.asinh: "asinh", math.acosh: "acosh", math.atanh: "atanh",
    math.nextafter: "nextafter", math.cbrt: "cbrt"}
_OTHER_RESULTS: dict[Any, Any] = {
    **dict.fromkeys([math.gcd, math.lcm, math.factorial, math.comb, math.perm], int64), math.isclose: bool_, math.modf: (float64, float64),
    math.frexp: (float64, int64)}


def is_of_math(f: Any) -> bool:
    return getattr(f, "__module__", None) == "math"


def of_numbers(f: Any, args: Sequence[Any], named: dict[str, Any], frame: Frame) -> Any:
    """math.f(...) of each call."""
    name = _BY_MACHINE.get(f)
    if name is not None and not named and len(args) == (1 if name in UNARY else 2):
        return operate(name, *map(_real, args))
    values = [*args, *named.values()]
    if any(isinstance(v, (list, tuple, ListLane)) for v in values):
        raise NotImplementedError(f"math.{f.__name__} takes numbers for each element, no lists or tuples")
    kinds = _OTHER_RESULTS.get(f, float64)
    made = _by_python(f, values, list(named), kinds if isinstance(kinds, tuple) else (kinds,), frame)
    return made if isinstance(kinds, tuple) else made[0]


def _real(x: Any) -> Any:
    """The functions compute with floats, whatever they are given."""
    if isinstance(x, Lane):
        return x if x.dtype.kind == "f" else Lane(convert(x.flat, float64))
    return float(x) if isinstance(x, (bool, int)) else x


def _by_python(f: Any, values: Sequence[Any], names: Sequence[str], kinds: Sequence[Any], frame: Frame) -> tuple[Lane, ...]:
    import numpy as np

    from .expressions import wrapped

    size = frame.size
    assert size is not None
    operands = [operand(v, size) for v in values]
    columns = [o.numpy().tolist() if isinstance(o, Flat) else [o] * size.n for o in operands]
    active = Flat(bool_, frame.flags(), size).numpy().tolist()
    plain = len(values) - len(names)
    nothing = (0,) * len(kinds)
    rows: list[Any] = []
    for k, wanted in enumerate(active):
        given = [c[k] for c in columns]
        found = f(*given[:plain], **dict(zip(names, given[plain:]))) if wanted else nothing
        rows.append(found if isinstance(found, tuple) else (found,))
    made = []
    for j, kind in enumerate(kinds):
        flat = of_host(np.array([wrapped(r[j]) for r in rows], dtype=kind.name), kind)
        flat.size = size
        made.append(Lane(flat))
    return tuple(made)
