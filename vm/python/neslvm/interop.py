"""Arrays of others: DLPack, Arrow, Awkward, pickles, and NumPy's functions."""
from __future__ import annotations

from typing import Any, Optional

from .array import Array, Lists
from .dtypes import DType, as_dtype
from .elementwise import element
from .making import asarray, from_lengths, from_numpy, from_offsets
from .records import Records, of_one_component, zip as zip_arrays


def from_dlpack(x: Any, /, *, device: Optional[str] = None, copy: Optional[bool] = None) -> Array:
    if isinstance(x, Array):
        return asarray(x)
    import numpy as np

    values = np.from_dlpack(x)
    return from_numpy(values, copy=True) if copy else asarray(values)


def dlpack(self: Array, /, *, stream: Any = None, max_version: Optional[tuple[int, int]] = None, dl_device: Any = None,
           copy: Optional[bool] = None) -> Any:
    if stream is not None:
        raise ValueError("there is no stream on a CPU")
    if dl_device is not None and tuple(map(int, dl_device)) != (1, 0):
        raise BufferError("the elements are on the CPU")
    if copy:
        return self.to_numpy().copy().__dlpack__()
    values = self.to_numpy()
    if not values.flags.writeable:
        import ctypes

        import numpy as np

        # NumPy lends only what can be written; who takes it must not.
        view = np.frombuffer((ctypes.c_char * values.nbytes).from_address(values.ctypes.data), dtype=values.dtype)
        kept = _Keeping(view, values)
        return kept.reshape(values.shape).__dlpack__()
    return values.__dlpack__()


def _Keeping(view: Any, owner: Any) -> Any:
    import numpy as np

    class Keeping(np.ndarray):  # type: ignore[misc, type-arg]
        pass

    kept = view.view(Keeping)
    kept.owner = owner
    return kept


def _masked(a: Any, null: Any) -> Any:
    if a.null_count and null is None:
        raise ValueError(f"{a.null_count} nulls; from_arrow(x, null=...) says what stands for them")
    if not a.null_count:
        return a
    return a.fill_null(element(as_dtype(a.type.to_pandas_dtype()), null))


def from_arrow(x: Any, null: Any = None) -> Array:
    """Anything of Arrow's, without a copy where there are no nulls."""
    import numpy as np
    import pyarrow as pa

    if not isinstance(x, pa.Array):
        x = pa.array(x) if hasattr(x, "__arrow_c_array__") else pa.chunked_array(x).combine_chunks()
    kind = x.type
    if pa.types.is_struct(kind):
        if x.null_count and null is None:
            raise ValueError(f"{x.null_count} nulls in a struct")
        parts = [from_arrow(p, null) for p in x.flatten()]
        zip_arrays(*parts)  # they have one shape
        return Records(parts, [kind.field(k).name for k in range(kind.num_fields)])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        if x.null_count:
            raise ValueError("lists that are null")
        o = np.asarray(x.offsets)
        values = x.values.slice(int(o[0]), int(o[-1] - o[0]))
        return from_offsets(from_arrow(values, null), o.astype(np.int64) - int(o[0]))
    if pa.types.is_fixed_size_list(kind):
        inner = from_arrow(x.flatten(), null)
        made: Array = inner.reshape(len(x), kind.list_size)  # type: ignore[attr-defined]
        return made
    x = _masked(x, null)
    try:
        return asarray(x.to_numpy(zero_copy_only=not pa.types.is_boolean(kind)))
    except pa.ArrowInvalid:
        raise TypeError(f"nvm has no elements of Arrow's type {kind}") from None


def to_arrow(a: Array) -> Any:
    import numpy as np
    import pyarrow as pa

    if isinstance(a, Records):
        return pa.StructArray.from_arrays([to_arrow(p) for p in a.parts], a.fields)
    made = pa.array(a.flat.numpy())
    for n in reversed(a.lengths_inside()):
        made = pa.LargeListArray.from_arrays(pa.array(np.concatenate([[0], np.cumsum(n)]).astype(np.int64)), made)
    return made


def arrow_array(self: Array, type: Any = None) -> Any:  # noqa: A002: the protocol's name
    made = to_arrow(self)
    return made.cast(type) if type is not None else made


def from_awkward(x: Any, null: Any = None) -> Array:
    """An array of Awkward's, without a copy where its elements lie in order; `null` stands for missing numbers."""
    import awkward as ak
    import numpy as np

    return _of_layout(ak.to_layout(x), null, False, ak, np)


def _of_layout(layout: Any, null: Any, in_lists: bool, ak: Any, np: Any) -> Array:
    contents = ak.contents
    if layout.parameter("__array__") in ("string", "bytestring", "char", "byte"):
        raise ValueError("strings are no numbers; ak.without_parameters(x) has their bytes")
    if isinstance(layout, contents.EmptyArray):
        return asarray(np.zeros(0))
    if isinstance(layout, contents.NumpyArray):
        if in_lists and layout.data.ndim > 1:
            return _of_layout(layout.to_RegularArray(), null, in_lists, ak, np)
        return asarray(layout.data)
    if isinstance(layout, contents.RecordArray):
        parts = [_of_layout(c[: layout.length], null, in_lists, ak, np) for c in layout.contents]
        together = zip_arrays(*parts)  # they have one shape
        return Records(parts, layout.fields) if not layout.is_tuple else together
    if isinstance(layout, contents.RegularArray):
        inner = _of_layout(layout.content[: layout.length * layout.size], null, in_lists, ak, np)
        if not (in_lists or inner.is_jagged or isinstance(inner, Records)):
            return inner.reshape(layout.length, layout.size, *inner.known_shape[1:])  # type: ignore[attr-defined, no-any-return]
        return from_lengths(inner, np.full(layout.length, layout.size))
    if layout.is_list:
        layout = layout.to_ListOffsetArray64(True)
        offsets = np.asarray(layout.offsets)
        return from_offsets(_of_layout(layout.content[: int(offsets[-1])], null, True, ak, np), offsets)
    if layout.is_option:
        return _of_layout(_without_missing(layout, null, ak, np), null, in_lists, ak, np)
    if layout.is_indexed:
        return _of_layout(layout.project(), null, in_lists, ak, np)
    raise ValueError(f"nvm has nothing for Awkward's {type(layout).__name__}")


