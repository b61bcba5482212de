"""What a function of Python gives, found from its text and the types of its arguments: where int and float meet there is a float,
and where a list and a number do, the function is refused. Whatever is not known is Unknown, and nothing follows from it."""
from __future__ import annotations

import ast
from typing import Any, Callable, NamedTuple, Optional, Union

from .array import Array
from .in_place import changed_names
from .errors import CompileError
from .interpreter import Closure, closure_of
from .source import FunctionNode
from .value_types import (BOOL, FLOAT, NEVER, RESULTS, UNKNOWN, Clash, Listed, Mark, Number, Tupled, Type, Value, join, type_of)

_Names = dict[str, Type]
MOST_TURNS = 12  # of a loop or recursion until its types stay
MOST_CALLS = 60  # of functions in functions


def conformed(x: Any, t: Type) -> Any:
    """A result of this type: integers that are to be floats become floats."""
    if isinstance(t, Tupled) and isinstance(x, tuple) and len(x) == len(t.parts):
        return tuple(conformed(v, p) for v, p in zip(x, t.parts))
    while isinstance(t, Listed):
        t = t.element
    if isinstance(x, Array) and type(x) is Array and t == FLOAT and x.dtype.name == "int64":
        from .operators import astype

        return astype(x, "float64")
    return x


class _Flow:
    """How statements end: the names behind them, None if nothing comes behind."""

    def __init__(self) -> None:
        self.returned: Type = NEVER
        self.broken: list[_Names] = []
        self.continued: list[_Names] = []


def _joined(names: list[Optional[_Names]], line: int) -> Optional[_Names]:
    reached = [n for n in names if n is not None]
    if not reached:
        return None
    result = dict(reached[0])
    for other in reached[1:]:
        for name, t in other.items():
            result[name] = join(result.get(name, NEVER), t, line)
    return result


