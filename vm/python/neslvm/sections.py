"""Functions of elements that were read before: what they recorded is recorded again for other values.

A function is read with parameters for its elements. What came of that is a tape of instructions, which holds as long as all that
the function looked up outside of itself is what it was; arrays among that are inputs, too."""
from __future__ import annotations

import contextlib
import operator
import threading
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence

from . import _nvm
from .dtypes import DType
from .flat import Flat, HostFlat, Size

MOST_FUNCTIONS = 256  # whose tapes are kept
MOST_TAPES = 8  # of a function, which differ in what it found outside of itself


class Unrepeatable(BaseException):
    """Something may be different the next time: a value of an element was looked at, or what may change was."""


class _Itself:
    """Stands for the function that is read, of which there is another one each time that its text is met."""


ITSELF = _Itself()


class _Seen(NamedTuple):
    owner: Any  # a function or module
    name: Optional[str]  # None: defaults of parameters
    value: Any


class _Taken(NamedTuple):
    """An array that was found outside."""

    owner: Any
    name: str
    shape: tuple[int, ...]
    dtype: DType
    array: Any  # of a parameter

    def same(self, x: Any) -> bool:
        return is_regular(x) and x.dtype is self.dtype and x.dims == self.shape


class _Tape(NamedTuple):
    seen: list[_Seen]
    taken: list[_Taken]
    tape: Any
    dtype: DType

    def on(self, flats: Sequence[Flat], taken: list[Any], size: Size) -> Flat:
        return Flat(self.dtype, self.tape.record([*(x.h for x in flats), *taken, size.seg])[0], size)


class _Kept:
    """The tapes of one function and use."""

    def __init__(self, node: Any) -> None:
        self.node = node  # so that no other one gets its number
        self.tapes: list[_Tape] = []
        self.misses = 0  # without a hit between them; no more are tried at the most


class _Reading(threading.local):
    now: Optional[_Watch] = None


_reading = _Reading()
_kept: dict[Any, _Kept] = {}
_CONSTANTS = (int, float, bool, complex, str, type(None), ModuleType, BuiltinFunctionType, type, DType)
_PURE = frozenset([abs, min, max, sum, len, range, zip, enumerate, sorted, reversed, any, all, float, int, bool, round, list, tuple, complex,
                   divmod, pow, operator.itemgetter])


def _is_constant(x: Any) -> bool:
    if type(x) is tuple:
        return all(map(_is_constant, x))
    if type(x) is FunctionType or isinstance(getattr(x, "python", None), FunctionType):
        return True
    return type(x) in _CONSTANTS


def is_regular(x: Any) -> bool:
    """Whether it can be an input of a tape."""
    from .array import Array

    return type(x) is Array and all(type(d) is int for d in x.dims) and not isinstance(x._flat, HostFlat)


def _same(a: Any, b: Any, depth: int = 0) -> bool:
    """Whether a function that finds one or the other does the same."""
    if a is b:
        return True
    if type(a) is not type(b) or depth > 4:
        return False
    if type(a) is FunctionType:
        alike = a.__code__ is b.__code__ and a.__globals__ is b.__globals__ and not a.__kwdefaults__ and not b.__kwdefaults__
        found = (a.__closure__ or (), b.__closure__ or ())
        return alike and _same(a.__defaults__, b.__defaults__, depth + 1) and all(_same_cells(x, y, depth) for x, y in zip(*found))
    if type(a) is tuple:
        return len(a) == len(b) and all(_same(x, y, depth + 1) for x, y in zip(a, b))
    if type(a) in (float, complex):
        return repr(a) == repr(b)
    return type(a) in (int, bool, str) and bool(a == b)


def _same_cells(a: Any, b: Any, depth: int) -> bool:
    try:
        return _same(a.cell_contents, b.cell_contents, depth + 1)
    except ValueError:
        return False


def found(owner: Any, name: Optional[str], value: Any) -> Any:
    """What a function that is being read looks up outside of itself; the value to go on with."""
    return value if _reading.now is None else _reading.now.found(owner, name, value)


def is_used_up(value: Any) -> bool:
    """Whether it is something else when it has been gone through."""
    return hasattr(value, "__next__")


def is_reading() -> bool:
    return _reading.now is not None


def must_be_evaluated() -> None:
    """A value is needed now."""
    if _reading.now is not None:
        raise Unrepeatable


def about_to_call(f: Any) -> None:
    """A function that is not read is called."""
    if _reading.now is None:
        return
    module = getattr(f, "__module__", None) or ""
    try:
        pure = f in _PURE
    except TypeError:
        pure = False
    if not pure and (isinstance(f, type) or module not in ("math", "_operator", "operator") and not module.startswith("neslvm")):
        raise Unrepeatable


