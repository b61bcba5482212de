"""Other shapes of the same elements, and arrays put together."""
from __future__ import annotations

import math
import operator
from typing import Any, Optional, Sequence, Union

from . import rules
from .align import Aligned, broadcast_shape, broadcast_to, lists_of
from .array import Array, affine, lists_of_lengths, row_strides
from .dtypes import common, int64
from .errors import AxisError
from .flat import Flat, ONE, Size, const, gather, gather_where, ins1, iota
from .records import by_component


def _view_of(a: Array) -> tuple[tuple[int, ...], int]:
    return a._view if a._view is not None else (row_strides(a.known_shape), 0)


def axis_of(axis: Any, ndim: int) -> int:
    try:
        k = operator.index(axis)
    except TypeError:
        raise TypeError(f"an axis is an integer, not {axis!r}") from None
    if not -ndim <= k < ndim:
        raise AxisError(f"there is no axis {k} in {ndim} dimensions")
    return k % ndim


def one_or_more(x: Any) -> list[Any]:
    """What a parameter has that takes a number or several."""
    return list(x) if hasattr(x, "__iter__") and getattr(x, "ndim", None) != 0 else [x]


def integers(x: Any) -> list[int]:
    """The same of a parameter that takes an integer or several."""
    return [operator.index(k) for k in one_or_more(x)]


def axes_of(axis: Any, ndim: int) -> list[int]:
    """One axis or several; None: all."""
    found = list(range(ndim)) if axis is None else [axis_of(k, ndim) for k in one_or_more(axis)]
    if len(set(found)) != len(found):
        raise ValueError("an axis is named twice")
    return found


@by_component
def permute_dims(x: Array, /, axes: Sequence[int]) -> Array:
    shape = x.known_shape
    order = [axis_of(k, len(shape)) for k in axes]
    if sorted(order) != list(range(len(shape))):
        raise ValueError(f"{tuple(axes)} does not permute {len(shape)} axes")
    strides, offset = _view_of(x)
    return Array(x._flat, [shape[k] for k in order], (tuple(strides[k] for k in order), offset))


def matrix_transpose(x: Array, /) -> Array:
    if x.ndim < 2:
        raise ValueError("the transpose of a matrix needs two dimensions")
    return permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def moveaxis(x: Array, source: Any, destination: Any, /) -> Array:
    """Axes, one or several, at other places; the others keep their order."""
    n = x.ndim
    taken, places = (axes_of(one_or_more(s), n) for s in (source, destination))
    if len(taken) != len(places):
        raise ValueError(f"axes {source} do not go to {destination}")
    order = [k for k in range(n) if k not in taken]
    for place, k in sorted(zip(places, taken)):
        order.insert(place, k)
    return permute_dims(x, order)


@by_component
def reshape(x: Array, /, shape: Any, *, copy: Optional[bool] = None) -> Array:
    wanted = integers(shape)
    n = x.size
    if -1 in wanted:
        rest = -math.prod(wanted)
        if wanted.count(-1) > 1 or rest == 0 or n % rest:
            raise ValueError(f"{n} elements do not make the shape {tuple(wanted)}")
        wanted[wanted.index(-1)] = n // rest
    if math.prod(wanted) != n or any(k < 0 for k in wanted):
        raise ValueError(f"{n} elements do not make the shape {tuple(wanted)}")
    return Array(x.flat, wanted, host=None if x._host is None else x._host.reshape(wanted))


def expand_dims(x: Array, /, axis: Union[int, Sequence[int]] = 0) -> Array:
    axes = one_or_more(axis)
    ndim = x.ndim + len(axes)
    new = axes_of(axes, ndim)
    got: Array = x[tuple(None if k in new else slice(None) for k in range(ndim))]
    return got


def squeeze(x: Array, /, axis: Any) -> Array:
    shape = x.known_shape
    axes = [k for k, n in enumerate(shape) if n == 1] if axis is None else axes_of(axis, x.ndim)
    if any(shape[k] != 1 for k in axes):
        raise ValueError("only dimensions of length 1 can be left out")
    got: Array = x[tuple(0 if k in axes else slice(None) for k in range(x.ndim))]
    return got


def flip(x: Array, /, *, axis: Any = None) -> Array:
    chosen = axes_of(axis, x.ndim)
    got: Array = x[tuple(slice(None, None, -1) if k in chosen else slice(None) for k in range(x.ndim))]
    return got


