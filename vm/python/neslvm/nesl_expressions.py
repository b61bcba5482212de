"""Expressions of Python as expressions of NESL. Each text can stand as an operand."""
from __future__ import annotations

import ast
import math
from types import ModuleType
from typing import Any, Callable, Sequence

from .interpreter import Closure
from .in_place import changes_parts, is_fresh
from .iterators import makes_iterator
from .source import fits, literal_of
from .to_nesl import (NEVER, Code, Local, Names, Never, Program, Refused, Seq, Tuple_, Type, called_function, coerced, constant, join, tuple_of,
                      zero)
from .value_types import BOOL, FLOAT, INT, Number

_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "/="}
_REAL = {math.sqrt: "py_sqrt", math.exp: "exp", math.log: "py_ln", math.sin: "sin", math.cos: "cos", math.tan: "tan", math.atan: "atan", math.tanh: "tanh",
         math.sinh: "sinh", math.cosh: "cosh"}
_WHOLE: dict[Any, str] = {math.floor: "py_floor", math.ceil: "py_ceil", math.trunc: "py_int", int: "py_int"}


def _numbers(*codes: Code) -> bool:
    return all(isinstance(c.type, (Number, Never)) for c in codes)


def _has_list(t: Type) -> bool:
    return isinstance(t, Seq) or isinstance(t, Tuple_) and any(map(_has_list, t.parts))


def as_float(c: Code) -> str:
    if c.type not in (INT, FLOAT, NEVER):
        raise Refused("a flag as a number")
    return f"float({c.text})" if c.type == INT else c.text


