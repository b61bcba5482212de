"""Statements of functions."""
from __future__ import annotations

import ast
from typing import Any, Callable, Iterator, Optional, Sequence

from . import rules, sections
from .array import Array
from .changes import held, set_element, store
from .errors import CompileError
from .expressions import value_of
from .host_lists import ListArray, load_list
from .interpreter import (NOTHING, OF_VALUES, Closure, Ended, Frame, all_and, any_of, choose_value, fails_nowhere, flags_of, is_lane, located,
                          refuse, under_way)
from .in_place import changes_parts
from .iterators import Iterated, taken
from .nested import ListLane
from .lanes import Lane
from .records import Records
from .turns import Turns

_ALLOWED = (
    ast.FunctionDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If,
    ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Assert, ast.Raise, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call,
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp, ast.comprehension,
    ast.Starred, ast.NamedExpr, ast.JoinedStr, ast.FormattedValue, ast.keyword, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_checked: set[int] = set()


def _targets(node: ast.AST) -> list[ast.expr]:
    """What it assigns to, without the tuples around it."""
    if isinstance(node, ast.Assign):
        open_ = list(node.targets)
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.comprehension)):
        open_ = [node.target]
    else:
        return []
    found: list[ast.expr] = []
    while open_:
        target = open_.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            open_.extend(target.elts)
        else:
            found.append(target)
    return found


def _why_not(node: ast.AST) -> Optional[str]:
    """Why a node alone cannot be compiled."""
    if not isinstance(node, _ALLOWED):
        return f"{type(node).__name__} cannot be compiled"
    if isinstance(node, ast.arguments) and (node.vararg or node.kwarg):
        return "functions with * parameters are not there yet"
    if isinstance(node, ast.keyword) and node.arg is None:
        return "** cannot be compiled"
    if isinstance(node, ast.Raise) and node.exc is None:
        return "raise without an exception cannot be compiled"
    return None


def check(closure: Closure) -> None:
    """Refuses what cannot keep its meaning, with its line."""
    if id(closure.node) in _checked:
        return
    frame = Frame(closure, None, None)
    for node in ast.walk(closure.node):
        why = _why_not(node)
        if why is not None:
            raise refuse(frame, node, why)
        for target in _targets(node):
            if isinstance(target, (ast.Subscript, ast.Starred)) and not isinstance(node, ast.comprehension):
                continue
            if not isinstance(target, ast.Name):
                raise refuse(frame, target, "only names and elements of lists are assigned to")
    _checked.add(id(closure.node))
    _kept.append(closure.node)


_kept: list[ast.AST] = []  # so that no other tree gets its number


def execute(body: list[ast.stmt], frame: Frame) -> None:
    for statement in body:
        if frame.dead:
            return
        run = _STATEMENTS.get(type(statement))
        if run is None:
            raise refuse(frame, statement, f"{type(statement).__name__} cannot be compiled")
        located(frame, statement, lambda run=run, statement=statement: run(statement, frame))  # type: ignore[misc]


def assign(target: ast.AST, value: Any, frame: Frame) -> None:
    if isinstance(target, (ast.Tuple, ast.List)):
        _assign_parts(target.elts, value, frame)
        return
    if isinstance(target, ast.Subscript):
        set_element(target, value, frame)
        return
    assert isinstance(target, ast.Name)  # check()
    if isinstance(value, ListLane) and value.part and not value.row and any(map(changes_parts, under_way())):
        raise refuse(frame, target, "an element of a list of lists has a name, and elements of such are changed here for each element; take a copy")
    if isinstance(value, Iterated) and frame.active is not None:
        _of_some(value, frame.active, frame)
    elif frame.size is not None and frame.active is not None and target.id in frame.names:
        value = choose_value(frame.active, value, frame.names[target.id], frame.size)
    frame.own.add(target.id)
    frame.names[target.id] = value


def _of_some(x: Iterated, flags: Any, frame: Frame) -> None:
    """An iterator that only these calls have made."""
    size = frame.size
    assert size is not None
    x.others = lambda: frame.active is not flags and any_of(rules.both(frame.flags(), rules.negated(flags)), size)


