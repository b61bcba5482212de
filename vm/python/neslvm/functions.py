"""Functions of Python as functions on arrays."""
from __future__ import annotations

import dataclasses
import functools
from typing import Any, Callable

from . import config, errors
from .array import Array
from .lanes import Number


def _given(x: Any) -> Any:
    if hasattr(x, "__array__") and not isinstance(x, Array):
        from .making import asarray

        return asarray(x)
    return x


def _kind(x: Any) -> Any:
    if isinstance(x, Array):
        return x.ndim, getattr(x, "element_type", None)
    return type(x) if isinstance(x, Number) else x if isinstance(x, (str, type(None))) else getattr(x, "__code__", type(x))


def as_result(x: Any) -> Any:
    """Numbers, lists and arrays as arrays; tuples by component."""
    from .comprehensions import Zipped
    from .data_classes import is_data_class
    from .iterators import taken
    from .making import array
    from .records import Records

    x = taken(x)
    if isinstance(x, Zipped):
        x = x.as_list()
    if type(x) is tuple:
        return tuple(as_result(v) for v in x)
    if isinstance(x, Array):
        return Array(x.flat, x.dims) if type(x).__name__ == "ListArray" else x
    if isinstance(x, list) and x and is_data_class(type(x[0])) and all(type(v) is type(x[0]) for v in x):
        names = [f.name for f in dataclasses.fields(x[0])]
        return Records([as_result([getattr(v, n) for v in x]) for n in names], names)
    if isinstance(x, list):
        return array([v.tolist() if isinstance(v, Array) else v for v in _plain(x)])
    if isinstance(x, Number) or hasattr(x, "__array__"):
        return array(x)
    return x


def _plain(x: Any) -> Any:
    if isinstance(x, Array):
        return x.tolist()
    return [_plain(v) for v in x] if isinstance(x, list) else x


class Function:
    """A function that runs on arrays; `python` is the original, which says what it means."""

    def __init__(self, python: Callable[..., Any]) -> None:
        self.python = python
        self.signatures: list[tuple[Any, ...]] = []  # the types of arguments that it was called with
        functools.update_wrapper(self, python)

    def __call__(self, *args: Any, **named: Any) -> Any:
        from .compiled import NOT_COMPILED, called
        from .interpreter import call_function, closure_of, parameters
        from .statements import check
        from .types import conformed, result_of

        given, also = [_given(a) for a in args], {k: _given(v) for k, v in named.items()}
        closure = closure_of(self.python)
        if closure is None:
            raise self._unreadable()
        check(closure)
        expected = result_of(closure, given, also)
        if config.current().interpret:
            return conformed(self._interpreted(given, also), expected)
        key = (*map(_kind, given), *((k, _kind(v)) for k, v in sorted(also.items())))
        bound = closure.bind(given, also)
        result = called(closure, [bound[p.arg] for p in parameters(closure)], False)
        if result is NOT_COMPILED:
            result = as_result(call_function(closure, given, also, None, None))
        result = conformed(result, expected)
        if key not in self.signatures:
            self.signatures.append(key)
        return result

    def nesl(self, *args: Any, **named: Any) -> str:
        """The text that such a call is compiled from, the function as a whole; CompileError says why it is executed from its tree."""
        from .compiled import text_of
        from .interpreter import closure_of, parameters

        closure = closure_of(self.python)
        if closure is None:
            raise self._unreadable()
        bound = closure.bind([_given(a) for a in args], {k: _given(v) for k, v in named.items()})
        return text_of(closure, [bound[p.arg] for p in parameters(closure)])

    def _unreadable(self) -> errors.CompileError:
        error = errors.CompileError(f"the source of {self.__name__} cannot be read: it must be in a file or in a cell of a notebook")  # type: ignore[attr-defined]
        code = getattr(self.python, "__code__", None)
        if code is not None:
            error.at(code.co_filename, code.co_firstlineno)
        return error

    def _interpreted(self, args: list[Any], named: dict[str, Any]) -> Any:
        try:
            return as_result(self.python(*args, **named))
        except Exception as e:
            if not hasattr(e, "nvm_origin"):
                errors.located(e, errors.innermost(e))
            raise

    def __reduce__(self) -> str:
        return self.python.__qualname__

    def __repr__(self) -> str:
        return f"<nvm function {self.__name__}>"  # type: ignore[attr-defined]


def function(f: Callable[..., Any]) -> Function:
    """A function of Python that is read through its source and works on arrays."""
    return Function(f)
