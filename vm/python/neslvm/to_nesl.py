"""Functions of Python as functions of NESL: for types of arguments, as far as their meaning can be kept for sure.

Everything else is refused, and the tree is executed. A loop is a function that calls itself last, what follows it another one;
each value of a name is a name of its own. What fails when it runs is executed from the tree again, which says what failed."""
from __future__ import annotations

import ast
import math
from types import FunctionType
from typing import Any, NamedTuple, Optional, Sequence, Union

from .array import Array
from .interpreter import Closure, closure_of
from .value_types import BOOL, FLOAT, INT, Number

MOST_FUNCTIONS = 200
MOST_ROUNDS = 8  # until the types of a recursion stay
MOST_DEPTH = 100_000  # of a recursion

PRELUDE = """
function py_fail(z) = let v = [z] in v[#v];
function py_at(v, i) = v[(if i < 0 then i + #v else i)];
function py_div(a, b) = let q = a / b; r = a - q * b in if r /= 0 and ((r < 0) xor (b < 0)) then q - 1 else q;
function py_mod(a, b) = let r = a - a / b * b in if r /= 0 and ((r < 0) xor (b < 0)) then r + b else r;
function py_bound(i, n) = min(max((if i < 0 then i + n else i), 0), n);
function py_cut(v, i, j) = let n = #v; a = py_bound(i, n); b = py_bound(j, n) in subseq(v, a, max(a, b));
function py_max(v) = if #v == 0 then py_fail(0) else max_val(v);
function py_min(v) = if #v == 0 then py_fail(0) else min_val(v);
function py_real(x, r) = if (r == r or not(x == x)) and (abs(r) <= 1.7e308 or abs(x) > 1.7e308) then r else py_fail(r);
function py_sqrt(x) = if x < 0.0 then py_fail(x) else sqrt(x);
function py_ln(x) = if x > 0.0 then ln(x) else py_fail(x);
function py_over(a, b) = if b == 0.0 then py_fail(a) else a / b;
function py_of(v, n) = if #v == n then v else take(v, 0);
function py_step(s) = if s == 0 then py_fail(1) else s;
function py_count(s, d, e) = if s >= e then 0 else let n = e - s in if n > 0 and d > 0 then (n - 1) / d + 1 else py_fail(0);
function py_range(s, e) = iseq(s, 1, s + py_count(s, 1, e));
function py_steps(s, d, e) = let n = if py_step(d) > 0 then py_count(s, d, e) else py_count(e, 0 - d, s) in {s + i * d : i in index(n)};
function py_end(e, d) = if (d > 0 and e > 9223372036854775807 - d) or (d < 0 and e < (-9223372036854775807) - 1 - d) then py_fail(e) else e;
function py_int(x) = if abs(x) < 9.0e18 then trunc(x) else py_fail(0);
function py_floor(x) = if abs(x) < 9.0e18 then floor(x) else py_fail(0);
function py_ceil(x) = if abs(x) < 9.0e18 then ceil(x) else py_fail(0);
"""


class Seq(NamedTuple):
    """A list, an array (+ means something else), or one or the other."""

    element: Type
    kind: int = 0  # 0 a list, 1 an array, 2 unknown which


class Tuple_(NamedTuple):
    parts: tuple[Type, ...]


class Never(NamedTuple):
    """Of a call that is not known yet."""


Type = Union[Number, Seq, Tuple_, Never]
NEVER = Never()


class Local(NamedTuple):
    """A function in a function."""

    node: ast.FunctionDef


class Refused(Exception):
    """It cannot be told in NESL."""


class Code(NamedTuple):
    text: str
    type: Type


Names = dict[str, Union[Code, Local]]


def type_name(t: Type) -> str:
    if isinstance(t, Number):
        return ("bool", "int", "float")[t.rank]
    if isinstance(t, Seq):
        return f"[{type_name(t.element)}]"
    return f"({', '.join(map(type_name, t.parts))})" if isinstance(t, Tuple_) else "int"


def zero(t: Type) -> str:
    """Some value of a type."""
    if isinstance(t, Number):
        return ("f", "0", "0.0")[t.rank]
    if isinstance(t, Seq):
        return f"[] {type_name(t.element)}" if not isinstance(t.element, Tuple_) else f"{{{zero(t.element)} : q in [] int}}"
    if isinstance(t, Tuple_):
        return "(" + ", ".join(map(zero, t.parts)) + ")"
    return "0"