class Expressions:
    def __init__(self, program: Program, closure: Closure, lifted: bool, depth: str) -> None:
        self.program = program
        self.closure = closure
        self.lifted = lifted
        self.depth = depth
        node = closure.node
        self.own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.deep = changes_parts(node)
        self.own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)} | {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n is not node}

    def value(self, e: ast.expr, names: Names) -> Code:
        if makes_iterator(e):
            raise Refused("an iterator that may be gone through twice, or later")
        return self.gone_through(e, names)

    def gone_through(self, e: ast.expr, names: Names) -> Code:
        """A value that may be an iterator: all elements are used at once."""
        rule = _RULES.get(type(e))
        if rule is None:
            raise Refused(type(e).__name__)
        return rule(self, e, names)

    def held(self, e: ast.expr, names: Names) -> Code:
        """A value that comes into a list or gets a name. Where elements of lists in lists are changed, lists there are new ones."""
        c = self.value(e, names)
        if self.deep and _has_list(c.type) and not isinstance(e, ast.Tuple):
            flat = isinstance(c.type, Seq) and not _has_list(c.type.element)
            if not (is_fresh(e) if flat else isinstance(e, (ast.List, ast.ListComp))):
                raise Refused("a list in a list that is changed may have another name")
        return c

    def constant(self, e: ast.Constant, names: Names) -> Code:
        return constant(e.value)

    def name(self, e: ast.Name, names: Names) -> Code:
        found = names.get(e.id)
        if isinstance(found, Code):
            return found
        if found is not None or e.id in self.own:
            raise Refused(f"{e.id} is no value here")
        return constant(self.program.found(self.closure, e.id))

    def pattern(self, target: ast.AST, t: Type, names: Names, heads: list[str]) -> Names:
        """Binds names to the parts of a value; its pattern comes to the heads."""
        if isinstance(target, ast.Name):
            head = self.program.fresh(target.id)
            heads.append(head)
            names[target.id] = Code(head, t)
            return names
        if isinstance(target, ast.Tuple) and isinstance(t, Never):
            heads.append(self.program.fresh("never"))
            for e in target.elts:
                self.pattern(e, t, names, [])
            return names
        if isinstance(target, ast.Tuple) and isinstance(t, Tuple_) and len(target.elts) == len(t.parts):
            inner: list[str] = []
            for e, p in zip(target.elts, t.parts):
                self.pattern(e, p, names, inner)
            heads.append(f"({', '.join(inner)})")
            return names
        raise Refused("such a target")

    # Operators.

    def truth(self, c: Code) -> str:
        if isinstance(c.type, Seq):
            if c.type.kind:
                raise Refused("the truth of an array")
            return f"(#{c.text} > 0)"
        if c.type == INT or c.type == FLOAT:
            return f"({c.text} /= {zero(c.type)})"
        if c.type not in (BOOL, NEVER):
            raise Refused("such a condition")
        return c.text

    def binary(self, e: ast.BinOp, names: Names) -> Code:
        literal = literal_of(e)
        if literal is not None and not fits(literal):
            raise Refused("an integer of more than 64 bits")
        return self.operate(e.op, self.value(e.left, names), self.value(e.right, names))

    def operate(self, op: ast.operator, a: Code, b: Code) -> Code:
        if isinstance(a.type, Never) or isinstance(b.type, Never):
            return Code(zero(INT), NEVER)
        if isinstance(a.type, Seq) and isinstance(b.type, Seq) and isinstance(op, ast.Add):
            return self.joined(a, b)
        if isinstance(op, ast.Mult) and (isinstance(a.type, Seq) or isinstance(b.type, Seq)):
            return self._repeated(*((a, b) if isinstance(a.type, Seq) else (b, a)))
        if not _numbers(a, b) or BOOL in (a.type, b.type):
            raise Refused("such operands")
        whole = a.type == b.type == INT
        if isinstance(op, (ast.Add, ast.Sub, ast.Mult)):
            sign = "+" if isinstance(op, ast.Add) else "-" if isinstance(op, ast.Sub) else "*"
            return Code(f"({a.text} {sign} {b.text})", INT) if whole else Code(f"({as_float(a)} {sign} {as_float(b)})", FLOAT)
        if isinstance(op, ast.Div):
            return Code(f"({as_float(a)} / {as_float(b)})" if self.lifted else f"py_over({as_float(a)}, {as_float(b)})", FLOAT)
        if isinstance(op, (ast.FloorDiv, ast.Mod)) and whole:
            return Code(f"{'py_mod' if isinstance(op, ast.Mod) else 'py_div'}({a.text}, {b.text})", INT)
        if isinstance(op, ast.Pow) and b.text in ("2", "3"):
            return Code("(" + " * ".join([a.text] * int(b.text)) + ")", a.type)
        raise Refused(type(op).__name__)

    def joined(self, a: Code, b: Code) -> Code:
        if not (isinstance(a.type, Seq) and isinstance(b.type, Seq)) or a.type.kind or b.type.kind:
            raise Refused("+ of what may be an array")
        t = Seq(join(a.type.element, b.type.element))
        return Code(f"({self._listed(a, t)} ++ {self._listed(b, t)})", t)

    def _listed(self, c: Code, t: Seq) -> str:
        """A list as one of a type that it was joined to; an empty display has that."""
        if isinstance(c.type, Never):
            return zero(t)  # of a call that is not known yet: this text is not the last one
        return coerced(c, t)

    def _repeated(self, x: Code, n: Code) -> Code:
        assert isinstance(x.type, Seq)
        if x.type.kind or n.type != INT or isinstance(x.type.element, Seq):
            raise Refused("such a product")
        return Code(f"flatten(dist({x.text}, max({n.text}, 0)))", x.type)

    def unary(self, e: ast.UnaryOp, names: Names) -> Code:
        c = self.value(e.operand, names)
        if isinstance(e.op, ast.Not):
            return Code(f"not({self.truth(c)})", BOOL)
        if c.type not in (INT, FLOAT, NEVER):
            raise Refused("such an operand")
        if isinstance(e.op, ast.USub):
            return Code(f"(0 - {c.text})" if c.type == INT else f"({c.text} * (-1.0))", c.type)
        if isinstance(e.op, ast.UAdd):
            return c
        raise Refused("~")

    def compare(self, e: ast.Compare, names: Names) -> Code:
        left, parts = self.value(e.left, names), []
        for op, right_node in zip(e.ops, e.comparators):
            is_in = isinstance(op, (ast.In, ast.NotIn))
            right = self.gone_through(right_node, names) if is_in else self.value(right_node, names)
            if is_in:
                text = self._contained(left, right)
                parts.append(f"not({text})" if isinstance(op, ast.NotIn) else text)
            else:
                if type(op) not in _COMPARE or not _numbers(left, right):
                    raise Refused("such a comparison")
                if left.type == right.type == BOOL and not isinstance(op, (ast.Eq, ast.NotEq)) or (left.type == BOOL) != (right.type == BOOL):
                    raise Refused("a flag beside a number")
                a, b = (left.text, right.text) if left.type == right.type else (as_float(left), as_float(right))
                parts.append(f"({a} {_COMPARE[type(op)]} {b})")
            left = right
        return Code(self._all(parts), BOOL)

    def _all(self, parts: Sequence[str]) -> str:
        text = parts[-1]
        for p in reversed(parts[:-1]):
            text = f"(if {p} then {text} else f)"
        return text

    def _contained(self, x: Code, values: Code) -> str:
        if not isinstance(values.type, Seq) or values.type.element != x.type or x.type not in (INT, FLOAT):
            raise Refused("such a comparison")
        q = self.program.fresh("q")
        return f"any({{{q} == {x.text} : {q} in {values.text}}})"

    def boolean(self, e: ast.BoolOp, names: Names) -> Code:
        codes = [self.value(v, names) for v in e.values]
        if any(c.type not in (BOOL, NEVER) for c in codes):
            raise Refused("and and or of what is no flag")
        if isinstance(e.op, ast.And):
            return Code(self._all([c.text for c in codes]), BOOL)
        text = codes[-1].text
        for c in reversed(codes[:-1]):
            text = f"(if {c.text} then t else {text})"
        return Code(text, BOOL)

    def conditional(self, e: ast.IfExp, names: Names) -> Code:
        test = self.truth(self.value(e.test, names))
        a, b = self.value(e.body, names), self.value(e.orelse, names)
        t = join(a.type, b.type)
        texts = [self._listed(c, t) if isinstance(t, Seq) else coerced(c, t) for c in (a, b)]
        return Code(f"(if {test} then {texts[0]} else {texts[1]})", t)

    # Lists.

    def tupled(self, e: ast.Tuple, names: Names) -> Code:
        if any(isinstance(v, ast.Starred) for v in e.elts):
            raise Refused("*")
        codes = [self.held(v, names) for v in e.elts]
        return Code("(" + ", ".join(c.text for c in codes) + ")", tuple_of([c.type for c in codes]))

    def listed(self, e: ast.List, names: Names) -> Code:
        parts = [(True, self.gone_through(v.value, names)) if isinstance(v, ast.Starred) else (False, self.held(v, names)) for v in e.elts]
        element: Type = NEVER
        for starred, c in parts:
            if starred and isinstance(c.type, Never):
                continue
            if starred and not isinstance(c.type, Seq):
                raise Refused("* of no list")
            element = join(element, c.type.element if starred and isinstance(c.type, Seq) else c.type)
        t = Seq(element)
        if not parts:
            return Code("[] int", Seq(NEVER))
        texts = [self._listed(c, t) if starred else f"[{self._listed(c, element) if isinstance(element, Seq) and isinstance(c.type, Seq) else coerced(c, element)}]"
                 for starred, c in parts]
        if not any(starred for starred, _ in parts):
            return Code("[" + ", ".join(x[1:-1] for x in texts) + "]", t)
        return Code("(" + " ++ ".join(texts) + ")", t)

    def subscript(self, e: ast.Subscript, names: Names) -> Code:
        x = self.value(e.value, names)
        if isinstance(x.type, Never):
            return x
        if isinstance(x.type, Tuple_):
            return self._component(x, e.slice)
        if not isinstance(x.type, Seq):
            raise Refused("an index of no list")
        if isinstance(e.slice, ast.Slice):
            return self._slice(x, e.slice, names)
        i = self.value(e.slice, names)
        if i.type != INT:
            raise Refused("such an index")
        if i.text.isdigit():
            return Code(f"{x.text}[{i.text}]", x.type.element)
        return Code(f"py_at({x.text}, {i.text})", x.type.element)

    def _component(self, x: Code, key: ast.expr) -> Code:
        assert isinstance(x.type, Tuple_)
        if not isinstance(key, ast.Constant) or not isinstance(key.value, int) or not 0 <= key.value < len(x.type.parts):
            raise Refused("such a component")
        parts = [self.program.fresh("part") for _ in x.type.parts]
        return Code(f"(let ({', '.join(parts)}) = {x.text} in {parts[key.value]})", x.type.parts[key.value])

    def _slice(self, x: Code, s: ast.Slice, names: Names) -> Code:
        step = ast.unparse(s.step) if s.step is not None else "1"
        if step == "-1" and s.lower is None and s.upper is None:
            return Code(f"reverse({x.text})", x.type)
        if step != "1":
            raise Refused("a slice with a step")
        bounds = [None if b is None else self.value(b, names) for b in (s.lower, s.upper)]
        if any(b is not None and b.type != INT for b in bounds):
            raise Refused("such a slice")
        low = "0" if bounds[0] is None else bounds[0].text
        high = f"#{x.text}" if bounds[1] is None else bounds[1].text
        return Code(f"py_cut({x.text}, {low}, {high})", x.type)

    def sequence(self, e: ast.expr, names: Names) -> Code:
        c = self.gone_through(e, names)
        if isinstance(c.type, Never):
            return Code("[] int", Seq(NEVER))
        if not isinstance(c.type, Seq):
            raise Refused("no list to go through")
        return c

    def comprehension(self, e: Any, names: Names) -> Code:
        return self._generators(e.elt, list(e.generators), names)

    def _generators(self, elt: ast.expr, generators: Sequence[ast.comprehension], names: Names) -> Code:
        g = generators[0]
        source = self.sequence(g.iter, names)
        assert isinstance(source.type, Seq)
        heads: list[str] = []
        inner = self.pattern(g.target, source.type.element, dict(names), heads)
        before, self.lifted = self.lifted, True
        try:
            tests = [self.truth(self.value(c, inner)) for c in g.ifs]
            made = self._generators(elt, generators[1:], inner) if len(generators) > 1 else self.held(elt, inner)
        finally:
            self.lifted = before
        condition = f" | {self._all(tests)}" if tests else ""
        text = f"{{{made.text} : {heads[0]} in {source.text}{condition}}}"
        return Code(f"flatten({text})", made.type) if len(generators) > 1 else Code(text, Seq(made.type))

    # Calls.

    def call(self, e: ast.Call, names: Names) -> Code:
        if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
            raise Refused("*")
        f = self._called(e.func, names)
        built_in = None if isinstance(f, Local) else _BUILT_IN.get(f)
        args = [(self.value if built_in is None or f in (len, reversed) else self.gone_through)(a, names) for a in e.args]
        if isinstance(f, Local):
            return self._local(f.node, args, e, names)
        if built_in is not None and not e.keywords:
            return built_in(self, *args)
        if f in _REAL and len(args) == 1 and not e.keywords:
            x = as_float(args[0])
            return Code(f"{_REAL[f]}({x})" if self.lifted else f"py_real({x}, {_REAL[f]}({x}))", FLOAT)
        closure = called_function(f)
        if closure is None:
            raise Refused(f"a call of {getattr(f, '__name__', f)}")
        given = dict(closure.bind(args, {k.arg: self.value(k.value, names) for k in e.keywords if k.arg}))
        codes = [v if isinstance(v, Code) else constant(v) for v in given.values()]
        order = [p.arg for p in [*closure.node.args.posonlyargs, *closure.node.args.args, *closure.node.args.kwonlyargs]]
        codes = [dict(zip(given, codes))[k] for k in order]
        return self.invoked(closure, codes)

    def invoked(self, closure: Closure, codes: Sequence[Code]) -> Code:
        if any(isinstance(c.type, Never) for c in codes):
            return Code(zero(INT), NEVER)
        key = self.program.function(closure, tuple(c.type for c in codes), self.lifted)
        return self.program.call(key, [c.text for c in codes], self.depth)

    def _local(self, node: ast.FunctionDef, args: Sequence[Code], e: ast.Call, names: Names) -> Code:
        """A function in this one: what it finds around becomes parameters."""
        a = node.args
        if e.keywords or a.defaults or a.kwonlyargs or len(args) != len(a.args) or a.posonlyargs:
            raise Refused("such a call of a function in a function")
        own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} | {p.arg for p in a.args}
        free = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - own)
        around = [(k, names[k]) for k in free if isinstance(names.get(k), Code)]
        if any(isinstance(names.get(k), Local) and k != node.name for k in free):
            raise Refused("functions in functions that call each other")
        if around and any(isinstance(n, ast.Name) and n.id == node.name for n in ast.walk(node)):
            raise Refused("a recursion in a function, which finds values around")
        closure = self.program.local(node, [k for k, _ in around], self)
        return self.invoked(closure, [*args, *(c for _, c in around)])  # type: ignore[list-item]

    def outer_name(self, name: str) -> Any:
        if name in self.own:
            raise Refused(f"{name} is not known where it is called")
        return self.closure.outer(name)

    def _called(self, e: ast.expr, names: Names) -> Any:
        if isinstance(e, ast.Name):
            found = names.get(e.id)
            if isinstance(found, Local):
                return found
            if found is not None or e.id in self.own:
                raise Refused("a function that is a value")
            return self.program.found(self.closure, e.id)
        if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and e.value.id not in names and e.value.id not in self.own:
            module = self.program.found(self.closure, e.value.id)
            if isinstance(module, ModuleType) and module is math:
                return getattr(module, e.attr)
        raise Refused("such a call")

    def attribute(self, e: ast.Attribute, names: Names) -> Code:
        if isinstance(e.value, ast.Name) and e.value.id not in self.own and self.program.found(self.closure, e.value.id) is math:
            return constant(getattr(math, e.attr))
        raise Refused("an attribute")


