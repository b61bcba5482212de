"""Calls inside of functions: built-in functions, those of math and nvm, and other functions, which are executed as met."""
from __future__ import annotations

import builtins
import math
from types import MethodType
from typing import Any

from . import elementwise, sections
from .array import Array, scalar_array
from .comprehensions import Zipped, list_of_host, the_only_list
from .data_classes import is_data_class, made
from .errors import CompileError
from .flat import ONE
from .host_lists import as_list, load_list
from .interpreter import Closure, Frame, call_function, choose_value, closure_of, of_each
from .iterators import Iterated, taken
from .list_functions import BUILT_IN
from .math_functions import is_of_math, of_numbers
from .nested import ListLane
from .rows import ALONG, along, on_rows
from .lanes import Lane, OfAllCalls, alike, operate


def call(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    """f(*args, **named); iterators go on into functions that are executed, and are gone through by all others."""
    if isinstance(f, MethodType) and isinstance(f.__self__, tuple):  # of a record
        f, args = f.__func__, [f.__self__, *args]
    if isinstance(f, Closure) or not isinstance(f, type) and closure_of(f) is not None:
        return _called(f, args, named, frame)
    if (f is len or f is reversed) and args and isinstance(args[0], Iterated):
        raise TypeError(f"an iterator has no {f.__name__}()")
    return _called(f, [taken(a) if f is not next else a for a in args], {k: taken(v) for k, v in named.items()}, frame)


def _called(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    if frame.size is not None and is_data_class(f):
        sections.about_to_call(f)
        return made(f, args, named)
    lanes = builtins.any(of_each(a) for a in [*args, *named.values()])
    if not lanes:
        return _host_call(f, args, named, frame)
    known = _hashable(f)
    if known and f in BUILT_IN:
        return BUILT_IN[f](frame, *args, **named)
    if is_of_math(f):
        return of_numbers(f, args, named, frame)
    if _is_own(f):
        return _own(f, args, named, frame)
    closure = f if isinstance(f, Closure) else closure_of(f)
    if closure is not None:
        return call_function(closure, args, named, frame.size, frame.active)
    if frame.size is not None:
        if _looks_at(f) and builtins.any(isinstance(a, OfAllCalls) for a in args):
            raise CompileError(f"{f.__name__}() of a value of each element is not there")
        sections.about_to_call(f)
        return f(*args, **named)
    raise TypeError(f"{getattr(f, '__name__', f)} cannot be called for each element")


def _looks_at(f: Any) -> bool:
    """Whether it is a function of Python's that would be given what stands for all elements, and could tell."""
    return _module(f) == "builtins" and f is not slice and not (isinstance(f, type) and issubclass(f, BaseException))


def _is_own(f: Any) -> bool:
    """Whether it is a function of this module, not one that was written with it."""
    return _module(f).startswith("neslvm") and not isinstance(f, Closure) and not hasattr(f, "python")


def _module(f: Any) -> str:
    return getattr(f, "__module__", None) or ""


def _own(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    """A function of the module of numbers, rows or lists of each call."""
    assert frame.size is not None
    name = f.__name__
    if name in elementwise.UNARY or name in elementwise.BINARY:
        rows = builtins.any(isinstance(a, ListLane) for a in args)
        return on_rows(name, args, frame.active, frame) if rows else operate(name, *args)
    if name == "where":
        return choose_value(args[0].flat.h, args[1], args[2], frame.size)
    if name in ALONG and len(args) == 1 and isinstance(args[0], ListLane):
        return along(f, args[0], named, frame.size)
    raise TypeError(f"{name} cannot be called for each element")


def _hashable(f: Any) -> bool:
    try:
        hash(f)
    except TypeError:
        return False
    return True


def _of_one_call(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    """A built-in function of arrays of the host, as for one call among many."""
    once = Frame(frame.function, ONE, None)
    given = [the_only_list(_host_array(a)) if isinstance(a, (Array, Zipped, range)) and not _is_number(a) else a for a in args]
    result = BUILT_IN[f](once, *given, **named)
    if isinstance(result, ListLane):
        return list_of_host(result)
    return _host_value(result)


def _host_value(x: Any) -> Any:
    return alike(x, list(map(_host_value, x))) if isinstance(x, tuple) else scalar_array(x.flat) if isinstance(x, Lane) else x


def _host_array(x: Any) -> Array:
    from .comprehensions import range_array

    return x.arrays() if isinstance(x, Zipped) else range_array(x) if isinstance(x, range) else x


def _is_number(x: Any) -> bool:
    return isinstance(x, Array) and not x.ndim


def sorted_list(values: Array, *, key: Any = None, reverse: Any = False) -> Array:
    found: Array = _host_list(sorted, [values], {"key": key, "reverse": reverse}, Frame(_nobody(), None, None))
    return found


def _nobody() -> Closure:
    from .interpreter import _NOBODY

    return _NOBODY


def _host_list(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    """A built-in function of an array or list that nvm has."""
    from . import reductions

    first = args[0]
    if f in (map, filter):
        return _of_one_call(f, args, named, frame) if _is_read(first) else f(*args)
    if f is zip:
        return Zipped(args)
    if f is enumerate:
        start = int(named.get("start", args[1] if len(args) > 1 else 0))
        return Zipped([range(start, start + len(first)), first])
    if f in (sum, min, max, any, all) and len(args) == 1 and not named:
        if f in (min, max) and first.size == 0:
            raise ValueError(f"{f.__name__}() arg is an empty sequence")
        if first.ndim == 1:
            return getattr(reductions, f.__name__)(first)
    if f is list and isinstance(first, Zipped):
        return first.as_list()
    if f is list:
        return as_list(first, getattr(first, "depth", 1)) if type(first) is Array or load_list(first) else first
    return _of_one_call(f, args, named, frame)


def _is_read(f: Any) -> bool:
    return isinstance(f, Closure) or closure_of(f) is not None


_OF_LISTS = (sum, min, max, any, all, sorted, reversed, list, zip, enumerate, map, filter, math.prod)


def _takes_arrays(f: Any, args: list[Any]) -> bool:
    of_host = (Array, Zipped)
    if f in (map, filter):
        return len(args) > 1 and builtins.all(isinstance(a, of_host) and not _is_number(a) for a in args[1:])
    if f is zip:
        return builtins.any(isinstance(a, of_host) for a in args)
    return bool(args) and isinstance(args[0], of_host) and not _is_number(args[0]) and (len(args) == 1 or f in (sum, enumerate))


def _host_call(f: Any, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    if isinstance(f, Closure):
        return call_function(f, args, named, frame.size if frame.active is not None else None, frame.active)
    known = _hashable(f)
    if known and f in _OF_LISTS and _takes_arrays(f, args) and not (f is enumerate and isinstance(args[0], Zipped)):
        return _host_list(f, args, named, frame)
    if known and f is enumerate and args and isinstance(args[0], Zipped):
        start = int(named.get("start", args[1] if len(args) > 1 else 0))
        return Zipped([range(start, start + len(args[0])), args[0]])
    closure = closure_of(f) if not isinstance(f, type) and not _module(f).startswith("neslvm") else None
    if closure is not None:
        return call_function(closure, args, named, None, None)
    if hasattr(f, "python") and closure_of(f) is not None:
        return call_function(closure_of(f), args, named, None, None)  # type: ignore[arg-type]
    if is_of_math(f):
        args = [a.item() if _is_number(a) else a for a in args]
    sections.about_to_call(f)
    return f(*args, **named)