class _Watch:
    """What a function that is read finds outside of itself."""

    def __init__(self) -> None:
        self.seen: list[_Seen] = []
        self.taken: list[_Taken] = []

    def found(self, owner: Any, name: Optional[str], value: Any) -> Any:
        if is_regular(value) and name is not None:
            return self._array(owner, name, value)
        if not _is_constant(value):
            raise Unrepeatable
        self.seen.append(_Seen(owner, name, value))
        return value

    def _array(self, owner: Any, name: str, value: Any) -> Any:
        for t in self.taken:
            if t.owner is owner and t.name == name:
                return t.array
        from .array import Array

        flat = value.flat
        parameter = Array(Flat(flat.dtype, _nvm.parameter(flat.h.kind, 0), flat.size), value.dims)
        self.taken.append(_Taken(owner, name, value.dims, value.dtype, parameter))
        return parameter


class _TurnWatch(_Watch):
    """Of one turn of a loop: what is found outside stays what it is until the loop ends."""

    def found(self, owner: Any, name: Optional[str], value: Any) -> Any:
        from .array import Array

        if not _is_constant(value) and not isinstance(value, (list, tuple, dict, range, Array)):
            raise Unrepeatable
        return value


@contextlib.contextmanager
def reading_a_turn() -> Iterator[None]:
    """Until its end what cannot be recorded again raises Unrepeatable."""
    _reading.now = _TurnWatch()
    try:
        yield
    finally:
        _reading.now = None


def _looked_up(owner: Any, name: Optional[str], closure: Any) -> Any:
    from .interpreter import outside

    if owner is ITSELF:
        return closure.defaults_seen() if name is None else closure.outer(name)
    if isinstance(owner, ModuleType):
        return getattr(owner, name)  # type: ignore[arg-type]
    return owner.__defaults__ if name is None else outside(owner, name)


def _inputs(tape: _Tape, closure: Any) -> Optional[list[Any]]:
    """The arrays that a function finds outside, if all else is as it was."""
    try:
        if not all(_same(s.value, _looked_up(s.owner, s.name, closure)) for s in tape.seen):
            return None
        handles = []
        for t in tape.taken:
            x = _looked_up(t.owner, t.name, closure)
            if not t.same(x):
                return None
            handles.append(x.flat.h)
        return handles
    except (NameError, AttributeError, ValueError):
        return None


def repeated(use: Any, f: Any, flats: Sequence[Flat], size: Size, make: Callable[[Any, Sequence[Flat]], Flat]) -> Optional[Flat]:
    """make(f, flats), which applies a function to elements, from a tape; None if there can be none. `use` says what else make
    depends on; its result has this size."""
    from .interpreter import closure_of

    if _reading.now is not None or size.known is None or any(isinstance(x, HostFlat) for x in flats):
        return None
    closure = closure_of(f)
    if closure is None:
        return None
    key = use, size.known, id(closure.node), tuple((x.dtype.name, x.h.magnitude) for x in flats)
    kept = _kept.get(key)
    if kept is None:
        while len(_kept) >= MOST_FUNCTIONS:
            del _kept[next(iter(_kept))]
        kept = _kept[key] = _Kept(closure.node)
    if kept.misses == MOST_TAPES:
        return None
    for tape in kept.tapes:
        taken = _inputs(tape, closure)
        if taken is not None:
            kept.misses = 0
            return tape.on(flats, taken, size)
    made = _read(closure, flats, size, make)
    if made is None:
        kept.misses = MOST_TAPES
        return None
    kept.misses += 1
    if len(kept.tapes) == MOST_TAPES:
        del kept.tapes[0]
    kept.tapes.append(made)
    taken = _inputs(made, closure)
    return None if taken is None else made.on(flats, taken, size)


def _read(closure: Any, flats: Sequence[Flat], size: Size, make: Callable[[Any, Sequence[Flat]], Flat]) -> Optional[_Tape]:
    parameters = [Flat(x.dtype, _nvm.parameter(x.h.kind, x.h.magnitude), size) for x in flats]
    watch = _reading.now = _Watch()
    try:
        result = make(closure.watched(), parameters)
        inputs = [*(x.h for x in parameters), *(t.array.flat.h for t in watch.taken), size.seg]
        taken = [t._replace(array=None) for t in watch.taken]
        return _Tape(watch.seen, taken, _nvm.Tape(inputs, [result.h]), result.dtype)
    except Unrepeatable:
        return None
    except Exception:  # comes again where it is not caught
        return None
    finally:
        _reading.now = None