class _Call:
    """One function with types for its parameters."""

    def __init__(self, finder: Finder, closure: Closure) -> None:
        self.finder = finder
        self.closure = closure
        self.flow = _Flow()
        self.changed = changed_names(closure.node)  # lists whose elements may come to be others

    # Statements.

    def run(self, body: list[ast.stmt], names: _Names) -> Optional[_Names]:
        going_on: Optional[_Names] = names
        for s in body:
            if going_on is None:
                return None
            going_on = self.statement(s, going_on)
        return going_on

    def statement(self, s: ast.stmt, names: _Names) -> Optional[_Names]:
        if isinstance(s, ast.Return):
            t = Value(None) if s.value is None else self.expression(s.value, names)
            self.flow.returned = self.used(join(self.flow.returned, t, s.lineno))
            return None
        if isinstance(s, ast.If):
            self.expression(s.test, names)
            return _joined([self.run(s.body, dict(names)), self.run(s.orelse, dict(names))], s.lineno)
        if isinstance(s, (ast.For, ast.While)):
            return self.loop(s, names)
        if isinstance(s, ast.Assign):
            t = self.expression(s.value, names)
            for target in s.targets:
                self.assign(target, t, names)
        elif isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
            t = self.binary(s.op, self.expression(ast.Name(s.target.id, ast.Load(), lineno=s.lineno, col_offset=0), names), self.expression(s.value, names))
            self.assign(s.target, t, names)
        elif isinstance(s, ast.AnnAssign) and s.value is not None:
            self.assign(s.target, self.expression(s.value, names), names)
        elif isinstance(s, ast.FunctionDef):
            names[s.name] = Value(self.local(s, s.name, names))
        elif isinstance(s, (ast.Break, ast.Continue)):
            (self.flow.broken if isinstance(s, ast.Break) else self.flow.continued).append(dict(names))
            return None
        elif isinstance(s, ast.Raise):
            return None
        elif isinstance(s, ast.Expr):
            self.expression(s.value, names)
        return names

    def loop(self, s: Union[ast.For, ast.While], names: _Names) -> Optional[_Names]:
        before = self.flow.broken, self.flow.continued
        element = self.element(self.expression(s.iter, names)) if isinstance(s, ast.For) else NEVER
        head = names
        for turn in range(MOST_TURNS):
            self.flow.broken, self.flow.continued = [], []
            inside = dict(head)
            if isinstance(s, ast.For):
                self.assign(s.target, element, inside)
            else:
                self.expression(s.test, inside)
            last = self.run(s.body, inside)
            after = _joined([head, last, *self.flow.continued], s.lineno)
            assert after is not None
            if after == head:
                break
            head = after if turn < MOST_TURNS - 2 else dict.fromkeys(after, UNKNOWN)
        endless = isinstance(s, ast.While) and isinstance(s.test, ast.Constant) and bool(s.test.value)
        through = None if endless else self.run(s.orelse, dict(head))
        result = _joined([through, *self.flow.broken], s.lineno)
        self.flow.broken, self.flow.continued = before
        return result

    def assign(self, target: ast.AST, t: Type, names: _Names) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = UNKNOWN if isinstance(t, Listed) and target.id in self.changed else t
        elif isinstance(target, (ast.Tuple, ast.List)):
            known = isinstance(t, Tupled) and len(t.parts) == len(target.elts)
            for k, e in enumerate(target.elts):
                self.assign(e, t.parts[k] if known else self.element(t), names)  # type: ignore[union-attr]

    # Expressions.

    def expression(self, e: ast.expr, names: _Names) -> Type:
        rule = _RULES.get(type(e))
        return UNKNOWN if rule is None else self.used(rule(self, e, names))

    def used(self, t: Type) -> Type:
        if isinstance(t, Clash):
            raise CompileError(f"a value is {t.why}", (self.closure.filename, t.line, 1, None))
        return t

    def name(self, e: ast.Name, names: _Names) -> Type:
        if e.id in names:
            return names[e.id]
        try:
            return self.finder.outside(self.closure, e.id)
        except NameError:
            return UNKNOWN

    def element(self, t: Type) -> Type:
        if isinstance(t, Listed):
            return t.element
        if isinstance(t, Tupled):
            found: Type = NEVER
            for p in t.parts:
                found = join(found, p, 0)
            return UNKNOWN if isinstance(found, Clash) else found
        return UNKNOWN

    def binary(self, op: ast.operator, a: Type, b: Type) -> Type:
        if NEVER in (a, b):
            return NEVER
        if isinstance(a, Number) and isinstance(b, Number):
            if isinstance(op, ast.Div):
                return FLOAT
            if isinstance(op, ast.Pow):
                return FLOAT if FLOAT in (a, b) else UNKNOWN  # int for int exponents that are not negative
            if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and a == b == BOOL:
                return BOOL
            return Number(max(a.rank, b.rank, 1))
        if isinstance(op, ast.Add) and isinstance(a, Tupled) and isinstance(b, Tupled):
            return Tupled(a.parts + b.parts)
        return UNKNOWN  # + puts lists together, and adds arrays

    def tuple(self, e: Any, names: _Names) -> Type:
        if any(isinstance(v, ast.Starred) for v in e.elts):
            return UNKNOWN
        return Tupled(tuple(self.expression(v, names) for v in e.elts))

    def list(self, e: ast.List, names: _Names) -> Type:
        found: Type = NEVER
        for v in e.elts:
            t = self.element(self.expression(v.value, names)) if isinstance(v, ast.Starred) else self.expression(v, names)
            found = join(found, t, v.lineno)
        return UNKNOWN if isinstance(found, (Clash, Value)) else Listed(found)

    def comprehension(self, e: Any, names: _Names) -> Type:
        inside = dict(names)
        for g in e.generators:
            self.assign(g.target, self.element(self.expression(g.iter, inside)), inside)
            for c in g.ifs:
                self.expression(c, inside)
        return Listed(self.expression(e.elt, inside))

    def boolean(self, e: ast.BoolOp, names: _Names) -> Type:
        found: Type = NEVER
        for v in e.values:
            found = join(found, self.expression(v, names), e.lineno)
        return found

    def subscript(self, e: ast.Subscript, names: _Names) -> Type:
        t, key = self.expression(e.value, names), e.slice
        if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub) and isinstance(key.operand, ast.Constant):
            place: Any = -key.operand.value if isinstance(key.operand.value, int) else None
        else:
            place = key.value if isinstance(key, ast.Constant) else None
        if isinstance(t, Tupled) and isinstance(place, int) and -len(t.parts) <= place < len(t.parts):
            return t.parts[place]
        if isinstance(key, ast.Slice):
            return t if isinstance(t, Listed) else UNKNOWN
        return self.element(t) if isinstance(self.expression(key, names), Number) else UNKNOWN

    def conditional(self, e: ast.IfExp, names: _Names) -> Type:
        self.expression(e.test, names)
        return join(self.expression(e.body, names), self.expression(e.orelse, names), e.lineno)

    def unary(self, e: ast.UnaryOp, names: _Names) -> Type:
        t = self.expression(e.operand, names)
        if isinstance(e.op, ast.Not) or t == NEVER:
            return BOOL if t != NEVER else t
        return Number(max(t.rank, 1)) if isinstance(t, Number) else UNKNOWN

    def compare(self, e: ast.Compare, names: _Names) -> Type:
        operands = [self.expression(v, names) for v in [e.left, *e.comparators]]
        return BOOL if all(isinstance(t, (Number, Value)) for t in operands) else UNKNOWN

    def attribute(self, e: ast.Attribute, names: _Names) -> Type:
        t = self.expression(e.value, names)
        if isinstance(t, Value) and hasattr(t.value, e.attr):
            return type_of(getattr(t.value, e.attr))
        return UNKNOWN

    def call(self, e: ast.Call, names: _Names) -> Type:
        f = self.expression(e.func, names)
        starred = any(isinstance(a, ast.Starred) for a in e.args)
        args = [self.expression(a.value if isinstance(a, ast.Starred) else a, names) for a in e.args]
        named = {k.arg: self.expression(k.value, names) for k in e.keywords if k.arg}
        if not isinstance(f, Value) or starred:
            return UNKNOWN
        return self.finder.call(f.value, args, named)

    def local(self, node: FunctionNode, name: str, names: _Names) -> Closure:
        return _Local(node, self.closure, name, dict(names) if isinstance(node, ast.Lambda) else names)


