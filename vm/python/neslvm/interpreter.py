"""Functions of Python, executed from their syntax trees: for one call, or for all calls of a map at once.

For many calls a branch on their values executes both sides, each for its calls; a loop goes on while any call is in it."""
from __future__ import annotations

import ast
import builtins
import sys
import threading
from types import FunctionType
from typing import Any, Callable, Iterable, Optional, Sequence

from . import errors, rules, sections
from .dtypes import bool_
from .flat import Size, const, evaluate, ins1
from .iterators import Iterated, taken
from .nested import ListLane, display, either_of
from .source import FunctionNode, node_of
from .lanes import Lane, truth

MOST_CALLS = 20_000  # frames of Python while functions run


class Nothing:
    """Of calls that are not under way."""


NOTHING = Nothing()
CHANGING = object()  # while a turn of a loop is read: what is another value in each turn


class Ended(Exception):
    """Leaves a loop or function that runs for one call."""

    def __init__(self, how: str, value: Any = None) -> None:
        super().__init__(how)
        self.how = how
        self.value = value


class Frame:
    """Names of one call, or of all calls at once."""

    def __init__(self, function: Closure, size: Optional[Size], active: Any, parent: Optional[Frame] = None,
                 lift: Optional[Callable[[Any], Any]] = None) -> None:
        self.function = function
        self.size = size  # how many calls; None: one, on Python's own values
        self.active = active  # flags of the calls under way; None: all
        self.names: dict[str, Any] = {}
        self.own: set[str] = set()  # names that were assigned to
        self.parent = parent
        self.lift = lift  # makes a value of the parent's calls one of these
        self.dead = False  # no call goes on here
        self.result: Any = NOTHING
        self.broken: Any = NOTHING  # flags of calls that left the loop, or go on with its next turn
        self.continued: Any = NOTHING

    def find(self, name: str) -> Any:
        if name in self.names:
            value = self.names[name]
            if value is CHANGING:
                raise sections.Unrepeatable
            return value
        if self.parent is not None:
            value = self.parent.find(name)
            if self.lift is not None:
                value = self.names[name] = self.lift(value)
            return value
        return self.function.look_up(name)

    @property
    def origin_name(self) -> str:
        return self.function.name

    def flags(self) -> Any:
        assert self.size is not None
        return const("B", True, self.size) if self.active is None else self.active


class Closure:
    """A function: its tree, and where its free names are looked up."""

    def __init__(self, node: FunctionNode, filename: str, name: str, outer: Callable[[str], Any], defaults: dict[str, Any],
                 owner: Any = None) -> None:
        self.node = node
        self.filename = filename
        self.name = name
        self.outer = outer
        self.defaults = defaults
        self.owner = owner  # whose names outer() looks up; None: those of the function around it, which says so

    def __call__(self, *args: Any, **named: Any) -> Any:
        return call_function(self, args, named, None, None)

    def lifted(self, move: Callable[[Any], Any]) -> Closure:
        """The same for other calls: `move` makes of what it finds in the function around a value of these."""
        if self.owner is not None:
            return self
        defaults = {k: move(v) for k, v in self.defaults.items()}
        return Closure(self.node, self.filename, self.name, lambda name: move(self.outer(name)), defaults)

    def watched(self) -> Closure:
        """The same, for a reading of it; see sections.py."""
        sections.found(sections.ITSELF, None, self.defaults_seen())
        return Closure(self.node, self.filename, self.name, self.outer, self.defaults, sections.ITSELF)

    def look_up(self, name: str) -> Any:
        value = self.outer(name)
        if self.owner is not None:
            return sections.found(self.owner, name, value)
        if sections.is_reading() and sections.is_used_up(value):
            raise sections.Unrepeatable
        return value

    def defaults_seen(self) -> tuple[Any, ...]:
        return tuple(self.defaults.values())

    def bind(self, args: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        a = self.node.args
        positional = [p.arg for p in [*a.posonlyargs, *a.args]]
        if len(args) > len(positional):
            raise TypeError(f"{self.name}() takes {len(positional)} positional arguments, {len(args)} are given")
        bound = dict(zip(positional, args))
        for key, value in named.items():
            if key in bound or key not in positional + [p.arg for p in a.kwonlyargs]:
                raise TypeError(f"{self.name}() got an unexpected argument {key!r}")
            bound[key] = value
        for p in [*positional, *(k.arg for k in a.kwonlyargs)]:
            if p not in bound:
                if p not in self.defaults:
                    raise TypeError(f"{self.name}() misses its argument {p!r}")
                bound[p] = self.defaults[p]
        return bound


def parameters(closure: Closure) -> list[ast.arg]:
    a = closure.node.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs]