def _assign_parts(targets: list[ast.expr], value: Any, frame: Frame) -> None:
    value = taken(value)
    if isinstance(value, ListLane):
        parts = _of_each(len(targets), value, targets, frame)
    else:
        parts = list(value) if not isinstance(value, Lane) else None  # type: ignore[assignment]
    star = next((k for k, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    if parts is not None and star is not None and len(parts) >= len(targets) - 1:
        behind = len(parts) - (len(targets) - 1 - star)
        parts = [*parts[:star], parts[star:behind], *parts[behind:]]
    if parts is None or len(parts) != len(targets):
        raise ValueError(f"{len(targets)} names for {'one value' if parts is None else len(parts)}")
    for t, v in zip(targets, parts):
        assign(t.value if isinstance(t, ast.Starred) else t, v, frame)


def _of_each(n: int, x: ListLane, targets: list[ast.expr], frame: Frame) -> list[Any]:
    """The elements of the list of each call, which must have as many."""
    if any(isinstance(t, ast.Starred) for t in targets):
        raise refuse(frame, targets[0], "names for the parts of a list of each element have no *")
    if x.width != n:
        assert frame.size is not None
        from .lanes import operate

        if any_of(all_and(frame.active, operate("not_equal", x.length, n).flat.h), frame.size):
            raise ValueError(f"{n} names for a list of another length")
    return [x.at(k, frame.active) for k in range(n)]


def _assign(s: ast.Assign, frame: Frame) -> None:
    value = value_of(s.value, frame)
    if frame.size is not None and not _exchanges(s):
        pairs = zip(s.value.elts, value) if isinstance(s.value, ast.Tuple) and isinstance(value, tuple) else [(s.value, value)]
        if any(isinstance(t, ast.Subscript) for t in _targets(s)):
            for e, v in pairs:
                held(e, v, frame)
    for target in s.targets:
        assign(target, value, frame)


def _exchanges(s: ast.Assign) -> bool:
    """Whether elements change their places: a[i], a[j] = a[j], a[i]."""
    both = [s.targets[0], s.value]
    parts = [sorted(map(ast.unparse, x.elts)) for x in both if isinstance(x, ast.Tuple)]
    return len(parts) == 2 and parts[0] == parts[1]


def _augmented(s: ast.AugAssign, frame: Frame) -> None:
    from .expressions import binary

    before = frame.find(s.target.id) if isinstance(s.target, ast.Name) else value_of(s.target, frame)
    value = value_of(s.value, frame)
    if isinstance(before, (list, ListArray, ListLane)):
        value = taken(value)
    if isinstance(before, (list, ListArray)) and frame.size is None and isinstance(s.op, (ast.Add, ast.Mult)):
        sections.must_be_evaluated()  # the same list goes on
        if isinstance(s.op, ast.Add):
            before.extend(value)
        elif isinstance(before, list):
            before[:] = binary(s.op, before, value, frame)
        else:
            before.become_list(binary(s.op, before, value, frame))
        if not isinstance(s.target, ast.Name):  # a slice of a list is another list
            assign(s.target, before, frame)
        return
    if isinstance(before, ListLane) and not before.row:
        store(s.target, binary(s.op, before, value, frame), frame, s)
        return
    assign(s.target, binary(s.op, before, value, frame), frame)


def _annotated(s: ast.AnnAssign, frame: Frame) -> None:
    if s.value is not None:
        assign(s.target, value_of(s.value, frame), frame)


def _return(s: ast.Return, frame: Frame) -> None:
    value = None if s.value is None else value_of(s.value, frame)
    if frame.size is None:
        raise Ended("return", value)
    frame.result = value if frame.result is NOTHING else choose_value(frame.flags(), value, frame.result, frame.size)
    frame.dead = True


class _Branch:
    """Runs statements for some of the calls; afterwards says which of them go on."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.going_on: list[Any] = []

    def run(self, flags: Any, body: list[ast.stmt]) -> None:
        self.frame.active, self.frame.dead = flags, False
        try:
            execute(body, self.frame)
        except OF_VALUES:
            if not fails_nowhere(self.frame):
                raise
            self.frame.dead = True
        if not self.frame.dead:
            self.going_on.append(self.frame.active)

    def join(self) -> None:
        self.frame.dead = not self.going_on
        if len(self.going_on) == 1:
            self.frame.active = self.going_on[0]
        elif self.going_on:
            a, b = self.going_on
            self.frame.active = None if a is None or b is None else rules.either(a, b)


def _if(s: ast.If, frame: Frame) -> None:
    test = value_of(s.test, frame)
    if not is_lane(test):
        execute(s.body if _true(test) else s.orelse, frame)
        return
    assert frame.size is not None
    flags, before = flags_of(test, frame), frame.active
    all_before = before is None
    yes, no = all_and(before, flags), all_and(before, rules.negated(flags))
    branch = _Branch(frame)
    if not _calls_itself(s.body, frame) or any_of(yes, frame.size):
        branch.run(yes, s.body)
    if not _calls_itself(s.orelse, frame) or any_of(no, frame.size):
        branch.run(no, s.orelse)
    branch.join()
    if len(branch.going_on) == 1 and _calls_itself([frame.function.node], frame) and not any_of(frame.flags(), frame.size):
        frame.dead = True  # a recursion behind this would have no end
    if all_before and len(branch.going_on) == 2 and branch.going_on[0] is yes and branch.going_on[1] is no:
        frame.active = None


def _calls_itself(body: Sequence[ast.AST], frame: Frame) -> bool:
    """Whether a call of a function is in it, that could go on for ever where no call is under way."""
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) for b in body for n in ast.walk(b)) or any(
        isinstance(n, (ast.Raise, ast.Assert)) for b in body for n in ast.walk(b))


def _true(x: Any) -> bool:
    return len(x) > 0 if isinstance(x, Array) and load_list(x) else bool(x)


class _Loop:
    """A loop for all calls at once."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.outer = frame.broken, frame.continued
        frame.broken = frame.continued = NOTHING
        self.left: Any = NOTHING  # flags of calls that are through

    def let_go(self, flags: Any) -> None:
        self.left = flags if self.left is NOTHING else rules.either(self.left, flags)

    def turn(self, flags: Any, body: list[ast.stmt]) -> Any:
        """Runs the body for the calls of the flags; those that go on with the next turn, NOTHING if none does."""
        frame = self.frame
        frame.active, frame.dead, frame.continued = flags, False, NOTHING
        execute(body, frame)
        next_turn = NOTHING if frame.dead else frame.flags()
        if frame.continued is not NOTHING:
            next_turn = frame.continued if next_turn is NOTHING else rules.either(next_turn, frame.continued)
        return next_turn

    def end(self, orelse: list[ast.stmt]) -> None:
        """Goes on behind the loop; with its else for those that did not break."""
        frame, broken = self.frame, self.frame.broken
        frame.broken, frame.continued = self.outer
        going_on: list[Any] = []
        if self.left is not NOTHING:
            frame.active, frame.dead = self.left, False
            execute(orelse, frame)
            if not frame.dead:
                going_on.append(frame.flags())
        if broken is not NOTHING:
            going_on.append(broken)
        frame.dead = not going_on
        if going_on:
            frame.active = going_on[0] if len(going_on) == 1 else rules.either(*going_on)


def _loop(s: Any, frame: Frame, turns: Callable[[Optional[_Loop]], Iterator[Any]]) -> None:
    """A loop statement. `turns` begins a turn at a time: of one call nothing more is to be known, else the flags of the calls
    that take it; what does not is through."""
    if frame.size is None:
        several = Turns(s.body, frame, getattr(s, "target", None))
        for _ in turns(None):
            if not several.run_recorded() and _one_turn(s.body, frame):
                return
        execute(s.orelse, frame)
        return
    loop = _Loop(frame)
    for flags in turns(loop):
        going_on = loop.turn(flags, s.body)
        if going_on is NOTHING:
            break
        frame.active, frame.dead = going_on, False
    loop.end(s.orelse)


def _while(s: ast.While, frame: Frame) -> None:
    def turns(loop: Optional[_Loop]) -> Iterator[Any]:
        while True:
            test = value_of(s.test, frame)
            if loop is None:
                if not _true(test):
                    return
                yield None
                continue
            assert frame.size is not None
            flags = all_and(frame.active, flags_of(test, frame))
            if is_lane(test) or not _true(test) or frame.size.known == 0:
                loop.let_go(all_and(frame.active, rules.negated(flags_of(test, frame))))
            if not any_of(flags, frame.size):
                return
            yield flags

    _loop(s, frame, turns)


def _one_turn(body: list[ast.stmt], frame: Frame) -> bool:
    """Whether the loop ends."""
    try:
        execute(body, frame)
    except Ended as e:
        if e.how == "return":
            raise
        return e.how == "break"
    return False


def _for(s: ast.For, frame: Frame) -> None:
    values = taken(value_of(s.iter, frame))

    def elements(loop: Optional[_Loop]) -> Iterator[Any]:
        for v in host_elements(values):
            assign(s.target, v, frame)
            yield frame.active
        if loop is not None:
            loop.let_go(frame.flags())

    def of_lists(loop: Optional[_Loop]) -> Iterator[Any]:
        from .lanes import operate

        assert loop is not None and frame.size is not None
        k = 0
        while True:
            there = operate("greater", values.length, k).flat.h
            loop.let_go(all_and(frame.active, rules.negated(there)))
            flags = all_and(frame.active, there)
            if not any_of(flags, frame.size):
                return
            frame.active = flags
            assign(s.target, values.at(k, flags), frame)
            yield flags
            k += 1

    _loop(s, frame, of_lists if isinstance(values, ListLane) and frame.size is not None else elements)


def host_elements(values: Any) -> Any:
    """What a for statement goes through, in order."""
    if isinstance(values, Records) and values.ndim == 1 and not values.has_lists:
        return map(values.element, zip(*map(host_elements, values.parts)))
    if isinstance(values, Array) and values.ndim == 1 and values.dtype.name in ("int64", "float64", "bool"):
        return values.tolist()
    return values


def _leave(how: str) -> Callable[[Any, Frame], None]:
    def run(s: ast.stmt, frame: Frame) -> None:
        if frame.size is None:
            raise Ended(how)
        before = getattr(frame, "broken" if how == "break" else "continued")
        flags = frame.flags()
        setattr(frame, "broken" if how == "break" else "continued", flags if before is NOTHING else rules.either(before, flags))
        frame.dead = True

    return run


def _assert(s: ast.Assert, frame: Frame) -> None:
    test = value_of(s.test, frame)
    if frame.size is None or not is_lane(test) and frame.active is None:
        if not _true(test):
            raise AssertionError(*([] if s.msg is None else [_in_words(s.msg, frame, lambda: "...")]))
        return
    if any_of(all_and(frame.active, rules.negated(flags_of(test, frame))), frame.size):
        raise AssertionError(*([] if s.msg is None else [_in_words(s.msg, frame, lambda: "...")]))


def _raise(s: ast.Raise, frame: Frame) -> None:
    assert s.exc is not None  # check()
    if frame.size is not None and frame.active is not None and not any_of(frame.active, frame.size):
        frame.dead = True
        return
    exception = s.exc.func if isinstance(s.exc, ast.Call) else s.exc
    raise _in_words(s.exc, frame, lambda: value_of(exception, frame)("..."))


def _in_words(node: ast.expr, frame: Frame, otherwise: Callable[[], Any]) -> Any:
    """An exception or what an assertion says; otherwise if it tells of a value of each element."""
    try:
        return value_of(node, frame)
    except (CompileError, TypeError):
        if frame.size is None or not isinstance(node, (ast.Call, ast.BinOp)):
            raise
        return otherwise()


def _define(s: ast.FunctionDef, frame: Frame) -> None:
    from .expressions import closure_here

    frame.names[s.name] = closure_here(s, s.name, frame)


def _expression(s: ast.Expr, frame: Frame) -> None:
    if not isinstance(s.value, ast.Constant):
        value_of(s.value, frame)


_STATEMENTS: dict[type, Callable[[Any, Frame], None]] = {
    ast.Assign: _assign, ast.AugAssign: _augmented, ast.AnnAssign: _annotated, ast.Return: _return, ast.If: _if, ast.While: _while,
    ast.For: _for, ast.Break: _leave("break"), ast.Continue: _leave("continue"), ast.Assert: _assert, ast.Raise: _raise,
    ast.FunctionDef: _define, ast.Expr: _expression, ast.Pass: lambda s, frame: None}
