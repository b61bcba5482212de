"""The extension linalg of the array API standard. Products and norms are composed of operations; what factors a matrix is NumPy's."""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence, Union

from .array import Array
from .dtypes import real_of
from .operators import astype, elementwise_call
from .shaping import axis_of, expand_dims, matmul, matrix_transpose, moveaxis, reshape, stack, tensordot, vecdot

__all__ = ["cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power", "matrix_rank",
           "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]


class EigResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    U: Array
    S: Array
    Vh: Array


def _matrices(x: Array, square: bool = False) -> Any:
    if x.ndim < 2:
        raise ValueError("a matrix has two dimensions")
    if square and x.known_shape[-1] != x.known_shape[-2]:
        raise ValueError(f"the matrices of shape {x.known_shape[-2:]} are not square")
    if x.dtype.kind not in "fc":
        raise TypeError(f"matrices of type {x.dtype} have no decomposition")
    return x.to_numpy()


def _of_numpy(x: Any) -> Array:
    import numpy as np

    from .making import asarray

    return asarray(np.ascontiguousarray(x).reshape(np.shape(x)))


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    import numpy as np

    lower = np.linalg.cholesky(_matrices(x, True))
    return _of_numpy(lower.swapaxes(-1, -2).conj() if upper else lower)


def det(x: Array, /) -> Array:
    import numpy as np

    return _of_numpy(np.linalg.det(_matrices(x, True)))


def eig(x: Array, /) -> EigResult:
    """Complex, whatever the matrices are."""
    import numpy as np

    values, vectors = np.linalg.eig(_matrices(x, True))
    t = np.complex64 if x.dtype.name in ("float32", "complex64") else np.complex128
    return EigResult(_of_numpy(values.astype(t)), _of_numpy(vectors.astype(t)))


def eigvals(x: Array, /) -> Array:
    return eig(x).eigenvalues


def eigh(x: Array, /) -> EighResult:
    import numpy as np

    values, vectors = np.linalg.eigh(_matrices(x, True))
    return EighResult(_of_numpy(values), _of_numpy(vectors))


def eigvalsh(x: Array, /) -> Array:
    import numpy as np

    return _of_numpy(np.linalg.eigvalsh(_matrices(x, True)))


def inv(x: Array, /) -> Array:
    import numpy as np

    return _of_numpy(np.linalg.inv(_matrices(x, True)))


def matrix_rank(x: Array, /, *, rtol: Union[None, float, Array] = None) -> Array:
    values = svdvals(x)
    import numpy as np

    s = values.to_numpy()
    bound = max(x.known_shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else np.asarray(rtol)[..., None]
    largest = s.max(axis=-1, keepdims=True, initial=0)
    return _of_numpy(np.count_nonzero(s > largest * bound, axis=-1))


def pinv(x: Array, /, *, rtol: Union[None, float, Array] = None) -> Array:
    import numpy as np

    m = _matrices(x)
    bound = max(m.shape[-2:]) * np.finfo(m.dtype).eps if rtol is None else np.asarray(rtol)
    return _of_numpy(np.linalg.pinv(m, rcond=bound))


def qr(x: Array, /, *, mode: str = "reduced") -> QRResult:
    import numpy as np

    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode={mode!r}: it is reduced or complete")
    q, r = np.linalg.qr(_matrices(x), "reduced" if mode == "reduced" else "complete")
    return QRResult(_of_numpy(q), _of_numpy(r))


def slogdet(x: Array, /) -> SlogdetResult:
    import numpy as np

    sign, logarithm = np.linalg.slogdet(_matrices(x, True))
    return SlogdetResult(_of_numpy(sign), _of_numpy(logarithm))


def solve(x1: Array, x2: Array, /) -> Array:
    """x with x1 @ x = x2; x2 is a vector only if it has one dimension."""
    import numpy as np

    a, b = _matrices(x1, True), x2.to_numpy()
    return _of_numpy(np.linalg.solve(a, b[:, None])[..., 0] if b.ndim == 1 else np.linalg.solve(a, b))


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    import numpy as np

    return SVDResult(*map(_of_numpy, np.linalg.svd(_matrices(x), full_matrices)))


def svdvals(x: Array, /) -> Array:
    import numpy as np

    return _of_numpy(np.linalg.svd(_matrices(x), compute_uv=False))


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    from .shaping import broadcast_arrays

    if x1.known_shape[axis_of(axis, x1.ndim)] != 3 or x2.known_shape[axis_of(axis, x2.ndim)] != 3:
        raise ValueError("the cross product is of vectors of three numbers")
    a, b = (moveaxis(x, axis, -1) for x in broadcast_arrays(x1, x2))
    u, v = ([x[..., k] for k in range(3)] for x in (a, b))
    return stack([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]], axis=axis)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """That of each matrix, as a view."""
    from .making import arange

    rows, columns = x.known_shape[-2:]
    n = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    i = arange(n)
    got: Array = x[..., i + max(-offset, 0), i + max(offset, 0)]
    return got


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    from .reductions import sum as total

    return total(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def outer(x1: Array, x2: Array, /) -> Array:
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError("the outer product is of vectors")
    return elementwise_call("multiply", reshape(x1, (-1, 1)), x2)


def matrix_power(x: Array, n: int, /) -> Array:
    from .making import eye

    if x.ndim < 2 or x.known_shape[-1] != x.known_shape[-2]:
        raise ValueError(f"powers are of square matrices, not of shape {x.shape}")
    if n < 0:
        x, n = inv(x), -n
    result = None
    while n:
        if n & 1:
            result = x if result is None else matmul(result, x)
        n >>= 1
        x = matmul(x, x) if n else x
    if result is not None:
        return result
    from .align import broadcast_to

    return broadcast_to(eye(x.known_shape[-1], dtype=x.dtype), x.known_shape)


def vector_norm(x: Array, /, *, axis: Union[None, int, Sequence[int]] = None, keepdims: bool = False, ord: float = 2) -> Array:  # noqa: A002
    from . import reductions

    t = real_of(x.dtype) if x.dtype.kind != "c" else x.dtype
    size = elementwise_call("abs", astype(x, t, copy=False))
    if ord in (math.inf, -math.inf):
        return (reductions.max if ord > 0 else reductions.min)(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return astype(reductions.count_nonzero(size, axis=axis, keepdims=keepdims), size.dtype)
    if ord == 1:
        return reductions.sum(size, axis=axis, keepdims=keepdims)
    powers = size * size if ord == 2 else size**ord  # type: ignore[operator]
    total = reductions.sum(powers, axis=axis, keepdims=keepdims)
    return elementwise_call("sqrt", total) if ord == 2 else elementwise_call("pow", total, 1 / ord)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Union[None, float, str] = "fro") -> Array:  # noqa: A002
    from . import reductions

    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        across, along = (-2, -1) if ord in (1, -1) else (-1, -2)
        sums = reductions.sum(elementwise_call("abs", x), axis=across, keepdims=True)
        found = (reductions.max if ord > 0 else reductions.min)(sums, axis=along, keepdims=True)  # type: ignore[operator]
    else:
        values = svdvals(x)
        made = reductions.sum(values, axis=-1) if ord == "nuc" else (reductions.max if ord == 2 else reductions.min)(values, axis=-1)
        found = expand_dims(expand_dims(made, axis=-1), axis=-1)
    return found if keepdims else reshape(found, found.known_shape[:-2])