def outside(f: FunctionType, name: str) -> Any:
    """A name that a function does not bind."""
    code = f.__code__
    if name in code.co_freevars:
        assert f.__closure__ is not None
        return f.__closure__[code.co_freevars.index(name)].cell_contents
    if name in f.__globals__:
        return f.__globals__[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise NameError(f"name {name!r} is not defined", name=name)


def _is_of_package(f: FunctionType) -> bool:
    return (f.__module__ or "").startswith("neslvm.") and f.__name__ != "<lambda>"


def closure_of(f: Any) -> Optional[Closure]:
    """Of a function whose source can be read."""
    f = getattr(f, "python", f)
    if isinstance(f, Closure):
        return f
    if not isinstance(f, FunctionType) or _is_of_package(f):
        return None
    node = node_of(f)
    if node is None:
        return None
    if sections.is_reading():
        if f.__kwdefaults__:
            raise sections.Unrepeatable
        sections.found(f, None, f.__defaults__)
    positional = [p.arg for p in [*node.args.posonlyargs, *node.args.args]]
    values = f.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(values) :], values))
    defaults.update(f.__kwdefaults__ or {})
    return Closure(node, f.__code__.co_filename, f.__name__, lambda name: outside(f, name), defaults, f)


def call_vectorised(f: Any, values: Sequence[Any], size: Size) -> Any:
    """f of values of all calls; a function without source is called once with what stands for its numbers."""
    closure = closure_of(f)
    if closure is None:
        from .calls import call

        try:
            return taken(call(f, list(values), {}, Frame(_NOBODY, size, None)))
        except errors.CompileError as e:
            code = getattr(f, "__code__", None)
            if code is not None:
                e.at(code.co_filename, code.co_firstlineno)
            raise
    try:
        return taken(call_function(closure, values, {}, size, None))
    except OF_VALUES:
        if size.n:
            raise
        return 0  # of no element: nobody sees it


class _UnderWay(threading.local):
    """The functions that a thread executes from their sources, and how many calls of each."""

    def __init__(self) -> None:
        self.calls: dict[ast.AST, int] = {}


_under_way = _UnderWay()


def under_way() -> Iterable[ast.AST]:
    """The functions that are executed from their sources."""
    return _under_way.calls.keys()


def call_function(closure: Closure, args: Sequence[Any], named: dict[str, Any], size: Optional[Size], active: Any) -> Any:
    """A call, or all calls whose flags are set; recursion goes on with these alone."""
    calls, node = _under_way.calls, closure.node
    if size is not None and active is not None and node in calls:
        return _call_some(closure, args, named, size, active)
    calls[node] = calls.get(node, 0) + 1
    try:
        return _call(closure, args, named, size, active)
    finally:
        calls[node] -= 1
        if not calls[node]:
            del calls[node]