@by_component
def roll(x: Array, /, shift: Any, *, axis: Any = None) -> Array:
    if axis is None:
        return reshape(roll(reshape(x, -1), shift, axis=0), x.known_shape)
    axes, shifts = one_or_more(axis), one_or_more(shift)
    if len(axes) != 1 or len(shifts) != 1:
        if len(shifts) not in (1, len(axes)):
            raise ValueError(f"{len(shifts)} shifts for {len(axes)} axes")
        for s, k in zip(shifts * len(axes) if len(shifts) == 1 else shifts, axes):
            x = roll(x, s, axis=k)
        return x
    (k,), (shift,) = axes_of(axes, x.ndim), shifts
    n = x.known_shape[k]
    if x.size == 0 or shift % n == 0:
        return x
    # Each element is so many places ahead, or behind where that is over the end of the axis.
    step = math.prod(x.known_shape[k + 1 :])
    ahead = (n - shift % n) * step
    within, size = affine((x.size // (n * step), n * step), (0, 1), 0)
    over = rules.compare("<", "I", const("I", n * step - ahead - 1, size), within)
    back = rules.select("I", over, const("I", ahead - n * step, size), const("I", ahead, size))
    return Array(gather(x.flat, rules.int_op("+", iota(size).h, back), size), x.known_shape)


def broadcast_arrays(*arrays: Any) -> list[Array]:
    """Of one shape; beside jagged ones each value spreads into the lists."""
    from .making import asarray

    made = [asarray(a) for a in arrays]
    if any(a.is_jagged for a in made):
        aligned = Aligned(made)
        return [Array(f, aligned.dims) for f in aligned.operands if isinstance(f, Flat)]
    shape = broadcast_shape([a.known_shape for a in made])
    return [broadcast_to(a, shape) for a in made]


def _joined(a: Flat, b: Flat) -> Flat:
    """b behind a."""
    size = Size(a.size.n + b.size.n)
    if size.n == 1:
        size = ONE
    index = iota(size).h
    if a.h is None or b.h is None:
        import numpy as np

        from .flat import of_host

        return of_host(np.concatenate([a.numpy(), b.numpy()]))
    first = rules.compare("<", "I", index, const("I", a.size.n, size))
    left = gather_where(a, index, first, size)
    right = gather_where(b, rules.int_op("-", index, const("I", a.size.n, size)), rules.negated(first), size)
    return Flat(a.dtype, rules.select(a.dtype.storage, first, left.h, right.h), size)


def concat(arrays: Sequence[Any], /, *, axis: Optional[int] = 0) -> Array:
    """Arrays one behind the other; jagged ones also list by list (axis=1)."""
    from .making import asarray
    from .operators import astype

    made = [asarray(a) for a in arrays]
    if not made:
        raise ValueError("nothing to put together")
    t = made[0].dtype
    for a in made[1:]:
        t = common(t, a.dtype)
    made = [astype(a, t, copy=False) for a in made]
    if any(a.is_jagged for a in made):
        return _concat_lists(made, axis)
    if axis is None:
        made, axis = [reshape(a, -1) for a in made], 0
    k = axis_of(axis, made[0].ndim)
    shapes = [a.known_shape for a in made]
    rest = {tuple(n for i, n in enumerate(s) if i != k) for s in shapes}
    if len({len(s) for s in shapes}) != 1 or len(rest) != 1:
        raise ValueError(f"shapes {', '.join(map(str, shapes))} do not fit together along axis {axis}")
    fronts = [moveaxis(a, k, 0) if k else a for a in made]
    flat = fronts[0].flat
    for a in fronts[1:]:
        flat = _joined(flat, a.flat)
    shape = fronts[0].known_shape
    result = Array(flat, [sum(s[k] for s in shapes), *shape[1:]])
    return moveaxis(result, 0, k) if k else result


def _concat_lists(made: list[Array], axis: Optional[int]) -> Array:
    depth = made[0].ndim
    if any(a.ndim != depth for a in made):
        raise ValueError("arrays of different depth do not fit together: " + ", ".join(a.type for a in made))
    if axis is None:
        made = [Array(a.flat, [a.flat.size]) for a in made]
        return concat(made, axis=0)
    k = axis_of(axis, depth)
    if k == 0:
        result = made[0]
        for a in made[1:]:
            dims: list[Any] = [len(result) + len(a)]
            for mine, other in zip(lists_of(result), lists_of(a)):
                dims.append(lists_of_lengths(_joined(mine.lengths, other.lengths)))
            flat = _joined(result.flat, a.flat)
            for dim, inner in zip(dims[1:], [*(d.outer for d in dims[2:]), flat.size]):
                dim.inner = inner
            result = Array(flat, dims)
        return result
    result = made[0]
    for a in made[1:]:
        result = _joined_within(result, a, k)
    return result


def _joined_within(a: Array, b: Array, axis: int) -> Array:
    """Lists at this depth with those of the other array behind them; the lists around are the same."""
    from .nested import array_of, joined, lanes_of

    if len(a) != len(b):
        raise ValueError(f"{len(a)} lists and {len(b)} lists do not meet")
    if axis > 1:
        outer, other = lists_of(a)[0], lists_of(b)[0]
        if not outer.same(other):
            raise ValueError(f"lists of other lengths do not meet: {a.type} and {b.type}")
        inner = _joined_within(Array(a.flat, [outer.inner, *a.dims[2:]]), Array(b.flat, [outer.inner, *b.dims[2:]]), axis - 1)
        return Array(inner.flat, [a.dims[0], outer, *inner.dims[1:]])
    x, size = lanes_of(a)
    y, _ = lanes_of(b)
    made: Array = array_of(joined(x, y), [a.dims[0]], size)
    return made


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Array:
    from .making import asarray

    return concat([expand_dims(asarray(a), axis=axis) for a in arrays], axis=axis)


@by_component
def repeat(x: Array, repeats: Any, /, *, axis: Optional[int] = None) -> Array:
    """Each element as often as it is said."""
    from .indexing import rows
    from .making import asarray

    if axis is None:
        x, axis = reshape(x, -1), 0
    k = axis_of(axis, x.ndim)
    n = x.known_shape[k]
    counts = broadcast_to(asarray(repeats), (n,))
    index = ins1("DIST INT", "I", iota(Size(n)).h, ins1("MAKE_SEGDES", "S", rules.convert(counts.flat, int64).h))
    size = Size(None, ins1("MAKE_SEGDES", "S", ins1("LENGTH INT", "I", index)))
    got = rows(moveaxis(x, k, 0) if k else x, Flat(int64, index, size))
    return moveaxis(got, 0, k) if k else got


@by_component
def tile(x: Array, repetitions: Any, /) -> Array:
    times = integers(repetitions)
    shape = list(x.known_shape)
    times = [1] * (len(shape) - len(times)) + times
    shape = [1] * (len(times) - len(shape)) + shape
    wide = reshape(x, [m for n in shape for m in (1, n)])
    spread = broadcast_to(wide, [m for t, n in zip(times, shape) for m in (t, n)])
    return reshape(spread, [t * n for t, n in zip(times, shape)])


def matmul(a: Any, b: Any, /) -> Array:
    """The product of matrices, and of stacks of them."""
    from .making import asarray
    from .operators import elementwise_call
    from .reductions import sum as total

    x, y = asarray(a), asarray(b)
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError("matmul of arrays of no dimensions")
    left, right = x.ndim == 1, y.ndim == 1
    x = expand_dims(x, axis=0) if left else x
    y = expand_dims(y, axis=1) if right else y
    if x.known_shape[-1] != y.known_shape[-2]:
        raise ValueError(f"shapes {x.shape} and {y.shape} do not fit for a product")
    product = elementwise_call("multiply", expand_dims(x, axis=-2), expand_dims(matrix_transpose(y), axis=-3))
    result = total(product, axis=-1, dtype=product.dtype)
    result = squeeze(result, -1) if right else result
    return squeeze(result, -1 if right else -2) if left else result


def tensordot(a: Any, b: Any, /, *, axes: Any = 2) -> Array:
    if len(one_or_more(axes)) == 1:
        (n,) = one_or_more(axes)
        axes = (list(range(a.ndim - n, a.ndim)), list(range(n)))
    first, second = (axes_of(one_or_more(k), x.ndim) for k, x in zip(axes, (a, b)))
    left, right = [k for k in range(a.ndim) if k not in first], [k for k in range(b.ndim) if k not in second]
    if [a.known_shape[k] for k in first] != [b.known_shape[k] for k in second]:
        raise ValueError(f"shapes {a.shape} and {b.shape} do not fit for a product along axes {axes}")
    inner = math.prod(a.known_shape[k] for k in first)
    x = reshape(permute_dims(a, left + first), (math.prod(a.known_shape[k] for k in left), inner))
    y = reshape(permute_dims(b, second + right), (inner, math.prod(b.known_shape[k] for k in right)))
    return reshape(matmul(x, y), [*(a.known_shape[k] for k in left), *(b.known_shape[k] for k in right)])


def vecdot(a: Any, b: Any, /, *, axis: int = -1) -> Array:
    from .operators import elementwise_call
    from .reductions import sum as total

    if a.ndim and b.ndim and a.known_shape[axis_of(axis, a.ndim)] != b.known_shape[axis_of(axis, b.ndim)]:
        raise ValueError(f"shapes {a.shape} and {b.shape} do not fit for a product along axis {axis}")
    product = elementwise_call("multiply", elementwise_call("conj", a), b)
    return total(product, axis=axis, dtype=product.dtype)