def join(a: Type, b: Type) -> Type:
    if a == b or isinstance(b, Never):
        return a
    if isinstance(a, Never):
        return b
    if isinstance(a, Number) and isinstance(b, Number) and BOOL not in (a, b):
        return FLOAT
    if isinstance(a, Seq) and isinstance(b, Seq):
        return Seq(join(a.element, b.element), a.kind if a.kind == b.kind else 2)
    if isinstance(a, Tuple_) and isinstance(b, Tuple_) and len(a.parts) == len(b.parts):
        return tuple_of([join(x, y) for x, y in zip(a.parts, b.parts)])
    raise Refused(f"{a} and {b} do not meet")


def tuple_of(parts: Sequence[Type]) -> Tuple_:
    if len(parts) < 2 or isinstance(parts[-1], Tuple_):
        raise Refused("NESL has no such tuples")
    return Tuple_(tuple(parts))


def coerced(c: Code, t: Type) -> str:
    """Its text as one of another type, which it was joined to."""
    if isinstance(c.type, Seq) and isinstance(t, Seq) and isinstance(c.type.element, Never):
        return f"({zero(t)})"  # nobody knew of what it has none
    if c.type == FLOAT or t != FLOAT:
        if c.type == t or not _has_float(t) or not _differs(c.type, t):
            return c.text
        raise Refused("the elements would have to be converted")
    return f"float({c.text})" if c.type == INT else c.text


def _has_float(t: Type) -> bool:
    return t == FLOAT or isinstance(t, Seq) and _has_float(t.element) or isinstance(t, Tuple_) and any(map(_has_float, t.parts))


def _differs(a: Type, b: Type) -> bool:
    """In numbers, not only in which kind of list."""
    if isinstance(a, Seq) and isinstance(b, Seq):
        return _differs(a.element, b.element)
    if isinstance(a, Tuple_) and isinstance(b, Tuple_):
        return any(_differs(x, y) for x, y in zip(a.parts, b.parts))
    return not isinstance(a, Never) and a != b


def type_of(x: Any) -> Type:
    """Of a value of the host."""
    if isinstance(x, (bool, int, float)):
        if isinstance(x, int) and not -(2**63) <= x < 2**63:
            raise Refused("an integer of more than 64 bits")
        return Number(0 if isinstance(x, bool) else 1 if isinstance(x, int) else 2)
    if type(x) is Array:
        t: Type = {"bool": BOOL, "int64": INT, "float64": FLOAT}.get(x.dtype.name, NEVER)
        if isinstance(t, Never):
            raise Refused(f"elements of type {x.dtype}")
        if x.ndim == 0:
            raise Refused("an array of no dimensions")
        for d in reversed(x.dims[1:]):
            t = Seq(t, 1 if isinstance(d, int) else 0)
        return Seq(t, 1)
    if type(x) is tuple:
        return tuple_of([type_of(v) for v in x])
    raise Refused(f"a {type(x).__name__}")


class Defined(NamedTuple):
    """A function of NESL; all of one function of Python give what that gives."""

    name: str
    heads: list[str]
    types: list[Type]
    text: str


def declared(f: Defined, result: Type) -> str:
    types = [type_name(t) for t in f.types]
    return f"function {f.name}({', '.join(f.heads)}) : {types[0] if len(types) == 1 else '(' + ', '.join(types) + ')'} -> {type_name(result)};"


