"""Arrays composed lazily, jagged data, functions and NESL, executed by the nvm virtual machine."""
from __future__ import annotations

import os as _os
from typing import Any as _Any

from . import _nvm, config as _config, elementwise as _elementwise, fft, interop as _interop, linalg, operators as _operators
from .array import Array
from .config import options, stats
from .dtypes import (bool_ as bool, complex64, complex128, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32,  # noqa: A004
                     uint64)
from .errors import BorrowError, CompileError, FallbackWarning, Origin
from .explaining import explain
from .indexing import nonzero, scatter, take, take_along_axis
from .interop import from_arrow, from_awkward, from_dlpack
from .lists import flatten, local_index, pad, run_lengths, to_regular
from .making import (arange, array, asarray, empty, empty_like, eye, from_lengths, from_offsets, full, full_like, jagged, linspace, ones,
                     ones_like, zeros, zeros_like)
from .mapping import each, map, neighbourhood, new, stencil  # noqa: A004
from .namespace import (__array_namespace_info__, broadcast_shapes, broadcast_to, can_cast, diff, e, eval, finfo, iinfo, inf, isdtype, meshgrid, nan, newaxis,  # noqa: A004
                        pi, result_type, split, tril, triu, unstack)
from .nesl import nesl
from .products import argcartesian, argcombinations, cartesian, combinations
from .operators import astype, clip, where
from .order import argsort, isin, searchsorted, sort, unique_all, unique_counts, unique_inverse, unique_values
from .records import zip  # noqa: A004
from .reductions import all, any, argmax, argmin, count_nonzero, max, mean, min, prod, std, sum, var  # noqa: A004
from .scans import cumulative_prod, cumulative_sum, reduce, scan
from .shaping import (broadcast_arrays, concat, expand_dims, flip, matmul, matrix_transpose, moveaxis, permute_dims, repeat, reshape, roll,
                      squeeze, stack, tensordot, tile, vecdot)
from .statistics import corr, count, covar, linear_fit, moment, ptp, softmax
from .functions import Function, function
from .watching import profile, trace

__version__ = _nvm.version()
__array_api_version__ = "2024.12"

for _name in (*_elementwise.UNARY, *_elementwise.BINARY):
    globals()[_name] = _operators.named(_name)
_operators.install()
from . import methods as _methods  # noqa: E402

_methods.install()
_os.register_at_fork(after_in_child=_config.after_fork)
del _name


def __dir__() -> list[str]:
    return sorted(n for n in globals() if not n.startswith("_"))