class _Local(Closure):
    """A function in a function; its free names are those of the function around it."""

    def __init__(self, node: FunctionNode, outer: Closure, name: str, names: _Names) -> None:
        super().__init__(node, outer.filename, name, outer.outer, {})
        self.around = outer
        self.names = names


def _named(call: _Call, e: ast.NamedExpr, names: _Names) -> Type:
    t = call.expression(e.value, names)
    call.assign(e.target, t, names)
    return t


def _constant(call: _Call, e: ast.Constant, names: _Names) -> Type:
    return type_of(e.value)


_RULES: dict[type, Callable[[_Call, Any, _Names], Type]] = {
    ast.Constant: _constant, ast.Name: _Call.name, ast.BinOp: lambda c, e, n: c.binary(e.op, c.expression(e.left, n), c.expression(e.right, n)),
    ast.UnaryOp: _Call.unary, ast.Compare: _Call.compare, ast.BoolOp: _Call.boolean, ast.IfExp: _Call.conditional, ast.Call: _Call.call,
    ast.Attribute: _Call.attribute, ast.Subscript: _Call.subscript, ast.Tuple: _Call.tuple, ast.List: _Call.list,
    ast.ListComp: _Call.comprehension, ast.NamedExpr: _named, ast.GeneratorExp: _Call.comprehension, ast.Lambda: lambda c, e, n: Value(c.local(e, "<lambda>", n))}