# Built-in functions.


def _whole_list(c: Code) -> Code:
    if not isinstance(c.type, Seq) or c.type.element != INT:
        raise Refused("a function of lists of integers")
    return c


def _extreme(name: str, sign: str) -> Callable[..., Code]:
    def made(e: Expressions, *args: Code) -> Code:
        if len(args) == 1:
            return Code(f"py_{name}({_whole_list(args[0]).text})", INT)
        result = args[0]
        for x in args[1:]:
            if not _numbers(result, x) or BOOL in (result.type, x.type):
                raise Refused("such operands")
            if result.type == x.type == INT:
                result = Code(f"{name}({result.text}, {x.text})", INT)
                continue
            if result.type != x.type:
                raise Refused("an int beside a float")
            a, b = e.program.fresh("a"), e.program.fresh("b")
            result = Code(f"(let {a} = {result.text}; {b} = {x.text} in if {b} {sign} {a} then {b} else {a})", x.type)
        return result

    return made


def _sum(e: Expressions, x: Code) -> Code:
    if isinstance(x.type, Never) or isinstance(x.type, Seq) and isinstance(x.type.element, Never):
        return Code("0", NEVER)
    if not isinstance(x.type, Seq) or x.type.element not in (INT, FLOAT):
        raise Refused("such a sum")
    return Code(f"sum({x.text})", x.type.element)


