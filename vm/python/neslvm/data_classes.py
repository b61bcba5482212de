"""Data classes in functions of elements: a value of each call is a record with the fields and the methods of the class."""
from __future__ import annotations

import dataclasses
import functools
import inspect
from collections import namedtuple
from typing import Any

from .errors import CompileError


def is_data_class(f: Any) -> bool:
    return isinstance(f, type) and dataclasses.is_dataclass(f)


@functools.lru_cache(maxsize=256)
def _record(cls: type) -> Any:
    """Its instances are tuples of a value of each call for each field, and instances of the class."""
    names = [f.name for f in dataclasses.fields(cls)]
    generated = cls.__dataclass_params__.init and not hasattr(cls, "__post_init__")  # type: ignore[attr-defined]
    if not names or not generated or list(inspect.signature(cls).parameters) != names:
        return None
    try:
        base: Any = namedtuple(cls.__name__, names)  # type: ignore[misc]
        return type(cls.__name__, (base, cls), {"__init__": lambda self, *_: None, "__eq__": tuple.__eq__, "__hash__": None})
    except (TypeError, ValueError):  # slots; names that begin with _
        return None


def made(cls: Any, args: list[Any], named: dict[str, Any]) -> Any:
    """cls(*args, **named) of each call."""
    record = _record(cls)
    bound = inspect.signature(cls).bind(*args, **named)
    bound.apply_defaults()
    values = list(bound.arguments.values())
    if record is None or any(type(v).__name__ == "_HAS_DEFAULT_FACTORY_CLASS" for v in values):
        raise CompileError(f"a data class of elements has fields only that its arguments give, and no slots; {cls.__name__} has others")
    return record(*values)
