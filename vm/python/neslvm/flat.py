"""Vectors of one element type: what elementwise code is made of. Each is a promise of the machine's."""
from __future__ import annotations

import functools
import re
from typing import Any, Callable, Optional

from . import _nvm, config, errors
from .dtypes import ALL, DType, Real, Whole, bool_, int64

def word(kind: str) -> str:
    return {"I": "INT", "F": "FLOAT", "B": "BOOL"}[kind]


def ins(text: str, *operands: Any) -> list[Any]:
    """Records an instruction of VCODE; a handle for each result."""
    return _nvm.record(text, operands)


def ins1(text: str, kind: str, *operands: Any) -> Any:
    """The same of one result, whose kind the reader sees."""
    return _nvm.record(text, operands)[0]


NOWHERE = -(2**62)  # as an index: there is no such element
Size = _nvm.Size  # the number of elements of a vector, which may be known only when something is evaluated
Flat = _nvm.Flat  # elements of a type, side by side
ONE = Size.of_number()


def _numpy(self: Flat) -> Any:
    """Evaluated, as a NumPy array of the element type that cannot be written."""
    if isinstance(self, HostFlat):
        return self.values
    h = self.h
    evaluate([h])
    found = h.numpy()
    name = self.dtype.name
    if name in ("float64", "bool") or name == "int64" and found.itemsize == 8:
        return found
    import numpy as np

    want = np.dtype(self.dtype.name)
    if found.dtype == want:
        return found
    if self.dtype.name == "uint64" and found.dtype == np.int64:
        return found.view(np.uint64)
    converted = found.astype(want)
    converted.flags.writeable = False
    return converted


Flat.numpy = _numpy  # type: ignore[method-assign]


class HostFlat(Flat):
    """Elements of a type that the machine does not have: NumPy computes with them."""

    __slots__ = ("values",)

    def __init__(self, values: Any, dtype: DType, size: Size) -> None:
        super().__init__(dtype, None, size)
        values.flags.writeable = False
        self.values = values


def size_of(handle: Any, kind: str) -> Size:
    """That of a vector whose length nobody knows yet."""
    return Size(None, ins1("MAKE_SEGDES", "S", ins1(f"LENGTH {word(kind)}", "I", handle)))


def evaluate(handles: list[Any]) -> None:
    """Computes what these promise, together."""
    if config.current().check_borrowed:
        from .borrowed import check

        check(handles)
    waiting = [h for h in handles if not h.evaluated]
    if not waiting:
        return
    from . import sections

    sections.must_be_evaluated()
    done = _nvm.evaluate(waiting, config.evaluator())
    if isinstance(done[1], int):
        config.note_run(*done[:5])
        return
    raise_failure(*done)


def raise_failure(cause: int, reason: str, message: str, site: Any, text: str, operands: list[Any]) -> None:
    raise _failure(cause, reason, message, site, text, operands) from None


def _failure(cause: int, reason: str, message: str, site: Any, text: str, operands: list[Any]) -> Exception:
    kind = errors.class_of(cause)
    words = _words(kind, reason or message, text, operands)
    origin = errors.place(site)
    if origin is not None and kind in (IndexError, ZeroDivisionError):
        origin = origin._replace(index=_first_bad(text, operands))
    return errors.located(kind(words), origin)


def _words(kind: type[Exception], reason: str, text: str, operands: list[Any]) -> str:
    """What the machine says in the terms of who uses arrays."""
    if kind is ZeroDivisionError:
        return "integer division or modulo by zero"
    if kind is MemoryError:
        return reason.replace("raise --memory", "nvm.options(memory=...) allows more")
    found = re.match(r"index out of range in (\w+): index (-?\d+) at position (\d+), segment \d+ has (\d+)", reason) if kind is IndexError else None
    if found is None:
        return reason
    name, (index, place, n) = found[1], map(int, found.groups()[1:])
    as_given = index if index >= 0 else index - n  # to a negative one the length was added
    if name == "EXTRACT":
        return f"index {as_given} is out of range for the {n} elements of list {place}"
    plain = name == "BPERMUTE" and operands[1].text == "SELECT INT" and index > NOWHERE  # an index, not a place made of one
    return f"index {as_given} is out of range for {n} elements" if plain else "index out of range"


def _first_bad(text: str, operands: list[Any]) -> Optional[int]:
    """The first element on which the instruction fails: its operands did not."""
    name = text.split()[0]
    which = {"/": 1, "%": 1, "BPERMUTE": 1, "BFPERMUTE": 1}.get(name)
    if which is None:
        return None
    try:
        evaluate(operands)
    except Exception:
        return None
    values = operands[which].numpy()
    if name in "/%":
        bad = values == 0
    else:
        bad = (values < 0) | (values >= operands[0].size)
        if name == "BFPERMUTE":
            bad &= operands[2].numpy()
    return int(bad.argmax()) if bad.any() else None