class Finder:
    """The types of a call, and of the calls in it."""

    def __init__(self) -> None:
        self.found: dict[Any, Type] = {}  # by function and types of its arguments
        self.open: dict[Any, bool] = {}  # likewise; whether it was called while it was looked at
        self.looked_up: list[tuple[Closure, str, Type]] = []

    def outside(self, closure: Closure, name: str) -> Type:
        while isinstance(closure, _Local):
            if name in closure.names:
                return closure.names[name]
            closure = closure.around
        t = type_of(closure.outer(name))
        self.looked_up.append((closure, name, t))
        return t

    def call(self, f: Any, args: list[Type], named: dict[str, Type]) -> Type:
        try:
            known = RESULTS.get(f)
        except TypeError:
            known = None
        if known is not None:
            return known(args) if not named else UNKNOWN
        if (getattr(f, "__module__", None) or "").startswith("neslvm") and not isinstance(f, Closure) and not hasattr(f, "python"):
            return UNKNOWN
        closure = None if isinstance(f, type) else closure_of(f)
        return UNKNOWN if closure is None else self.of(closure, args, named)

    def of(self, closure: Closure, args: list[Type], named: dict[str, Type]) -> Type:
        try:
            names = closure.bind(args, named) if not isinstance(closure, _Local) else _bound(closure, args, named)
        except TypeError:
            return UNKNOWN
        names = {k: v if isinstance(v, (Number, Listed, Tupled, Value, Clash, Mark)) else type_of(v) for k, v in names.items()}
        key = id(closure.node), tuple(sorted((k, repr(v)) for k, v in names.items()))
        if key in self.open:
            self.open[key] = True
            return self.found[key]
        if key in self.found:
            return self.found[key]
        if len(self.open) >= MOST_CALLS:
            return UNKNOWN
        self.found[key], self.open[key] = NEVER, False
        try:
            for _ in range(MOST_TURNS):
                t = self._once(closure, dict(names))
                stays = t == self.found[key] or not self.open[key]
                self.found[key] = t
                if stays:
                    return t
            self.found[key] = UNKNOWN
            return UNKNOWN
        finally:
            del self.open[key]

    def _once(self, closure: Closure, names: _Names) -> Type:
        call = _Call(self, closure)
        if isinstance(closure.node, ast.Lambda):
            return call.expression(closure.node.body, names)
        end = call.run(closure.node.body, names)
        return call.flow.returned if end is None else join(call.flow.returned, Value(None), closure.node.lineno)


def _bound(closure: _Local, args: list[Type], named: dict[str, Type]) -> dict[str, Any]:
    """Parameters; what has a default is unknown unless it is given."""
    a = closure.node.args
    positional = [p.arg for p in [*a.posonlyargs, *a.args]]
    missing = positional[len(positional) - len(a.defaults) :] + [p.arg for p in a.kwonlyargs]
    closure.defaults = dict.fromkeys(missing, UNKNOWN)
    return closure.bind(args, named)


class _Memo(NamedTuple):
    closure: Closure
    result: Type
    looked_up: list[tuple[Closure, str, Type]]


_memos: dict[Any, _Memo] = {}


def result_of(closure: Closure, args: list[Any], named: dict[str, Any]) -> Type:
    """The type of what a call gives; raises CompileError."""
    types, also = [type_of(a) for a in args], {k: type_of(v) for k, v in named.items()}
    key = id(closure.node), repr(types), repr(sorted(also.items(), key=lambda item: item[0]))
    memo = _memos.get(key)
    if memo is not None and all(type_of((closure if c is memo.closure else c).outer(name)) == t for c, name, t in memo.looked_up):
        return memo.result
    finder = Finder()
    result = finder.of(closure, types, also)
    if len(_memos) > 1000:
        _memos.clear()
    _memos[key] = _Memo(closure, result, finder.looked_up)
    return result
