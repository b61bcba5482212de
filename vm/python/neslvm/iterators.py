"""What generators, zip, map and the like give in functions. Their elements are computed when they are made, and Python goes through
them later, and once: what it would find otherwise then is refused."""
from __future__ import annotations

import ast
import functools
from typing import Any, Callable, Sequence

from .array import Array
from .errors import CompileError
from .flat import Flat, HostFlat
from .records import Records

MAKING = (zip, enumerate, map, filter, reversed)  # of built-in functions those that give one
_NAMES = {f.__name__ for f in MAKING}


class Iterated:
    """An iterator; `reads` gives what its elements come from."""

    def __init__(self, values: Any, reads: Callable[[], Sequence[Any]]) -> None:
        self.values = values
        self._reads = reads
        self._before = _state(reads())
        self._gone = False
        self.others: Callable[[], bool] = lambda: False  # whether calls that never made it are under way

    def take(self) -> Any:
        if self._gone:
            raise CompileError("an iterator is gone through a second time, when it has no more elements; list() of it keeps them")
        if self.others():
            raise CompileError("an iterator that was made in a branch is gone through behind it; list() of it is a value in both")
        if not _same(self._before, _state(self._reads())):
            raise CompileError("what an iterator reads has changed since it was made; list() of it keeps what was there")
        self._gone = True
        return self.values

    def __next__(self) -> Any:
        raise CompileError("next() of an iterator is not there; list() of it has its elements")

    def lifted(self, _: Any) -> Any:
        raise CompileError("an iterator that was made outside would be gone through for each element; list() of it keeps its elements")


def taken(x: Any) -> Any:
    """What is gone through now."""
    return x.take() if isinstance(x, Iterated) else x


def _state(x: Any) -> Any:
    """What says whether somebody has changed it."""
    if isinstance(x, (list, tuple)):
        return tuple(map(_state, x))
    if isinstance(x, Array) and not isinstance(x, Records):
        return x.flat
    return x


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, HostFlat) and isinstance(b, HostFlat):
        return a.values is b.values
    if isinstance(a, Flat) and isinstance(b, Flat):
        return bool(a.h.key == b.h.key)
    return a is b or isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and all(map(_same, a, b))


@functools.lru_cache(maxsize=4096)
def names_in(node: ast.GeneratorExp, all_of_it: bool) -> tuple[str, ...]:
    """The names that a generator reads; without those of its first source, if that was evaluated when it was made."""
    parts: list[ast.AST] = [node.elt, *(c for g in node.generators for c in g.ifs), *(g.iter for g in node.generators[0 if all_of_it else 1 :])]
    own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    return tuple(sorted({n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)} - own))


def makes_iterator(node: ast.AST) -> bool:
    return isinstance(node, ast.GeneratorExp) or isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMES
