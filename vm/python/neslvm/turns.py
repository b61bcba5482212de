"""Turns of loops around operations on whole arrays: one is read and recorded again for those that follow, without Python.

A turn is read with parameters for the arrays that go from turn to turn. Statements on numbers of the host alone (k = k + 1) are
executed in every turn. A turn that looks at a value, that does something other than compute, or whose arrays depend on what is
another number in each turn is no such one: then all turns are executed from the tree."""
from __future__ import annotations

import ast
import functools
from typing import Any, Callable, Optional, TypeVar

from . import _nvm, sections
from .array import Array
from .flat import Flat, evaluate
from .interpreter import CHANGING, Closure, Ended, Frame
from .lanes import Number

_COMPUTING = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.For, ast.Pass)
_PLAIN = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.Name, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context)
_CONSTANT = (*Number, str, type(None), Closure)
T = TypeVar("T")
MOST_DEPTH = 200  # instructions of a chain that are not computed
MOST_TRIES = 2  # without a turn that could be recorded again


def _of_tree(f: Callable[[ast.AST], T]) -> Callable[[ast.AST], T]:
    """What the text alone says: found once for each node, not in each call."""
    return functools.lru_cache(maxsize=4096)(f)


@_of_tree
def _assigned_in(node: ast.AST) -> frozenset[str]:
    named = [t for n in ast.walk(node) for t in _targets(n)]
    return frozenset(n.id for t in named for n in ast.walk(t) if isinstance(n, ast.Name))


def _assigned(body: list[ast.stmt]) -> set[str]:
    """The names that its statements, also inner ones, give values."""
    return set().union(*map(_assigned_in, body))


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.NamedExpr)) else []


@_of_tree
def _reads(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


@_of_tree
def _computes(node: ast.AST) -> bool:
    """Whether all that a statement does is to give names values."""
    for n in ast.walk(node):
        if isinstance(n, ast.stmt) and not isinstance(n, _COMPUTING):
            return False
        if isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, ast.Store):
            return False
    return True


@_of_tree
def _names_of_plain(node: ast.AST) -> Optional[frozenset[str]]:
    """Of an assignment to names of something computed from names and constants those that it reads."""
    if not isinstance(node, (ast.Assign, ast.AugAssign)):
        return None
    if not all(isinstance(t, ast.Name) for t in _targets(node)) or not all(isinstance(n, _PLAIN) for n in ast.walk(node.value)):
        return None
    return _reads(node.value) | (_assigned_in(node) if isinstance(node, ast.AugAssign) else frozenset())


def _on_numbers(s: ast.stmt, frame: Frame) -> bool:
    """A statement on numbers of the host alone."""
    names = _names_of_plain(s)
    return bool(names) and all(type(frame.names.get(n)) in Number for n in names or ())


class _Recorded:
    """A turn that was read: statements of numbers of the host, and what became of the names that all others give values."""

    def __init__(self, host: list[ast.stmt], parameters: dict[str, Array], made: dict[str, Any]) -> None:
        self.host = host
        self.inputs = {k: (p.dims, p.dtype, p.flat.h.magnitude) for k, p in parameters.items()}
        results = {k: x for k, x in made.items() if sections.is_regular(x)}
        # Not the arrays: what they stand on would be stored, since somebody holds it.
        self.results = {k: (x.dtype, x.flat.size, x.dims) for k, x in results.items()}
        self.constants = {k: x for k, x in made.items() if k not in self.results}
        if not all(isinstance(x, _CONSTANT) for x in self.constants.values()):
            raise sections.Unrepeatable
        handles = [x.flat.h for x in results.values()]
        self.depth = max((h.depth for h in handles), default=0)
        self.tape = _nvm.Tape([p.flat.h for p in parameters.values()], handles)

    def fits(self, frame: Frame) -> bool:
        for name, (dims, dtype, magnitude) in self.inputs.items():
            x = frame.names.get(name)
            if not sections.is_regular(x) or x.dims != dims or x.dtype is not dtype:  # type: ignore[union-attr]
                return False
            if magnitude and not 0 < x.flat.h.magnitude <= magnitude:  # type: ignore[union-attr]
                return False
        return True

    def run(self, frame: Frame) -> None:
        from .statements import execute

        inputs = [frame.names[k].flat.h for k in self.inputs]
        if max((h.depth for h in inputs), default=0) + self.depth > MOST_DEPTH:
            evaluate(inputs)  # a chain ends between turns
        made = self.tape.record(inputs)
        for (name, (dtype, size, dims)), h in zip(self.results.items(), made):
            frame.names[name] = Array(Flat(dtype, h, size), dims)
        frame.names.update(self.constants)
        execute(self.host, frame)


class Turns:
    """The turns of a loop that runs for one call."""

    def __init__(self, body: list[ast.stmt], frame: Frame, target: Optional[ast.expr]) -> None:
        self._body = body
        self._frame = frame
        self._targets = set() if target is None else {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        self._recorded: Optional[_Recorded] = None
        self._tries = MOST_TRIES if all(map(_computes, body)) and not sections.is_reading() else 0
        self._is_first = True

    def run_recorded(self) -> bool:
        """A turn, if it is one that was read; else it is to be executed."""
        if self._is_first:  # then the types of what goes from turn to turn are not there yet
            self._is_first = False
            return False
        if self._recorded is None or not self._recorded.fits(self._frame):
            if self._tries == 0:
                return False
            self._tries -= 1
            self._recorded = self._read()
        if self._recorded is None:
            return False
        self._recorded.run(self._frame)
        return True

    def _read(self) -> Optional[_Recorded]:
        from .statements import execute

        frame = self._frame
        names, own = dict(frame.names), set(frame.own)
        assigned = _assigned(self._body)
        host = [s for s in self._body if _on_numbers(s, frame)]
        others = [s for s in self._body if s not in host]
        if any(map(sections.is_used_up, names.values())) or _assigned(others) & _assigned(host).union(*map(_reads, host)):
            return None
        parameters = {k: _parameter(x) for k, x in names.items() if k in assigned and sections.is_regular(x)}
        for name in (assigned | self._targets) & set(names):
            frame.names[name] = parameters.get(name, CHANGING)
        try:
            with sections.reading_a_turn():
                execute(others, frame)
            return _Recorded(host, parameters, {k: frame.names[k] for k in _assigned(others)})
        except (sections.Unrepeatable, Ended, Exception):  # comes again where the turn is executed
            return None
        finally:
            frame.names, frame.own = names, own


def _parameter(x: Array) -> Array:
    flat = x.flat
    return Array(Flat(flat.dtype, _nvm.parameter(flat.h.kind, flat.h.magnitude), flat.size), x.dims)