def _len(e: Expressions, x: Code) -> Code:
    if not isinstance(x.type, (Seq, Never)):
        raise Refused("the length of no list")
    return Code(f"(#{x.text})", INT)


def _logical(name: str) -> Callable[..., Code]:
    def made(e: Expressions, x: Code) -> Code:
        if not isinstance(x.type, Seq) or x.type.element not in (BOOL, NEVER):
            raise Refused("flags are wanted")
        return Code(f"{name}({x.text})", BOOL)

    return made


def _range(e: Expressions, *args: Code) -> Code:
    if any(a.type != INT for a in args) or not args:
        raise Refused("such a range")
    low, high, step = ("0", args[0].text, "1") if len(args) == 1 else (args[0].text, args[1].text, "1" if len(args) == 2 else args[2].text)
    return Code(f"py_range({low}, {high})" if step == "1" else f"py_steps({low}, {step}, {high})", Seq(INT))


def _zip(e: Expressions, *args: Code) -> Code:
    if len(args) != 2 or not all(isinstance(a.type, Seq) for a in args):
        raise Refused("such a zip")
    x, y = (e.program.fresh(n) for n in "xy")
    n = f"min(#{x}, #{y})"
    text = f"(let {x} = {args[0].text}; {y} = {args[1].text} in zip(take({x}, {n}), take({y}, {n})))"
    return Code(text, Seq(tuple_of([a.type.element for a in args if isinstance(a.type, Seq)])))