def _without_missing(layout: Any, null: Any, ak: Any, np: Any) -> Any:
    missing = int(np.count_nonzero(np.asarray(layout.mask_as_bool(valid_when=False))))
    if not missing:
        return layout.project()
    if not layout.content.is_numpy and not layout.content.is_unknown:
        raise ValueError(f"{missing} lists or records are missing")
    if null is None:
        raise ValueError(f"{missing} missing values; from_awkward(x, null=...) says what stands for them")
    return ak.to_layout(ak.fill_none(ak.Array(layout), null, axis=0))


def to_awkward(a: Array) -> Any:
    import awkward as ak
    import numpy as np

    if not a.is_jagged and not isinstance(a, Records):
        return ak.from_numpy(np.asarray(a))
    one = of_one_component(a)
    lengths = one.lengths_inside()
    layout = _elements(a, int(lengths[-1].sum()) if lengths else len(one), ak)
    for dim, n in zip(reversed(one.shape[1:]), reversed(lengths)):
        if dim is not None:
            layout = ak.contents.RegularArray(layout, dim, zeros_length=len(n))
        else:
            layout = ak.contents.ListOffsetArray(ak.index.Index64(np.concatenate([[0], np.cumsum(n)]).astype(np.int64)), layout)
    return ak.Array(layout)


def _elements(a: Array, count: int, ak: Any) -> Any:
    if isinstance(a, Records):
        return ak.contents.RecordArray([_elements(p, count, ak) for p in a.parts], a.names, length=count)
    return ak.contents.NumpyArray(a.flat.numpy())


def _unpickled(shape: Any, lengths: Any, values: Any) -> Array:
    a = asarray(values)
    for n in reversed(lengths):
        a = from_lengths(a, n)
    return a.reshape(shape) if not lengths else a  # type: ignore[attr-defined, no-any-return]


def reduce_ex(self: Array, protocol: Any) -> Any:
    import numpy as np

    lengths = [d.lengths.numpy() for d in self.dims if isinstance(d, Lists)]
    shape = None if lengths else self.known_shape
    values = np.array(self.flat.numpy()) if protocol < 5 else self.flat.numpy()
    return _unpickled, (shape, lengths, values)


# NumPy's functions stay here where nvm has them.

_UFUNCS = {
    "true_divide": "divide", "power": "pow", "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "absolute": "abs",
    "invert": "bitwise_invert", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "rint": "round", "conjugate": "conj", "fmin": "", "fmax": ""}
_FUNCTIONS = {"concatenate": "concat", "amax": "max", "amin": "min", "cumsum": "cumulative_sum", "cumprod": "cumulative_prod", "transpose": "",
              "round": "", "unique": ""}


def _fallback(name: str, f: Any, args: Any, kwargs: Any) -> Any:
    import warnings

    import numpy as np

    from .errors import FallbackWarning

    out = kwargs.get("out")
    if any(isinstance(o, Array) for o in (out if isinstance(out, tuple) else (out,))):
        raise TypeError(f"{name} does not write into arrays of nvm, which do not change; its result is another one")
    name += " with out=" if out is not None else ""
    warnings.warn(f"{name} is computed by NumPy: nvm has no such function", FallbackWarning, stacklevel=3)

    def plain(x: Any) -> Any:
        if isinstance(x, Array):
            return x.to_numpy()
        return type(x)(map(plain, x)) if isinstance(x, (list, tuple)) else x

    result = f(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()})
    if out is not None:
        return result  # the caller's own
    if isinstance(result, tuple):
        return tuple(asarray(r) for r in result)
    return asarray(result) if isinstance(result, (np.ndarray, np.generic)) else result


def array_ufunc(self: Array, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    from . import elementwise
    from .operators import elementwise_call

    name = _UFUNCS.get(ufunc.__name__, ufunc.__name__)
    if method == "__call__" and not kwargs and (name in elementwise.UNARY or name in elementwise.BINARY):
        return elementwise_call(name, *inputs)
    if method == "at" and isinstance(inputs[0], Array):  # which NumPy writes into without asking whether it may
        raise TypeError(f"numpy.{ufunc.__name__}.at does not write into arrays of nvm, which do not change; nvm.scatter(a, i, v, combine=) "
                        "gives another one")
    return _fallback(f"numpy.{ufunc.__name__}", getattr(ufunc, method), inputs, kwargs)


def array_function(self: Array, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    import neslvm

    name = _FUNCTIONS.get(func.__name__, func.__name__)
    own = getattr(neslvm, name, None) if name else None
    if own is not None and callable(own) and not isinstance(own, (type, DType)):
        try:
            return own(*args, **kwargs)
        except TypeError:
            pass
    return _fallback(f"{func.__module__}.{func.__name__}", func, args, kwargs)


