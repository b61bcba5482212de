"""What would be computed for arrays, by lines of the script."""
from __future__ import annotations

from typing import Any

from .array import Array
from .errors import place


class Explanation:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def __str__(self) -> str:
        return "\n".join(self.lines)

    __repr__ = __str__


def explain(*arrays: Array) -> Explanation:
    """The instructions that are waiting, in the order of lines; consecutive ones become one kernel where the machine can fuse them."""
    for a in arrays:
        if not isinstance(a, Array):
            raise TypeError(f"explain takes arrays, not {type(a).__name__}")
    open_: list[Any] = [h for a in arrays for h in a.handles() if h is not None and not h.evaluated]
    seen: set[Any] = set()
    counts: dict[str, list[str]] = {}
    while open_:
        h = open_.pop()
        if h.key[0] in seen or h.evaluated:
            continue
        seen.add(h.key[0])
        origin = place(h.site)
        where = f"{origin.filename}:{origin.lineno}" if origin else "?"
        counts.setdefault(where, []).append(h.text)
        open_.extend(h.operands)
    total = sum(map(len, counts.values()))
    head = f"{total} instructions wait to be computed; what can be fused of them becomes one kernel" if total else "everything is evaluated: no kernel"
    return Explanation([head, *(f"  {where}: {', '.join(reversed(texts))}" for where, texts in sorted(counts.items()))])
