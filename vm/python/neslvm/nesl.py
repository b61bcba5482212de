"""Functions written in NESL."""
from __future__ import annotations

import re
import threading
from typing import Any, Optional

from . import _nvm, config, errors
from .array import Array, Lists
from .dtypes import DType, bool_, float64, int64, uint64
from .flat import Flat, ONE, Size, evaluate
from .records import Records

_TYPES = {"int": int64, "float": float64, "bool": bool_, "char": int64}


_CALL = "call"  # the text of a call, in messages


def _raise(failure: tuple[Any, ...], source: str, called: str = "") -> None:
    cause, reason, message, file, line, column = failure
    if cause == -1 and file == _CALL:
        raise TypeError(reason)
    if cause == -1 or message and not reason:
        error = errors.CompileError(message.strip() or reason)
        error.msg, error.filename, error.lineno, error.offset = message.strip() or reason, file, line or None, column or None
        raise error
    error_class = errors.class_of(cause)
    origin = errors.Origin(file, line, _function_at(source, line) or called, None) if line else None
    raise errors.located(error_class(reason), origin, source)


def _function_at(source: str, line: int) -> str:
    """The function of a text that has the line, as far as one may go by where functions begin."""
    names = re.findall(r"^[^%\n]*?\bfunction\s+(\w+)", "\n".join(source.splitlines()[:line]), re.MULTILINE | re.IGNORECASE)
    return names[-1] if names else ""


def _element(t: DType) -> str:
    return {"b": "bool", "f": "float"}.get(t.kind, "int")


def _has_text(x: list[Any]) -> bool:
    first = next((v for v in x if not isinstance(v, list) or v), None)
    return isinstance(first, str) or isinstance(first, list) and _has_text(first)


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
            if not -(2**63) <= x < 2**63:
                raise OverflowError(f"{x} does not fit into an integer of NESL, which has 64 bits and a sign")
            return "int", [_nvm.of_int(x)]
        if isinstance(x, float):
            return "float", [_nvm.of_float(x)]
        if isinstance(x, str) or isinstance(x, list) and _has_text(x):
            return self._texts(x)
        if isinstance(x, tuple):
            values = [self._value(v) for v in x]
            if len(values) < 2:
                raise TypeError("a tuple of NESL has two components or more")
            return "(" + ", ".join(n for n, _ in values) + ")", [p for _, v in values for p in v]
        from .making import asarray

        return self._array(asarray(x))

    def _texts(self, x: Any) -> tuple[str, list[Any]]:
        """A text, or lists of texts."""
        import numpy as np

        parts: list[Any] = []
        level = [x]
        while True:
            texts = [v.encode() for v in level if isinstance(v, str)]
            if len(texts) not in (0, len(level)) or not all(isinstance(v, (str, list)) for v in level):
                raise TypeError("a list has texts among other values")
            lengths = [len(v) for v in texts or level]
            parts.append(_nvm.descriptor(np.array(lengths, dtype=np.int64)) if parts else _nvm.one_segment(lengths[0]))
            if texts or not level:
                break
            level = [e for v in level for e in v]
        codes = np.frombuffer(b"".join(texts), dtype=np.uint8).astype(np.int64)
        return "[" * len(parts) + "char" + "]" * len(parts), [*parts, _nvm.borrow(codes, "q")]

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
        if t is uint64 and (flat.h.numpy() < 0).any():
            raise OverflowError("elements of 2**63 and more do not fit into integers of NESL, which have 64 bits and a sign")
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
        made = self._sequence(name) if name.startswith("[") else Array(Flat(_TYPES[name], self.parts.pop(0), ONE), ())
        return _with_texts(name, made.tolist()) if "char" in name else made

    def _sequence(self, name: str) -> Any:
        levels = []
        while name.startswith("["):
            levels.append(self.parts.pop(0))
            name = name[1:-1].strip()
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
        return Array(Flat(_TYPES[name], self.parts.pop(0), size), dims)


def _with_texts(name: str, x: Any) -> Any:
    """Lists of Python with the characters among them as texts."""
    if name == "char":
        return chr(x & 255)
    if name == "[char]":
        return bytes(c & 255 for c in x).decode(errors="replace")
    if name.startswith("["):
        return [_with_texts(name[1:-1], v) for v in x]
    return tuple(_with_texts(n, v) for n, v in zip(_split(name[1:-1]), x)) if name.startswith("(") else x


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

    def __reduce__(self) -> Any:
        return Function, (self._space, self.__name__)

    def __repr__(self) -> str:
        return f"<NESL function {self.__name__}>"


class Namespace:
    """The functions that a text defines."""

    def __init__(self, source: str) -> None:
        if not isinstance(source, str):
            raise TypeError(f"the source of NESL is a text, not {type(source).__name__}")
        self._source = source
        self._lock = threading.RLock()  # also for a handler of a signal that comes meanwhile
        self._session = _nvm.Session(config.machine_options())
        names = self._session.define(source, "<nesl>")
        if isinstance(names, tuple):
            _raise(names, source)
        self._names: list[str] = [n.lower() for n in names]

    def __reduce__(self) -> Any:
        return Namespace, (self._source,)

    def __dir__(self) -> list[str]:
        return self._names

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_") or name.lower() not in self._names:
            raise AttributeError(f"the text defines no function {name}; it defines " + ", ".join(self._names))
        return Function(self, name)

    def call(self, name: str, given: _Arguments) -> Any:
        done = self.run(name, given)
        if len(done) != 2:
            _raise(done, self._source, name)
        return result_of(done)

    def run(self, name: str, given: _Arguments) -> tuple[Any, ...]:
        """The type and parts of a result, or why there is none; what is raised is of handlers of signals."""
        with self._lock:
            done: tuple[Any, ...] = self._session.call(name, given.types, given.parts)
        return done


def result_of(done: tuple[Any, ...]) -> Any:
    if not all(word in _TYPES for word in re.findall(r"\w+|->", done[0])):
        raise TypeError(f"the result is of type {done[0]}, and Python has nothing for that; numbers, texts, sequences and tuples come "
                        "back: of a data type or dictionary return the components")
    return _Result(list(done[1])).take(done[0])


def nesl(source: str, name: Optional[str] = None) -> Any:
    """Compiles definitions: the function of a text that defines one, or the one named; else a namespace of them."""
    space = Namespace(source)
    if name is not None:
        return getattr(space, name)
    if len(space._names) == 1:
        return Function(space, space._names[0])
    return space


