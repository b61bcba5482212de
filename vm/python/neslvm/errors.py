"""Exceptions of the package, and how failures of the machine become exceptions of Python."""
from __future__ import annotations

import linecache
import os
from types import CodeType
from typing import NamedTuple, Optional


class CompileError(SyntaxError):
    """A function or NESL text that cannot be compiled: `filename`, `lineno`, `offset`."""

    def at(self, filename: str, line: int) -> None:
        """Its place, unless it has one."""
        if self.lineno is None:
            self.filename, self.lineno = filename, line


class BorrowError(RuntimeError):
    """Borrowed memory changed before what reads it was evaluated."""


class FallbackWarning(RuntimeWarning):
    """An operation that NumPy computes, since nvm has none."""


class AxisError(ValueError, IndexError):
    """There is no such axis: the standard asks now for one, now for the other of its classes, as NumPy's exception has both."""


class Origin(NamedTuple):
    """Where in a Python program something failed; `index` is that of the element, None if unknown."""

    filename: str
    lineno: int
    function: str
    index: Optional[int] = None  # type: ignore[assignment]


# By the causes of libnvm (nvm.hpp: Failure::Cause).
_CLASSES: tuple[type[Exception], ...] = (
    ValueError, IndexError, ValueError, ZeroDivisionError, ValueError, MemoryError, RecursionError, PermissionError, OSError,
    KeyboardInterrupt, TypeError, TimeoutError, RuntimeError, RuntimeError)  # type: ignore[assignment]


def class_of(cause: int) -> type[Exception]:
    return _CLASSES[cause] if 0 <= cause < len(_CLASSES) else RuntimeError


def place(site: object) -> Optional[Origin]:
    """The place of a code object and an offset in it."""
    if not isinstance(site, tuple):
        return None
    code, offset = site
    assert isinstance(code, CodeType)
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return Origin(code.co_filename, line, code.co_name)


def innermost(error: Exception) -> Optional[Origin]:
    """The last place outside of the package on the way to where an exception was raised."""
    own, found, trace = os.path.dirname(__file__) + os.sep, None, error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(own):
            found = Origin(code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    return found


def _line(source: str, number: int) -> str:
    lines = source.splitlines()
    return lines[number - 1] if number <= len(lines) else ""


def located(error: Exception, origin: Optional[Origin], source: Optional[str] = None) -> Exception:
    """The exception with its place, and a note that quotes the line, of `source` if that is no file."""
    if origin is None:
        return error
    error.nvm_origin = origin  # type: ignore[attr-defined]
    text = (linecache.getline(origin.filename, origin.lineno) if source is None else _line(source, origin.lineno)).strip()
    error.add_note(f'nvm: {origin.filename}:{origin.lineno}, in {origin.function}' + (f": {text}" if text else ""))
    return error