class Program:
    """The functions of NESL that are made, and what was found outside of the functions of Python."""

    def __init__(self) -> None:
        self.texts: dict[Any, str] = {}
        self.names: dict[Any, str] = {}
        self.results: dict[Any, Type] = {}
        self.open: list[Any] = []
        self.recursive: set[Any] = set()
        self.seen: list[tuple[Closure, str, Any]] = []
        self.loops = False
        self.locals: dict[Any, Closure] = {}
        self.counter = 0

    def fresh(self, name: str) -> str:
        self.counter += 1
        return f"{''.join(c for c in name.lower() if c.isascii() and c.isalnum())}_v{self.counter}"

    def local(self, node: ast.FunctionDef, around: Sequence[str], e: Any) -> Closure:
        """A function in a function, with what it finds there as parameters behind its own."""
        key = id(node), tuple(around)
        if key not in self.locals:
            a = node.args
            wide = ast.arguments(posonlyargs=[], args=[*a.args, *map(ast.arg, around)], kwonlyargs=[], kw_defaults=[], defaults=[])
            made = ast.FunctionDef(**{**{f: getattr(node, f) for f in node._fields}, "args": wide})

            def outer(name: str) -> Any:
                return self.locals[key] if name == node.name else e.outer_name(name)

            self.locals[key] = Closure(made, e.closure.filename, node.name, outer, {})
        return self.locals[key]

    def function(self, closure: Closure, types: tuple[Type, ...], lifted: bool) -> Any:
        """The key of a function for types of its parameters; its result is known if it can be."""
        key = id(closure.node), types, lifted
        if key in self.open:
            self.recursive.update(self.open[self.open.index(key) :])
            self.loops = True
            return key
        if key in self.texts:
            return key
        if len(self.names) > MOST_FUNCTIONS:
            raise Refused("too many functions")
        self.names[key] = self.fresh(closure.name if closure.name.isidentifier() else "lambda")
        self.results[key] = NEVER
        self.open.append(key)
        try:
            for _ in range(MOST_ROUNDS):
                was = self.results[key]
                done, recursive = set(self.texts), key in self.recursive
                self.texts[key], self.results[key] = self._text(closure, key, types, lifted)
                if self.results[key] == was and (key in self.recursive) == recursive or key not in self.recursive:
                    break
                for k in set(self.texts) - done:
                    del self.texts[k]
            else:
                raise Refused("the types of a recursion do not stay")
        finally:
            self.open.pop()
        if isinstance(self.results[key], Never):
            raise Refused("a recursion without end")
        return key

    def _text(self, closure: Closure, key: Any, types: tuple[Type, ...], lifted: bool) -> tuple[str, Type]:
        from .nesl_statements import Body

        a = closure.node.args
        parameters = [p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
        names: Names = {p: Code(self.fresh(p), t) for p, t in zip(parameters, types)}
        heads = [n.text for n in names.values() if isinstance(n, Code)]
        deep = key in self.recursive
        body = Body(self, closure, lifted, "depth" if deep else "0")
        made = body.result(names)
        text = made.text
        if deep:
            text = f"if depth > {MOST_DEPTH} then py_fail({zero(made.type)}) else {text}"
        body.define(self.names[key], heads, list(types), text)
        return "\n".join([*(declared(f, made.type) for f in body.functions), *(f.text for f in body.functions)]), made.type

    def call(self, key: Any, args: list[str], depth: str) -> Code:
        given = [*args, *[f"{depth} + 1"] * (key in self.recursive)]
        return Code(f"{self.names[key]}({', '.join(given)})", self.results[key])

    def found(self, closure: Closure, name: str) -> Any:
        value = closure.outer(name)
        self.seen.append((closure, name, value))
        return value


class Compiled(NamedTuple):
    source: str
    seen: list[tuple[Closure, str, Any]]
    result: Type


def translated(closure: Closure, types: tuple[Type, ...], each: bool) -> Compiled:
    """A text that defines py_main: the function of values of these types, or of all elements of sequences."""
    program = Program()
    try:
        key = program.function(closure, types, each)
    except RecursionError:
        raise Refused("too deep") from None
    if not program.loops:
        raise Refused("nothing that takes turns")
    result = program.results[key]
    _check_result(result, each)
    names = [f"a_{k}" for k in range(len(types))]
    given = ["1"] if key in program.recursive else []
    one = f"{program.names[key]}({', '.join([*names, *given])})"
    if each:
        columns = [f"s_{k}" for k in range(len(types))]
        main = f"function py_main({', '.join(columns)}) = {{{one} : " + "; ".join(f"{n} in {c}" for n, c in zip(names, columns)) + "};"
    else:
        main = f"function py_main({', '.join(names)}) = {one};"
    return Compiled("\n".join([PRELUDE, *_in_order(program), main]), program.seen, result)


def _in_order(program: Program) -> list[str]:
    """Declarations first: functions call each other."""
    lines = [line for text in program.texts.values() for line in text.split("\n")]
    return sorted(lines, key=lambda line: ") = " in line.split(" : ")[0])


def _check_result(t: Type, each: bool) -> None:
    """Rows of arrays would come out as lists."""
    if isinstance(t, Seq):
        if each and t.kind:
            raise Refused("a row of an array")
        _check_result(t.element, True)
    elif isinstance(t, Tuple_):
        for p in t.parts:
            _check_result(p, each)


def constant(x: Any) -> Code:
    t = type_of(x)
    if t == FLOAT:
        if not math.isfinite(x):
            raise Refused("a number that is not finite")
        text = repr(x)
        text = text if "." in text else text.replace("e", ".0e")
        return Code(f"({text})" if x < 0 or str(x)[0] == "-" else text, t)
    if t == BOOL:
        return Code("t" if x else "f", t)
    if isinstance(t, Number):
        return Code(str(x) if x >= 0 else f"({x})", t)
    raise Refused("a constant that is no number")


def called_function(f: Any) -> Optional[Closure]:
    """A function of Python that can be translated."""
    if isinstance(f, Closure):
        return f
    if isinstance(f, FunctionType) or isinstance(getattr(f, "python", None), FunctionType):
        closure = closure_of(f)
        return closure if closure is not None and isinstance(closure.node, (ast.FunctionDef, ast.Lambda)) else None
    return None


