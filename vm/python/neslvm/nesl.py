"""Functions written in NESL."""
from __future__ import annotations

import threading
from typing import Any, Optional

from . import _nvm, config, errors
from .array import Array, Lists
from .dtypes import DType, bool_, float64, int64
from .flat import Flat, ONE, Size, evaluate
from .records import Records

_TYPES = {"int": int64, "float": float64, "bool": bool_}


def _raise(failure: tuple[Any, ...]) -> None:
    cause, reason, message, file, line, column = failure
    if cause == -1 or message and not reason:
        error = errors.CompileError(message.strip() or reason)
        error.msg, error.filename, error.lineno, error.offset = message.strip() or reason, file, line or None, column or None
        raise error
    kind = errors.class_of(cause)
    origin = errors.Origin(file, line, "", None) if line else None
    raise errors.located(kind(reason), origin)


def _element(t: DType) -> str:
    return {"b": "bool", "f": "float"}.get(t.kind, "int")


class _Arguments:
    """Values of Python as parts of NESL values."""

    def __init__(self) -> None:
        self.types: list[str] = []
        self.parts: list[list[Any]] = []

    def add(self, x: Any) -> None:
        name, parts = self._value(x)
        self.types.append(name)
        self.parts.append(parts)

    def _value(self, x: Any) -> tuple[str, list[Any]]:
        if isinstance(x, bool):
            return "bool", [_nvm.of_bool(x)]
        if isinstance(x, int):
            return "int", [_nvm.of_int(x)]
        if isinstance(x, float):
            return "float", [_nvm.of_float(x)]
        if isinstance(x, str):
            import numpy as np

            codes = np.frombuffer(x.encode(), dtype=np.uint8).astype(np.int64)
            return "[char]", [_nvm.one_segment(len(codes)), _nvm.borrow(codes, "q")]
        if isinstance(x, tuple):
            values = [self._value(v) for v in x]
            if len(values) < 2:
                raise TypeError("a tuple of NESL has two components or more")
            return "(" + ", ".join(n for n, _ in values) + ")", [p for _, v in values for p in v]
        from .making import asarray

        return self._array(asarray(x))

    def _array(self, a: Array) -> tuple[str, list[Any]]:
        if isinstance(a, Records):
            found = [self._array(p) for p in a.parts]
            depth = a.ndim
            inner = "(" + ", ".join(n[depth : len(n) - depth] for n, _ in found) + ")"
            return "[" * depth + inner + "]" * depth, found[0][1][:depth] + [p for _, v in found for p in v[depth:]]
        t = a.dtype
        if t.kind == "c":
            raise TypeError("NESL has no complex numbers")
        flat = a.flat
        dims: list[Any] = []
        if a.is_jagged:
            dims = [_nvm.one_segment(len(a)), *(d.h for d in a.dims[1:] if isinstance(d, Lists))]
        else:
            import numpy as np

            shape = a.known_shape
            outer = 1
            for n in shape:
                dims.append(_nvm.one_segment(n) if outer == 1 and not dims else _nvm.descriptor(np.full(outer, n, dtype=np.int64)))
                outer *= n
        evaluate([flat.h, *dims])
        return "[" * len(dims) + _element(t) + "]" * len(dims), [*dims, flat.h]


def _split(text: str) -> list[str]:
    """The components of a tuple's type."""
    parts, depth, begin = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[begin:k])
            begin = k + 1
    return [p.strip() for p in [*parts, text[begin:]]]


class _Result:
    """Parts of a NESL value as values of Python."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def take(self, name: str) -> Any:
        if name.startswith("(") and name.endswith(")"):
            return tuple(self.take(n) for n in _split(name[1:-1]))
        if name.startswith("["):
            return self._sequence(name)
        t = _TYPES.get(name, int64)
        return Array(Flat(t, self.parts.pop(0), ONE), ())

    def _sequence(self, name: str) -> Any:
        levels = []
        while name.startswith("["):
            levels.append(self.parts.pop(0))
            name = name[1:-1].strip()
        if name == "char" and len(levels) == 1:
            return bytes(c & 255 for c in self.parts.pop(0).numpy().tolist()).decode(errors="replace")
        n = levels[0].int_at(0)
        dims: list[Any] = [n]
        outer = Size(n)
        for h in levels[1:]:
            inner = Size(int(h.numpy().sum()))
            dims.append(Lists(h, outer, inner))
            outer = inner
        return self._elements(name, dims, ONE if outer.n == 1 else outer)

    def _elements(self, name: str, dims: list[Any], size: Size) -> Any:
        if name.startswith("("):
            return Records([self._elements(n, dims, size) for n in _split(name[1:-1])], None, len(dims))
        if name.startswith("["):
            h = self.parts.pop(0)
            inner = Size(int(h.numpy().sum()))
            return self._elements(name[1:-1], [*dims, Lists(h, size, inner)], ONE if inner.n == 1 else inner)
        return Array(Flat(_TYPES.get(name, int64), self.parts.pop(0), size), dims)


class Function:
    """A function of NESL. Arguments are arrays, jagged arrays, tuples, texts and numbers."""

    def __init__(self, space: Namespace, name: str) -> None:
        self.__name__ = name
        self._space = space

    def __call__(self, *arguments: Any) -> Any:
        given = _Arguments()
        for x in arguments:
            given.add(x)
        return self._space.call(self.__name__, given)

    def __repr__(self) -> str:
        return f"<NESL function {self.__name__}>"


class Namespace:
    """The functions that a text defines."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._lock = threading.RLock()  # also for a handler of a signal that comes meanwhile
        self._session = _nvm.Session(config.machine_options())
        names = self._session.define(source, "<nesl>")
        if isinstance(names, tuple):
            _raise(names)
        self._names: list[str] = [n.lower() for n in names]

    def __dir__(self) -> list[str]:
        return self._names

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_") or name.lower() not in self._names:
            raise AttributeError(f"the text defines no function {name}; it defines " + ", ".join(self._names))
        return Function(self, name)

    def call(self, name: str, given: _Arguments) -> Any:
        with self._lock:
            done = self._session.call(name, given.types, given.parts)
        if len(done) != 2:
            _raise(done)
        return _Result(list(done[1])).take(done[0])


def nesl(source: str, name: Optional[str] = None) -> Any:
    """Compiles definitions: the function of a text that defines one, or the one named; else a namespace of them."""
    space = Namespace(source)
    if name is not None:
        return getattr(space, name)
    if len(space._names) == 1:
        return Function(space, space._names[0])
    return space


