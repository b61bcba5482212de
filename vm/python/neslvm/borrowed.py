"""Whether memory that was borrowed has changed before it was read (options(check_borrowed=True))."""
from __future__ import annotations

import weakref
import zlib
from typing import Any

from . import config
from .array import Array
from .errors import BorrowError

_watched: dict[tuple[int, int], tuple[Any, int]] = {}


def _sum(values: Any) -> int:
    return zlib.crc32(memoryview(values).cast("B"))


def watch(a: Array, values: Any) -> None:
    if not config.current().check_borrowed or values.size == 0:
        return
    key = a.flat.h.key if a.flat.h is not None else None
    if key is not None:
        _watched[key] = (values, _sum(values))
        weakref.finalize(a, lambda: None)


def check() -> None:
    """Before something is evaluated."""
    if not _watched or not config.current().check_borrowed:
        return
    for key, (values, before) in list(_watched.items()):
        if _sum(values) != before:
            del _watched[key]
            raise BorrowError("borrowed memory changed before what reads it was evaluated")