def _call_some(closure: Closure, args: Sequence[Any], named: dict[str, Any], size: Size, active: Any) -> Any:
    from .dtypes import int64
    from .flat import Flat, iota, pack
    from .nested import kept, picked

    some = pack(iota(size), active).size
    given = [kept(a, active, size, some) for a in args]
    also = {k: kept(v, active, size, some) for k, v in named.items()}
    result = call_function(closure, given, also, some, None)
    rank = ins1("+_SCAN INT", "I", ins1("B_TO_I", "I", active), size.seg)
    return picked(result, some, Flat(int64, rank, size), active) if is_lane(result) else result


def _call(closure: Closure, args: Sequence[Any], named: dict[str, Any], size: Optional[Size], active: Any) -> Any:
    from .statements import check, execute

    check(closure)
    frame = Frame(closure, size, active)
    frame.names.update(closure.bind(args, named))
    limit = sys.getrecursionlimit()
    if limit < MOST_CALLS:
        sys.setrecursionlimit(MOST_CALLS)
    if isinstance(closure.node, ast.Lambda):
        from .expressions import value_of

        return located(frame, closure.node.body, lambda: value_of(closure.node.body, frame))  # type: ignore[arg-type, return-value]
    try:
        execute(closure.node.body, frame)
    except Ended as e:
        return e.value
    return None if frame.result is NOTHING else frame.result


def located(frame: Frame, node: ast.AST, f: Callable[[], Any]) -> Any:
    """f(), whose exception is given the line if it has none."""
    try:
        return f()
    except errors.CompileError as e:
        e.at(frame.function.filename, node.lineno)  # type: ignore[attr-defined]
        raise
    except Ended:
        raise
    except Exception as e:
        if not hasattr(e, "nvm_origin"):
            errors.located(e, errors.Origin(frame.function.filename, node.lineno, frame.function.name))  # type: ignore[attr-defined]
        raise


def refuse(frame: Frame, node: ast.AST, why: str) -> errors.CompileError:
    line = getattr(node, "lineno", frame.function.node.lineno)
    return errors.CompileError(why, (frame.function.filename, line, getattr(node, "col_offset", 0) + 1, None))


def any_of(flags: Any, size: Size) -> bool:
    h = ins1("OR_REDUCE BOOL", "B", flags, size.seg)
    evaluate([h])
    return bool(h.bool_at(0))


OF_VALUES = (ArithmeticError, LookupError, ValueError)  # what constants may raise; Python does not where it never comes


def fails_nowhere(frame: Frame) -> bool:
    """Whether what has failed for all calls alike is needed by none."""
    return frame.size is not None and not any_of(frame.flags(), frame.size)


def all_and(a: Any, b: Any) -> Any:
    return b if a is None else rules.both(a, b)


def choose_value(flags: Any, a: Any, b: Any, size: Size) -> Any:
    if a is NOTHING or isinstance(a, Nothing):
        return b
    if b is NOTHING or isinstance(b, Nothing):
        return a
    if a is b:
        return a
    if isinstance(a, Iterated) or isinstance(b, Iterated):
        either = choose_value(flags, taken(a), taken(b), size)
        return Iterated(either, lambda: ())
    a, b = (display(x, size) if isinstance(x, list) else x for x in (a, b))
    return either_of(flags, a, b, size)


def is_lane(x: Any) -> bool:
    """Whether it differs from call to call."""
    return isinstance(x, (Lane, ListLane)) or isinstance(x, tuple) and any(is_lane(v) for v in x)


def of_each(x: Any) -> bool:
    """Whether something in it differs from call to call."""
    if isinstance(x, Iterated):
        return of_each(x.values)
    return is_lane(x) or isinstance(x, (list, tuple)) and any(map(of_each, x))


def flags_of(x: Any, frame: Frame) -> Any:
    assert frame.size is not None
    if isinstance(x, ListLane):
        return rules.convert(x.length.flat, bool_).h
    return truth(x, frame.size)


def _no_names(name: str) -> Any:
    raise NameError(name)


_NOBODY = Closure(ast.parse("lambda: 0", mode="eval").body, "", "", _no_names, {})  # type: ignore[arg-type]
