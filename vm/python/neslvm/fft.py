"""The extension fft of the array API standard; NumPy computes it."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from .array import Array
from .dtypes import DType, as_dtype

__all__ = ["fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft", "rfftfreq", "rfftn"]


def _made(values: Any) -> Array:
    from .making import asarray

    return asarray(values)


def _by_numpy(name: str, x: Array, *more: Any, norm: str) -> Array:
    import numpy as np

    if x.dtype.kind not in "fc":
        raise TypeError(f"{name} is not defined for {x.dtype}")
    values = getattr(np.fft, name)(x.to_numpy(), *more, norm=norm)
    if x.dtype.name in ("float32", "complex64"):  # older ones of NumPy compute in double
        values = values.astype(np.complex64 if values.dtype.kind == "c" else np.float32)
    return _made(values)


def _of_one(name: str) -> Callable[..., Array]:
    def apply(x: Array, /, *, n: Optional[int] = None, axis: int = -1, norm: str = "backward") -> Array:
        return _by_numpy(name, x, n, axis, norm=norm)

    apply.__name__ = apply.__qualname__ = name
    return apply


def _of_several(name: str) -> Callable[..., Array]:
    def apply(x: Array, /, *, s: Optional[Sequence[int]] = None, axes: Optional[Sequence[int]] = None, norm: str = "backward") -> Array:
        if s is not None and axes is None:
            axes = range(x.ndim - len(s), x.ndim)
        return _by_numpy(name, x, s, axes, norm=norm)

    apply.__name__ = apply.__qualname__ = name
    return apply


fft, ifft, rfft, irfft, hfft, ihfft = map(_of_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_of_several, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Optional[DType] = None, device: Optional[str] = None) -> Array:
    return _frequencies("fftfreq", n, d, dtype)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Optional[DType] = None, device: Optional[str] = None) -> Array:
    return _frequencies("rfftfreq", n, d, dtype)


def _frequencies(name: str, n: int, d: float, dtype: Any) -> Array:
    import numpy as np

    values = getattr(np.fft, name)(n, d)
    return _made(values if dtype is None else values.astype(as_dtype(dtype).name))


def fftshift(x: Array, /, *, axes: Any = None) -> Array:
    return _shifted(x, axes, 1)


def ifftshift(x: Array, /, *, axes: Any = None) -> Array:
    return _shifted(x, axes, -1)


def _shifted(x: Array, axes: Any, way: int) -> Array:
    from .shaping import axes_of, roll

    for k in axes_of(axes, x.ndim):
        n = x.known_shape[k]
        x = roll(x, n // 2 if way > 0 else -(n // 2), axis=k)
    return x
