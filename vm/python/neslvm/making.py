"""Arrays from Python objects, from memory of others, and from nothing."""
from __future__ import annotations

import math
import sys
from typing import Any, Optional, Sequence, Union

from . import _nvm, elementwise
from .array import Array, Dim, Lists
from .dtypes import DType, as_dtype, float64, int64
from .flat import ONE, Size, iota, of_host
from .records import Records
from .shaping import one_or_more

Shape = Union[int, Sequence[int]]


def _ragged_depth(x: Any) -> int:
    """How many dimensions nested lists have, if they are not all of one length; 0 if they are regular."""
    import numpy as np

    try:
        np.array(x)
    except ValueError:
        depth, level = 0, [x]
        while level and any(isinstance(e, (list, tuple, np.ndarray)) for e in level):
            depth += 1
            if not all(isinstance(e, (list, tuple, np.ndarray)) for e in level):
                raise TypeError("lists and numbers stand side by side") from None
            level = [e for part in level for e in part]
        return depth
    return 0


def _jagged_of(x: Any, depth: int, dtype: Optional[DType]) -> Array:
    import numpy as np

    level, outer = list(x), Size(len(x))
    dims: list[Dim] = [len(level)]
    for _ in range(depth - 1):
        lengths = np.array([len(e) for e in level], dtype=np.int64)
        level = [e for part in level for e in part]
        inner = Size(len(level))
        dims.append(Lists(_nvm.descriptor(lengths), outer, inner))
        outer = inner
    values = _elements(np.array(level, dtype=dtype.name if dtype else None)) if level else np.zeros(0, dtype.name if dtype else "float64" if not _has_ints(x) else "int64")
    flat = of_host(values)
    flat.size = outer if values.size != 1 else ONE
    return Array(flat, dims)


def _has_ints(x: Any) -> bool:
    return False


def _elements(values: Any) -> Any:
    """A NumPy array, refused if it has other elements than nvm."""
    if values.dtype.kind in "biufc":
        return values
    for place, x in enumerate(values.reshape(-1).tolist() if values.dtype.kind == "O" else []):
        if isinstance(x, int) and not -(2**63) <= x < 2**64:
            raise OverflowError(f"{x} does not fit into an integer of nvm, which has 64 bits")
        if not isinstance(x, (bool, int, float, complex)):
            raise TypeError(f"nvm has no elements of type {type(x).__name__}, which element {place} is")
    raise TypeError(f"nvm has no elements of type {values.dtype}")


def _of_others(obj: Any, copy: bool) -> Optional[Array]:
    """An array of Arrow or Awkward, which NumPy has only if it is regular; there is none where its package is not loaded."""
    from .interop import from_arrow, from_awkward

    pa, ak = sys.modules.get("pyarrow"), sys.modules.get("awkward")
    if isinstance(obj, (getattr(pa, "Array", ()), getattr(pa, "ChunkedArray", ()))):
        return from_arrow(obj)
    if ak is not None and isinstance(obj, getattr(ak, "Array", ())):
        return from_awkward(ak.copy(obj) if copy else obj)
    return None


def from_numpy(values: Any, copy: bool) -> Array:
    """A NumPy array, borrowed unless it is to be copied or does not lie in row order."""
    import numpy as np

    t = as_dtype(_elements(values).dtype)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    rows = np.array(values, order="C") if copy else np.ascontiguousarray(values).reshape(values.shape)
    flat = of_host(rows.reshape(-1), t)
    kept = rows.view()
    kept.flags.writeable = False
    return Array(flat, rows.shape, host=kept)


def array(obj: Any, dtype: Any = None, *, copy: bool = True) -> Array:
    """A copy: nested lists of equal lengths give a regular array, of different lengths a jagged one."""
    import numpy as np

    t = as_dtype(dtype) if dtype is not None else None
    if isinstance(obj, Array):
        return Array(obj.flat, obj.dims) if t is None else obj.astype(t)  # type: ignore[attr-defined]
    if isinstance(obj, (list, tuple)):
        obj = _without_arrays(obj)
        depth = _ragged_depth(obj)
        if depth:
            return _jagged_of(obj, depth, t)
    elif (other := _of_others(obj, True)) is not None:
        return array(other, dtype)
    # NumPy's rules say which of Python's numbers a type takes; arrays are converted as by astype.
    given = isinstance(obj, (list, tuple, bool, int, float, complex)) and not isinstance(obj, np.generic)
    if t is not None and type(obj) is int and t.is_int and not t.limits[0] <= obj <= t.limits[1]:
        raise OverflowError(f"{obj} does not fit into {t}")
    values = np.asarray(obj, dtype=t.name if given and t is not None else None)
    if values.size == 0 and isinstance(obj, (list, tuple)) and values.dtype == np.float64:
        values = values.astype(np.float64)
    if t is not None and values.dtype != np.dtype(t.name):
        values = values.astype(t.name)
    return from_numpy(values, copy=True)


