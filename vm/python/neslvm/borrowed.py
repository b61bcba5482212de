"""Whether memory that was borrowed has changed before it was read (options(check_borrowed=True))."""
from __future__ import annotations

import zlib
from typing import Any

from . import config
from .array import Array
from .errors import BorrowError

_watched: dict[tuple[int, int], tuple[Any, Any, int]] = {}  # by key: the handle, which keeps its key, the memory and its sum


def _sum(values: Any) -> int:
    return zlib.crc32(memoryview(values).cast("B"))


def watch(a: Array, values: Any) -> None:
    if not config.current().check_borrowed or values.size == 0:
        return
    handle = a.flat.h
    if handle is not None:
        _watched[handle.key] = (handle, values, _sum(values))


def forget() -> None:
    """When nobody asks any more: what is watched is kept."""
    _watched.clear()


def check(handles: list[Any]) -> None:
    """Before these are looked at, or computed from what they stand on."""
    if not _watched:
        return
    met, open_ = set(), list(handles)
    while open_:
        h = open_.pop()
        if h.key in met:
            continue
        met.add(h.key)
        found = _watched.get(h.key)
        if found is not None and _sum(found[1]) != found[2]:
            raise BorrowError("borrowed memory changed before what reads it was evaluated")
        open_.extend(h.operands)
