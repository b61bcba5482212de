"""The methods of arrays that are functions of the module, too."""
from __future__ import annotations

from typing import Any

from . import interop, lists, mapping, operators, reductions, shaping
from .array import Array


def _reshape(self: Array, *shape: Any, copy: Any = None) -> Array:
    return shaping.reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self: Array) -> Array:
    return shaping.permute_dims(self, tuple(reversed(range(self.ndim))))


def _namespace(self: Array, /, *, api_version: Any = None) -> Any:
    import neslvm

    return neslvm


def _matmul(self: Array, other: Any) -> Any:
    return shaping.matmul(self, other)


def install() -> None:
    for name in ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "count_nonzero"):
        function = getattr(reductions, name)
        setattr(Array, name, lambda self, function=function, **more: function(self, **more))
    also: dict[str, Any] = {
        "astype": operators.astype, "reshape": _reshape, "stencil": mapping.stencil, "to_regular": lists.to_regular,
        "map": lambda self, f, *others, with_index=False: mapping.map(f, self, *others, with_index=with_index),
        "to_arrow": interop.to_arrow, "to_awkward": interop.to_awkward, "__dlpack__": interop.dlpack, "__arrow_array__": interop.arrow_array,
        "__dlpack_device__": lambda self: (1, 0), "__array_ufunc__": interop.array_ufunc, "__array_function__": interop.array_function,
        "__reduce_ex__": interop.reduce_ex, "__array_namespace__": _namespace, "__matmul__": _matmul,
        "__rmatmul__": lambda self, other: shaping.matmul(other, self)}
    for name, method in also.items():
        setattr(Array, name, method)
    parts: dict[str, Any] = {
        "T": _transpose, "mT": shaping.matrix_transpose, "lengths": lists.lengths, "offsets": lists.offsets, "data": lists.data}
    for name, method in parts.items():
        setattr(Array, name, property(method))
    from .records import Records

    Records.__reduce_ex__ = lambda self, protocol: self.__reduce__()  # type: ignore[method-assign, misc, assignment]