# Vectors from numbers.


def dist(handle: Any, kind: str, size: Size) -> Any:
    """One value as often as the size says."""
    return handle if size is ONE else ins1(f"DIST {word(kind)}", kind, handle, size.seg)


def const(kind: str, value: Any, size: Size) -> Any:
    """A constant of the program, as often as the size says."""
    made = _nvm.constant_float(float(value)) if kind == "F" else _nvm.constant_int(int(value)) if kind == "I" else _nvm.constant_bool(bool(value))
    return dist(made, kind, size)


def single(dtype: DType, value: Any) -> Any:
    """A value of the program's input, in the type's storage."""
    kind = dtype.storage
    if kind == "B":
        return _nvm.of_bool(bool(value))
    if kind == "F":
        value = float(value)
        if dtype.bits == 32:
            import struct

            try:
                value = struct.unpack("f", struct.pack("f", value))[0]
            except OverflowError:
                value = float("inf") if value > 0 else float("-inf")
        return _nvm.of_float(value)
    value = int(value)
    if dtype.name == "uint64" and value >= 2**63:
        value -= 2**64
    return _nvm.of_int(value)


def iota(size: Size, start: Optional[int] = None, stride: Optional[int] = None) -> Flat:
    """start, start + stride, ...; None: 0 and 1, which are numbers of the program, not of its input."""
    first = _nvm.constant_int(0) if start is None else _nvm.of_int(start)
    step = _nvm.constant_int(1) if stride is None else _nvm.of_int(stride)
    return Flat(int64, ins1("INDEX", "I", first, step, size.seg), size)


@functools.lru_cache(maxsize=1024)
def _number(n: int) -> Any:
    return _nvm.of_int(n)


def length(n: int, size: Size) -> Flat:
    """What follows from a shape, as often as the size says: an input, so that one program serves all shapes, and the same promise
    whenever it is asked for."""
    return Flat(int64, dist(_number(n), "I", size), size)


def gather(f: Flat, index: Any, size: Size) -> Flat:
    """f at each index, which must be in range."""
    if isinstance(f, HostFlat):
        return of_host(f.values[Flat(int64, index, size).numpy()])
    h = ins1(f"BPERMUTE {word(f.dtype.storage)}", f.dtype.storage, f.h, index, f.size.seg, size.seg)
    return Flat(f.dtype, h, size)


def gather_where(f: Flat, index: Any, flags: Any, size: Size) -> Flat:
    """The same where the flags are set, zero elsewhere."""
    h = ins1(f"BFPERMUTE {word(f.dtype.storage)}", f.dtype.storage, f.h, index, flags, f.size.seg, size.seg)
    return Flat(f.dtype, h, size)


def pack(f: Flat, flags: Any) -> Flat:
    if isinstance(f, HostFlat):
        return of_host(f.values[Flat(bool_, flags, f.size).numpy()])
    h, seg = ins(f"PACK {word(f.dtype.storage)}", f.h, flags, f.size.seg)
    return Flat(f.dtype, h, Size(None, seg))


def of_host(values: Any, dtype: Optional[DType] = None) -> Flat:
    """A contiguous NumPy array of one dimension, borrowed where its elements lie as the machine's do."""
    import numpy as np

    from .dtypes import as_dtype

    t = dtype or as_dtype(values.dtype)
    size = ONE if values.size == 1 else Size(int(values.size))
    if t.kind == "c":
        return HostFlat(np.array(values, dtype=t.name), t, size)
    code = {"int64": "q", "uint64": "q", "int32": "i", "int8": "b", "float64": "d", "bool": "?"}.get(t.name)
    if code is None or not values.flags.aligned:
        values = values.astype({"F": np.float64, "I": np.int64}[t.storage])
        code = "d" if t.storage == "F" else "q"
    return Flat(t, _nvm.borrow(values, code), size)


def host(f: Callable[..., Any], dtype: DType, *operands: Flat) -> Flat:
    """Computed by NumPy, at once."""
    import numpy as np

    with np.errstate(all="ignore"):
        values = np.ascontiguousarray(f(*[o.numpy() for o in operands])).astype(dtype.name)
    made = of_host(values, dtype)
    if not isinstance(made, HostFlat):
        made.size = operands[0].size
    return made


_nvm.set_types(ALL, Whole, Real)
_nvm.set_evaluate(evaluate)