def _enumerate(e: Expressions, x: Code) -> Code:
    if not isinstance(x.type, Seq):
        raise Refused("no list to go through")
    v = e.program.fresh("v")
    return Code(f"(let {v} = {x.text} in zip(index(#{v}), {v}))", Seq(tuple_of([INT, x.type.element])))


def _abs(e: Expressions, x: Code) -> Code:
    if x.type not in (INT, FLOAT):
        raise Refused("such an operand")
    return Code(f"abs({x.text})", x.type)


def _float(e: Expressions, x: Code) -> Code:
    return Code(as_float(x), FLOAT)


def _rounded(name: str) -> Callable[..., Code]:
    def made(e: Expressions, x: Code) -> Code:
        if x.type == INT:
            return x
        if x.type != FLOAT:
            raise Refused("such an operand")
        return Code(f"{name}({x.text})", INT)

    return made


def _of_list(name: str, whole: bool) -> Callable[..., Code]:
    def made(e: Expressions, x: Code) -> Code:
        if not isinstance(x.type, Seq) or whole and x.type.element != INT:
            raise Refused("such a list")
        return Code(f"{name}({x.text})" if name else x.text, Seq(x.type.element))

    return made


def _isqrt(e: Expressions, x: Code) -> Code:
    if x.type != INT:
        raise Refused("such an operand")
    return Code(f"isqrt((if {x.text} < 0 then py_fail(0) else {x.text}))", INT)


_BUILT_IN: dict[Any, Callable[..., Code]] = {
    min: _extreme("min", "<"), max: _extreme("max", ">"), sum: _sum, len: _len, any: _logical("any"), all: _logical("all"), range: _range,
    zip: _zip, enumerate: _enumerate, abs: _abs, float: _float, sorted: _of_list("sort", True), reversed: _of_list("reverse", False),
    list: _of_list("", False), math.isqrt: _isqrt, **{f: _rounded(name) for f, name in _WHOLE.items()}}

_RULES: dict[type, Callable[[Expressions, Any, Names], Code]] = {
    ast.Constant: Expressions.constant, ast.Name: Expressions.name, ast.BinOp: Expressions.binary, ast.UnaryOp: Expressions.unary,
    ast.Compare: Expressions.compare, ast.BoolOp: Expressions.boolean, ast.IfExp: Expressions.conditional, ast.Tuple: Expressions.tupled,
    ast.List: Expressions.listed, ast.Subscript: Expressions.subscript, ast.ListComp: Expressions.comprehension,
    ast.GeneratorExp: Expressions.comprehension, ast.Call: Expressions.call, ast.Attribute: Expressions.attribute}
