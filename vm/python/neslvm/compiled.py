"""Calls of functions that are compiled as a whole, through NESL; see to_nesl.py."""
from __future__ import annotations

import threading
from typing import Any, Callable, NamedTuple, Optional, Sequence

from . import config, sections
from .errors import CompileError, class_of
from .interpreter import Closure
from .nesl import Namespace, _Arguments, result_of
from .to_nesl import Compiled, Refused, translated, type_of

MOST_KEPT = 256  # functions and types
MOST_VARIANTS = 4  # of one, that found other values outside of themselves


class _Variant(NamedTuple):
    node: Any  # so that no other one gets its number
    compiled: Optional[Compiled]  # None: it cannot be
    space: Optional[Namespace]


_kept: dict[Any, list[_Variant]] = {}
NOT_COMPILED = object()
_lock = threading.RLock()


def forget() -> None:
    """In a child process, where the threads of its parent are not there."""
    global _lock
    _lock = threading.RLock()
    _kept.clear()


def forget_settings(which: Callable[[config.Settings], bool]) -> None:
    """What was compiled under such options, which will not be there again."""
    with _lock:
        for key in [k for k in _kept if which(k[3])]:
            del _kept[key]


def called(closure: Closure, args: Sequence[Any], each: bool) -> Any:
    """The result of a call, or of the calls for all elements; NOT_COMPILED if the tree is to be executed."""
    if sections.is_reading() or config.current().check_borrowed:
        return NOT_COMPILED
    try:
        types = tuple(type_of(a) for a in args)
        if each:
            types = tuple(t.element for t in types)  # type: ignore[union-attr]
    except Refused:
        return NOT_COMPILED
    with _lock:
        variant = _variant(closure, types, each)
    if variant.space is None:
        return NOT_COMPILED
    given = _Arguments()
    try:
        for a in args:
            given.add(a)
    except Exception:
        return NOT_COMPILED
    done = variant.space.run("py_main", given)
    if len(done) != 2:
        if class_of(done[0]) is TimeoutError:
            raise TimeoutError(done[1])
        return NOT_COMPILED  # the tree says which one of Python's it is, and where
    return result_of(done)


def text_of(closure: Closure, args: Sequence[Any]) -> str:
    """What a call is compiled from; raises CompileError."""
    try:
        source = translated(closure, tuple(map(type_of, args)), False).source
    except Refused as why:
        raise CompileError(f"{closure.name} is not compiled as a whole: {why}") from None
    Namespace(source)
    return source


def _variant(closure: Closure, types: tuple[Any, ...], each: bool) -> _Variant:
    key = id(closure.node), types, each, config.current()
    variants = _kept.setdefault(key, [])
    for v in variants:
        if v.compiled is None or all(_same(value, _found(closure, c, name)) for c, name, value in v.compiled.seen):
            return v
    made = _Variant(closure.node, None, None)
    if len(variants) < MOST_VARIANTS:
        try:
            compiled = translated(closure, types, each)
            made = _Variant(closure.node, compiled, Namespace(compiled.source))
        except Exception:  # whatever it is, the tree is there
            pass
    while len(_kept) > MOST_KEPT:
        del _kept[next(iter(_kept))]
    variants.append(made)
    return made


def _found(closure: Closure, owner: Closure, name: str) -> Any:
    try:
        return (closure if owner.node is closure.node else owner).outer(name)
    except NameError:
        return None


def _same(a: Any, b: Any) -> bool:
    return a is b or type(a) is type(b) and type(a) in (int, float, bool) and repr(a) == repr(b)