def _without_arrays(x: Any) -> Any:
    if isinstance(x, Array):
        return x.tolist()
    return [_without_arrays(e) for e in x] if isinstance(x, (list, tuple)) else x


def asarray(obj: Any, dtype: Any = None, *, device: Optional[str] = None, copy: Optional[bool] = None) -> Array:
    """The same memory where it can be had; `copy=False` raises ValueError where it cannot."""
    import numpy as np

    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}, only 'cpu'")
    t = as_dtype(dtype) if dtype is not None else None
    if isinstance(obj, Array):
        if t is None or obj.dtype is t:
            return Array(obj.flat, obj.dims, host=obj._host) if copy else obj
        if copy is False:
            raise ValueError(f"an array of {obj.dtype} is not one of {t} without a copy")
        return obj.astype(t)  # type: ignore[attr-defined, no-any-return]
    if copy:
        return array(obj, dtype)
    if not isinstance(obj, np.ndarray) and not isinstance(obj, (list, tuple, bool, int, float, complex)) and hasattr(obj, "__array__"):
        other = _of_others(obj, False) if copy is None else None
        if other is not None:
            return asarray(other, dtype)
        obj = np.asarray(obj)
    if isinstance(obj, np.ndarray):
        good = (t is None or obj.dtype == np.dtype(t.name)) and obj.flags.c_contiguous
        if not good and copy is False:
            raise ValueError("this array cannot be borrowed: its elements lie in another order, or are of another type")
        made = from_numpy(obj if t is None else obj.astype(t.name, copy=False), copy=False)
        if good:
            from .borrowed import watch

            watch(made, obj)
        return made
    if copy is False:
        raise ValueError(f"a {type(obj).__name__} has no memory to be borrowed")
    return array(obj, dtype)


def jagged(lists: Any, dtype: Any = None) -> Array:
    """Jagged even if all lists have the same length."""
    t = as_dtype(dtype) if dtype is not None else None
    if isinstance(lists, Array):
        lists = lists.tolist()
    depth = _ragged_depth(lists)
    if not depth:
        import numpy as np

        depth = np.array(lists).ndim
    return _jagged_of(lists, max(depth, 2), t)


def _parts_of(data: Any) -> tuple[Array, int]:
    a = asarray(data)
    return a, len(a)


def _nested(data: Array, lengths: Any) -> Array:
    import numpy as np

    lengths = np.ascontiguousarray(lengths, dtype=np.int64)
    return _in_lists(data, len(lengths), Lists(_nvm.descriptor(lengths), Size(len(lengths)), Size(len(data))))


def _in_lists(data: Array, n: int, dim: Lists) -> Array:
    if isinstance(data, Records):
        return Records([_in_lists(p, n, dim) for p in data.parts], data.names)
    rest: list[Dim] = list(data.dims[1:])
    return Array(data.flat, [n, dim, *rest], host=None if rest else data._host)


def from_offsets(data: Any, offsets: Any) -> Array:
    """Lists of consecutive elements of `data`, which is not copied: list k begins at offsets[k], the last offset is the end."""
    import numpy as np

    a, n = _parts_of(data)
    o = np.asarray(offsets)
    if o.ndim != 1 or o.size == 0 or o.dtype.kind not in "iu":
        raise ValueError("offsets are integers in one dimension, at least one")
    o = o.astype(np.int64)
    if o[0] != 0 or o[-1] > n or (np.diff(o) < 0).any():
        raise ValueError(f"offsets rise from 0 to the number of elements, {n}")
    if o[-1] < n:
        a = a[: int(o[-1])]
    return _nested(a, np.diff(o))


def from_lengths(data: Any, lengths: Any) -> Array:
    """Lists of these lengths of consecutive elements of `data`."""
    import numpy as np

    a, n = _parts_of(data)
    k = np.asarray(lengths)
    if k.ndim != 1 or k.dtype.kind not in "iu" and k.size:
        raise ValueError("lengths are integers in one dimension")
    if (k < 0).any() or k.sum() != n:
        raise ValueError(f"lengths are not negative and add up to the number of elements, {n}")
    return _nested(a, k)


# From nothing.


def _dims(shape: Any) -> tuple[int, ...]:
    dims = tuple(one_or_more(shape))
    dims = tuple(int(n) if isinstance(n, Array) else n for n in dims)
    if any(isinstance(n, bool) or not hasattr(n, "__index__") for n in dims):
        raise TypeError(f"{shape!r} is no shape")
    dims = tuple(n.__index__() for n in dims)
    if any(n < 0 for n in dims):
        raise ValueError(f"a shape {shape!r} with negative lengths")
    if math.prod(dims) >= 2**60:
        raise ValueError(f"an array of shape {dims} is too large: no memory has room for {math.prod(dims)} elements")
    return dims


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Optional[str] = None) -> Array:
    dims = _dims(shape)
    if isinstance(fill_value, Array):
        fill_value = fill_value.item()
    t = as_dtype(dtype) if dtype is not None else as_dtype(type(fill_value))
    n = math.prod(dims)
    if t.kind == "c":
        import numpy as np

        return from_numpy(np.full(dims, fill_value, dtype=t.name), copy=False)
    size = ONE if n == 1 else Size(n)
    return Array(elementwise.at(t_scalar(t, fill_value), t, size), dims)


def t_scalar(t: DType, x: Any) -> Any:
    return {"b": bool, "i": int, "u": int, "f": float}[t.kind](x)


def zeros(shape: Any, *, dtype: Any = None, device: Optional[str] = None) -> Array:
    return full(shape, 0, dtype=float64 if dtype is None else dtype)


def ones(shape: Any, *, dtype: Any = None, device: Optional[str] = None) -> Array:
    return full(shape, 1, dtype=float64 if dtype is None else dtype)


empty = zeros


def full_like(x: Array, /, fill_value: Any, *, dtype: Any = None, device: Optional[str] = None) -> Array:
    t = as_dtype(dtype) if dtype is not None else x.dtype
    if x.is_jagged:
        size = x.flat.size
        return Array(elementwise.at(t_scalar(t, fill_value), t, size), x.dims)
    return full(x.known_shape, fill_value, dtype=t)


def zeros_like(x: Array, /, *, dtype: Any = None, device: Optional[str] = None) -> Array:
    return full_like(x, 0, dtype=dtype)


def ones_like(x: Array, /, *, dtype: Any = None, device: Optional[str] = None) -> Array:
    return full_like(x, 1, dtype=dtype)


empty_like = zeros_like


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Optional[str] = None) -> Array:
    if stop is None:
        start, stop = 0, start
    start, stop, step = (x.item() if hasattr(x, "item") else x for x in (start, stop, step))
    whole = all(isinstance(x, int) for x in (start, stop, step))
    t = as_dtype(dtype) if dtype is not None else int64 if whole else float64
    n = max(-((start - stop) // step) if whole else math.ceil((stop - start) / step), 0)
    size = ONE if n == 1 else Size(n)
    if whole:
        made = iota(size, start, step)
    else:
        steps = elementwise.apply("multiply", [iota(size), float(step)], size)
        made = elementwise.apply("add", [steps, float(start)], size)
    return Array(elementwise.at(made, t, size), (n,))


def linspace(start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Optional[str] = None, endpoint: bool = True) -> Array:
    import numpy as np

    values = np.linspace(start, stop, num, endpoint=endpoint, dtype=as_dtype(dtype).name if dtype is not None else None)
    return from_numpy(values, copy=False)


def eye(n_rows: int, n_cols: Optional[int] = None, /, *, k: int = 0, dtype: Any = None, device: Optional[str] = None) -> Array:
    columns = n_rows if n_cols is None else n_cols
    i = arange(n_rows).reshape(n_rows, 1)  # type: ignore[attr-defined]
    made: Array = (arange(columns) - i == k).astype(float64 if dtype is None else dtype)
    return made


