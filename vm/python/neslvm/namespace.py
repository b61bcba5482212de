"""What the array API standard asks of a module besides functions of arrays."""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional, Sequence, Union

from . import dtypes
from .array import Array
from .dtypes import DType, as_dtype, bool_, common, is_number, with_scalar
from .flat import evaluate

e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None


def eval(*arrays: Array) -> None:  # noqa: A001
    """Computes arrays together."""
    for a in arrays:
        if not isinstance(a, Array):
            raise TypeError(f"eval takes arrays, not {type(a).__name__}")
    evaluate([h for a in arrays for h in a.handles() if h is not None])


def split(a: Array, mask: Any) -> tuple[Array, Array]:
    """What is not chosen and what is, both in order."""
    from .operators import elementwise_call

    return a[elementwise_call("logical_not", mask)], a[mask]


class _Finfo(NamedTuple):
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class _Iinfo(NamedTuple):
    bits: int
    max: int
    min: int
    dtype: DType


def _type_of(x: Any) -> DType:
    return as_dtype(x.dtype if hasattr(x, "dtype") and not isinstance(x, type) else x)


def finfo(type: Any, /) -> _Finfo:  # noqa: A002
    t = _type_of(type)
    if t.kind not in "fc":
        raise TypeError(f"{t} is no float type")
    if t.name in ("float64", "complex128"):
        return _Finfo(64, 2.0**-52, 1.7976931348623157e308, -1.7976931348623157e308, 2.0**-1022, dtypes.float64)
    largest = (2 - 2.0**-23) * 2.0**127
    return _Finfo(32, 2.0**-23, largest, -largest, 2.0**-126, dtypes.float32)


def iinfo(type: Any, /) -> _Iinfo:  # noqa: A002
    t = _type_of(type)
    if not t.is_int:
        raise TypeError(f"{t} is no integer type")
    return _Iinfo(t.bits, t.limits[1], t.limits[0], t)


_KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
          "numeric": "iufc"}


def isdtype(dtype: Any, kind: Any) -> bool:
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    t = as_dtype(dtype)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"there is no kind {kind!r} of types")
        return t.kind in _KINDS[kind]
    return t is as_dtype(kind)


def result_type(*arrays_and_dtypes: Any) -> DType:
    types = [_type_of(x) for x in arrays_and_dtypes if not is_number(x)]
    if not types:
        raise ValueError("result_type needs an array or a type")
    t = types[0]
    for other in types[1:]:
        t = common(t, other)
    for x in arrays_and_dtypes:
        if is_number(x):
            t = with_scalar(t, x)
    return t


def can_cast(from_: Any, to: Any, /) -> bool:
    t = as_dtype(to)
    try:
        return common(_type_of(from_), t) is t
    except TypeError:
        return False


def broadcast_to(x: Array, /, shape: Sequence[int]) -> Array:
    from .align import broadcast_to as spread
    from .shaping import integers

    return spread(x, tuple(integers(shape)))


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    from .align import broadcast_shape

    return broadcast_shape(shapes)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    from .shaping import moveaxis

    return tuple(moveaxis(x, axis, 0))


def diff(x: Array, /, *, axis: int = -1, n: int = 1, prepend: Optional[Array] = None, append: Optional[Array] = None) -> Array:
    from .operators import elementwise_call
    from .shaping import axis_of, concat

    x = concat([p for p in (prepend, x, append) if p is not None], axis=axis) if prepend is not None or append is not None else x
    before = (slice(None),) * axis_of(axis, x.ndim)
    for _ in range(n):
        name = "not_equal" if x.dtype is bool_ else "subtract"
        x = elementwise_call(name, x[before + (slice(1, None),)], x[before + (slice(None, -1),)])
    return x


def _triangle(x: Array, k: int, lower: bool) -> Array:
    from .making import arange
    from .operators import where

    if x.ndim < 2:
        raise ValueError(f"a triangle is one of matrices: of two dimensions or more, not of {x.ndim}")
    rows, columns = x.known_shape[-2:]
    i, j = arange(rows).reshape(rows, 1), arange(columns)  # type: ignore[attr-defined]
    return where(j - i <= k if lower else j - i >= k, x, 0 if x.dtype is not bool_ else False)  # type: ignore[operator]


def tril(x: Array, /, *, k: int = 0) -> Array:
    return _triangle(x, k, True)


def triu(x: Array, /, *, k: int = 0) -> Array:
    return _triangle(x, k, False)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    from .shaping import broadcast_arrays, permute_dims

    n = len(arrays)
    spread = broadcast_arrays(*[a.reshape([-1 if k == i else 1 for k in range(n)]) for i, a in enumerate(arrays)])  # type: ignore[attr-defined]
    if indexing == "xy" and n > 1:
        spread = [permute_dims(a, (1, 0, *range(2, n))) for a in broadcast_arrays(*[
            a.reshape([-1 if k == i else 1 for k in range(n)]) for i, a in enumerate(arrays)])]  # type: ignore[attr-defined]
    return spread


class _Info:
    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        return "cpu"

    def devices(self) -> list[str]:
        return ["cpu"]

    def default_dtypes(self, *, device: Optional[str] = None) -> dict[str, DType]:
        return {"real floating": dtypes.float64, "complex floating": dtypes.complex128, "integral": dtypes.int64, "indexing": dtypes.int64}

    def dtypes(self, *, device: Optional[str] = None, kind: Union[None, str, tuple[str, ...]] = None) -> dict[str, DType]:
        return {t.name: t for t in dtypes.ALL if kind is None or isdtype(t, kind)}


def __array_namespace_info__() -> _Info:
    return _Info()
