"""Statistics along an axis: of regular arrays, of jagged ones list by list, by position across lists, or of everything."""
from __future__ import annotations

from typing import Any, Callable, Optional

from .array import Array
from .making import asarray, ones_like
from .operators import elementwise_call, where
from .records import zip as records
from .reductions import Axis, max as _max, mean, min as _min, sum as _sum


def _op(name: str) -> Callable[..., Array]:
    return lambda *values: elementwise_call(name, *values)


_minus, _times, _over, _power, _root, _exp = map(_op, ("subtract", "multiply", "divide", "pow", "sqrt", "exp"))


def _spread(reduce: Callable[..., Array], x: Array, axis: Axis) -> Array:
    """What a reduction gives, so that it meets the elements that it was made of."""
    return reduce(x, axis=axis, keepdims=not x.is_jagged)


def count(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """How many elements there are."""
    from .dtypes import int64

    return _sum(ones_like(asarray(x), dtype=int64), axis=axis, keepdims=keepdims)


def ptp(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """The largest less the smallest element."""
    a = asarray(x)
    high, low = _max(a, axis=axis, keepdims=keepdims), _min(a, axis=axis, keepdims=keepdims)
    spread = _minus(high, low)
    return where(elementwise_call("less", high, low), 0, spread) if a.is_jagged else spread  # less only of no elements


def softmax(x: Any, /, *, axis: int = -1) -> Array:
    """exp(x) over its sum, computed without overflow."""
    a = _real(x)  # differences of small integers wrap
    powers = _exp(_minus(a, _spread(_max, a, axis)))
    return _over(powers, _spread(_sum, powers, axis))


def moment(x: Any, n: int, /, *, weight: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """The mean of x to the power of n."""
    return _weighted(_power(_real(x), n), weight, axis, keepdims)


def covar(x: Any, y: Any, /, *, weight: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """The covariance: the mean of the products of what x and y are away from their means."""
    a, b = _centred(x, weight, axis), _centred(y, weight, axis)
    return _weighted(_times(a, b), weight, axis, keepdims)


def corr(x: Any, y: Any, /, *, weight: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """The correlation coefficient of Pearson."""
    a, b = _centred(x, weight, axis), _centred(y, weight, axis)
    xy, xx, yy = (_weighted(_times(p, q), weight, axis, keepdims) for p, q in ((a, b), (a, a), (b, b)))
    return _over(xy, _root(_times(xx, yy)))


def linear_fit(x: Any, y: Any, /, *, weight: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """The straight line of least squares: records of intercept, slope, intercept_error and slope_error."""
    a, b = _real(x), _real(y)
    w = ones_like(a) if weight is None else asarray(weight)
    n, sx, sy, sxx, sxy = (_sum(_times(w, v), axis=axis, keepdims=keepdims)
                           for v in (ones_like(a), a, b, _times(a, a), _times(a, b)))
    delta = _minus(_times(n, sxx), _times(sx, sx))
    return records(intercept=_over(_minus(_times(sxx, sy), _times(sx, sxy)), delta),
                   slope=_over(_minus(_times(n, sxy), _times(sx, sy)), delta),
                   intercept_error=_root(_over(sxx, delta)), slope_error=_root(_over(n, delta)))


def _real(x: Any) -> Array:
    from .dtypes import real_of
    from .operators import astype

    a = asarray(x)
    return a if a.dtype.kind == "c" else astype(a, real_of(a.dtype))


def _centred(x: Any, weight: Any, axis: Axis) -> Array:
    a = _real(x)
    return _minus(a, _weighted(a, weight, axis, not a.is_jagged))


def _weighted(x: Array, weight: Optional[Any], axis: Axis, keepdims: bool) -> Array:
    if weight is None:
        return mean(x, axis=axis, keepdims=keepdims)
    w = asarray(weight)
    return _over(_sum(_times(x, w), axis=axis, keepdims=keepdims), _sum(_times(ones_like(x), w), axis=axis, keepdims=keepdims))
