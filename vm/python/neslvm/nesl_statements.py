"""Statements of Python as expressions of NESL."""
from __future__ import annotations

import ast
from typing import Any, Callable, NamedTuple, Optional, Sequence

from .in_place import changed_names, is_fresh
from .interpreter import Closure
from .nesl_expressions import Expressions
from .to_nesl import NEVER, Code, Defined, Local, Names, Program, Refused, Seq, Tuple_, Type, coerced, join, zero
from .value_types import INT

Then = Callable[[Names], Code]  # what follows statements


def assigned(body: Sequence[ast.AST]) -> set[str]:
    found: set[str] = set()
    for s in body:
        inner = {id(n) for c in ast.walk(s) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)}  # names of its own
        found |= {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in inner}
        found |= changed_names(s)
    return found


def _leaves(body: Sequence[ast.AST]) -> bool:
    """Whether a statement in it goes elsewhere than behind it, or is a function with what follows it."""
    return any(isinstance(n, (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Assert, ast.For, ast.While)) for s in body for n in ast.walk(s))


class _Loop:
    def __init__(self, again: Then, behind: Then) -> None:
        self.again = again
        self.behind = behind


class _Source(NamedTuple):
    """What a for statement goes through."""

    counters: list[tuple[str, str, Type]]  # names that only the loop has: what they begin with, and their types
    test: str
    element: Code
    place: str  # the counter that grows
    step: str


class Body(Expressions):
    """One function."""

    def __init__(self, program: Program, closure: Closure, lifted: bool, depth: str) -> None:
        super().__init__(program, closure, lifted, depth)
        self.result_type: Type = NEVER
        self.loops: list[_Loop] = []
        self.functions: list[Defined] = []  # loops, and what follows them
        self.changed = changed_names(closure.node)
        _check_changes(closure.node, self.changed)

    def result(self, names: Names) -> Code:
        node = self.closure.node
        if isinstance(node, ast.Lambda):
            return self.value(node.body, names)
        for _ in range(4):  # until what it returns has one type
            before, extra = self.result_type, len(self.functions)
            made = self.run(node.body, names, self._falls_off)
            if self.result_type == before:
                return Code(made.text, before)
            del self.functions[extra:]
        raise Refused("what it returns has no type that stays")

    def _falls_off(self, names: Names) -> Code:
        raise Refused("a function that returns nothing")

    def returned(self, c: Code) -> Code:
        self.result_type = join(self.result_type, c.type)
        return Code(coerced(c, self.result_type), self.result_type)

    def run(self, body: Sequence[ast.stmt], names: Names, then: Then) -> Code:
        if not body:
            return then(names)
        s, rest = body[0], body[1:]

        def go_on(n: Names) -> Code:
            return self.run(rest, n, then)

        if isinstance(s, ast.Return):
            if s.value is None:
                raise Refused("nothing is returned")
            return self.returned(self.value(s.value, names))
        if isinstance(s, ast.Pass) or isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
            return go_on(names)
        if isinstance(s, (ast.Break, ast.Continue)):
            loop = self.loops.pop()
            try:
                return (loop.behind if isinstance(s, ast.Break) else loop.again)(names)
            finally:
                self.loops.append(loop)
        if isinstance(s, ast.If):
            return self.branch(s, names, go_on)
        if isinstance(s, (ast.While, ast.For)):
            return self.loop(s, names, go_on)
        if isinstance(s, ast.FunctionDef):
            return go_on({**names, s.name: Local(s)})
        if isinstance(s, (ast.Raise, ast.Assert)):
            return self.check(s, names, go_on)
        return self.binding(s, names, go_on)

    def binding(self, s: ast.stmt, names: Names, then: Then) -> Code:
        if isinstance(s, ast.Assign) and len(s.targets) == 1:
            _check_fresh(s.targets[0], s.value, self.changed)
            return self.assign(s.targets[0], self.held(s.value, names), names, then)
        if isinstance(s, ast.AnnAssign) and s.value is not None:
            return self.assign(s.target, self.held(s.value, names), names, then)
        if isinstance(s, ast.AugAssign):
            before = self.value(_loaded(s.target), names)
            if isinstance(before.type, Seq) and isinstance(s.target, ast.Name):
                self._check_grown(s.target.id)
            return self.assign(s.target, self.operate(s.op, before, self.held(s.value, names)), names, then)
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
            call = s.value
            if isinstance(call.func, ast.Attribute) and call.func.attr == "append" and isinstance(call.func.value, ast.Name) and len(call.args) == 1:
                before, x = self.value(call.func.value, names), self.held(call.args[0], names)
                one = Code(f"[{x.text}]", Seq(x.type))
                return self.assign(ast.Name(call.func.value.id, ast.Store()), self.joined(before, one), names, then)
        raise Refused(type(s).__name__)

    def _check_grown(self, name: str) -> None:
        """A list that += or *= changes is one that nobody else has."""
        node = self.closure.node
        _check_changes(node, {name})
        for n in ast.walk(node):
            if isinstance(n, ast.Assign):
                for target in n.targets:
                    _check_fresh(target, n.value, {name})
            elif isinstance(n, ast.For):
                _check_fresh(n.target, None, {name})

    def assign(self, target: ast.AST, c: Code, names: Names, then: Then) -> Code:
        if isinstance(target, ast.Subscript):
            before = self.value(_loaded(target.value), names)
            index = self.value(target.slice, names)
            if not isinstance(before.type, Seq) or index.type != INT or isinstance(target.slice, ast.Slice):
                raise Refused("such an assignment")
            if join(before.type.element, c.type) != before.type.element:
                raise Refused("an element of another type")
            if before.type.kind:
                raise Refused("an element of an array")
            place = f"if {index.text} < 0 then {index.text} + #{before.text} else {index.text}"
            made = Code(f"({before.text} <- [(({place}), {coerced(c, before.type.element)})])", before.type)
            return self.assign(target.value, made, names, then)
        if isinstance(target, ast.Tuple) and isinstance(c.type, Seq):
            v = self.program.fresh("parts")
            parts = [Code(f"{v}[{k}]", c.type.element) for k in range(len(target.elts))]
            rest = self.assign_all(target.elts, parts, names, then)
            return Code(f"let {v} = py_of({c.text}, {len(parts)}) in {rest.text}", rest.type)
        if isinstance(target, ast.Tuple) and any(isinstance(t, ast.Subscript) for t in target.elts) and isinstance(c.type, Tuple_):
            news = [self.program.fresh("part") for _ in target.elts]
            rest = self.assign_all(target.elts, [Code(n, t) for n, t in zip(news, c.type.parts)], names, then)
            return Code(f"let ({', '.join(news)}) = {c.text} in {rest.text}", rest.type)
        heads: list[str] = []
        inner = self.pattern(target, c.type, dict(names), heads)
        rest = then(inner)
        return Code(f"let {heads[0]} = ({c.text}) in {rest.text}", rest.type)

    def assign_all(self, targets: Sequence[ast.AST], codes: Sequence[Code], names: Names, then: Then) -> Code:
        if len(targets) != len(codes):
            raise Refused("names for other parts")
        if not targets:
            return then(names)
        return self.assign(targets[0], codes[0], names, lambda n: self.assign_all(targets[1:], codes[1:], n, then))

    # Branches.

    def branch(self, s: ast.If, names: Names, then: Then) -> Code:
        test = self.truth(self.value(s.test, names))
        if _leaves([*s.body, *s.orelse]):
            ends = [_ends(s.body), _ends(s.orelse)]
            follow = then if any(ends) else self.shared(names, assigned([*s.body, *s.orelse]), then)
            return self.either(test, lambda: self.run(s.body, names, follow), lambda: self.run(s.orelse, names, follow))
        changed = sorted(n for n in assigned([*s.body, *s.orelse]) if isinstance(names.get(n), Code) or _in_both(n, s))
        sides = [self._side(body, names, changed) for body in (s.body, s.orelse)]
        types = [join(a.type, b.type) for a, b in zip(*sides)]
        new = [self.program.fresh(n) for n in changed or ["nothing"]]  # what its statements compute may fail
        values = f"if {test} then {self._wrapped(s.body, names, changed, types)} else {self._wrapped(s.orelse, names, changed, types)}"
        rest = then({**names, **{n: Code(v, t) for n, v, t in zip(changed, new, types)}})
        return Code(f"let {_pack(new)} = ({values}) in {rest.text}", rest.type)

    def _side(self, body: Sequence[ast.stmt], names: Names, changed: Sequence[str]) -> list[Code]:
        found: list[Code] = []

        def take(n: Names) -> Code:
            found.clear()
            found.extend(self._code(n, k) for k in changed)
            return Code("0", INT)

        self.run(body, names, take)
        return found

    def _wrapped(self, body: Sequence[ast.stmt], names: Names, changed: Sequence[str], types: Sequence[Type]) -> str:
        return self.run(body, names, lambda n: Code(_pack([coerced(self._code(n, k), t) for k, t in zip(changed, types)] or ["0"]), INT)).text

    def _code(self, names: Names, name: str) -> Code:
        found = names.get(name)
        if not isinstance(found, Code):
            raise Refused(f"{name} is not always bound")
        return found

    def either(self, test: str, yes: Callable[[], Code], no: Callable[[], Code]) -> Code:
        a, b = yes(), no()
        t = join(a.type, b.type)
        return Code(f"if {test} then {coerced(a, t)} else {coerced(b, t)}", t)

    def shared(self, names: Names, changed: set[str], then: Then) -> Then:
        """What follows two branches, as a function if it is more than a few words."""
        made: dict[tuple[Any, ...], Any] = {}

        def follow(n: Names) -> Code:
            live = sorted(k for k, c in n.items() if isinstance(c, Code) and (k in names or k in changed))
            key = tuple((k, self._code(n, k).type) for k in live)
            if key not in made:
                name, heads = self.program.fresh("then"), [self.program.fresh(k) for k in live]
                made[key] = None
                inner: Names = {k: c for k, c in n.items() if isinstance(c, Local)}
                inner.update({k: Code(h, t) for (k, t), h in zip(key, heads)})
                rest = then(inner)
                made[key] = name, rest.type
                self.define(name, heads, [t for _, t in key], rest.text)
            if made[key] is None:
                raise Refused("a loop among branches")
            name, t = made[key]
            return self.invoke(name, [self._code(n, k).text for k in live], t)

        return follow

    def define(self, name: str, heads: Sequence[str], types: Sequence[Type], text: str) -> None:
        deep = self.depth == "depth"
        every = [*zip(heads, types), *[("depth", INT)] * deep] or [("q", INT)]
        heads = [h for h, _ in every]
        self.functions.append(Defined(name, heads, [t for _, t in every], f"function {name}({', '.join(heads)}) = {text};"))

    def invoke(self, name: str, args: Sequence[str], t: Type) -> Code:
        deep = ["depth"] if self.depth == "depth" else []
        return Code(f"{name}({', '.join([*args, *deep]) or '0'})", t)

    # Loops.

    def loop(self, s: Any, names: Names, then: Then) -> Code:
        self.program.loops = True
        source: Optional[_Source] = None
        if isinstance(s, ast.For):
            source = self.range_of(s.iter, names) or self.elements_of(self.sequence(s.iter, names))
            _check_fresh(s.target, None, self.changed)
            if self.deep and _outlives(s, self.closure.node):
                raise Refused("an element of a list that is changed may be known behind a loop")
            if _gone_through(s.iter) & set().union(*map(changed_names, s.body)):
                raise Refused("a list that changes while it is gone through")
        outer = list(self.loops)

        def behind(n: Names) -> Code:  # break and continue there are of the loops around
            inner, self.loops = self.loops, list(outer)
            try:
                return then(n)
            finally:
                self.loops = inner

        live = sorted(k for k, c in names.items() if isinstance(c, Code))
        types: list[Type] = [self._code(names, k).type for k in live]
        for _ in range(4):
            extra = len(self.functions)
            made, after = self._turns(s, names, live, types, source, behind)
            if after == types:
                return made
            types = after
            del self.functions[extra:]
        raise Refused("the types of a loop do not stay")

    def range_of(self, e: ast.expr, names: Names) -> Optional[_Source]:
        """Of a loop over range(...), which makes no list."""
        if not isinstance(e, ast.Call) or e.keywords or not 1 <= len(e.args) <= 3 or self._called(e.func, names) is not range:
            return None
        args = [self.value(a, names) for a in e.args]
        if any(a.type != INT for a in args):
            raise Refused("such a range")
        low, high = ("0", args[0].text) if len(args) == 1 else (args[0].text, args[1].text)
        step = args[2].text if len(args) == 3 else "1"
        place, end, by = (self.program.fresh(n) for n in ("place", "end", "step"))
        if step.isdigit() and step != "0":
            last = high if step == "1" else f"py_end({high}, {step})"
            return _Source([(place, low, INT), (end, last, INT)], f"{place} < {end}", Code(place, INT), place, step)
        counters: list[tuple[str, str, Type]] = [(place, low, INT), (end, f"py_end({high}, {step})", INT), (by, f"py_step({step})", INT)]
        return _Source(counters, f"(if {by} > 0 then {place} < {end} else {place} > {end})", Code(place, INT), place, by)

    def elements_of(self, c: Code) -> _Source:
        assert isinstance(c.type, Seq)
        place, values = self.program.fresh("place"), self.program.fresh("values")
        element = Code(f"{values}[{place}]", c.type.element)
        return _Source([(place, "0", INT), (values, c.text, c.type)], f"{place} < #{values}", element, place, "1")

    def _turns(self, s: Any, names: Names, live: list[str], types: list[Type], source: Optional[_Source], then: Then) -> tuple[Code, list[Type]]:
        fresh = self.program.fresh
        name, heads = fresh("loop"), [fresh(k) for k in live]
        counters = [] if source is None else source.counters
        counted: Names = {f"#{head}": Code(head, t) for head, _, t in counters}
        inside: Names = {k: c for k, c in names.items() if isinstance(c, Local)}
        inside.update({k: Code(h, t) for k, h, t in zip(live, heads, types)})
        inside.update(counted)
        after = list(types)

        def call(n: Names, counts: Sequence[str]) -> Code:
            codes = [self._code(n, k) for k in live]
            for j, c in enumerate(codes):
                after[j] = join(after[j], c.type)
            return self.invoke(name, [*counts, *(coerced(c, t) if join(c.type, t) == t else c.text for c, t in zip(codes, types))], self.result_type)

        behind = self.shared(inside, set(), then)

        def leave(n: Names) -> Code:
            return behind({k: c for k, c in n.items() if k in inside and k not in counted})

        def through(n: Names) -> Code:
            inner, self.loops = self.loops, self.loops[:-1]
            try:
                return self.run(s.orelse, n, leave)
            finally:
                self.loops = inner

        def again(n: Names) -> Code:
            now = {head: self._code(n, f"#{head}").text for head, _, _ in counters}
            if source is None:
                return call(n, [])
            step = now.get(source.step, source.step)
            return call(n, [f"{now[head]} + {step}" if head == source.place else now[head] for head, _, _ in counters])

        self.loops.append(_Loop(again, leave))
        try:
            if source is None:
                endless = isinstance(s.test, ast.Constant) and bool(s.test.value)
                test = self.truth(self.value(s.test, inside))
                made = self.run(s.body, inside, again) if endless else self.either(test, lambda: self.run(s.body, inside, again), lambda: through(inside))
            else:
                element = source.element
                step = lambda: self.assign(s.target, element, inside, lambda n: self.run(s.body, n, again))  # noqa: E731
                made = self.either(source.test, step, lambda: through(inside))
        finally:
            self.loops.pop()
        self.define(name, [*(head for head, _, _ in counters), *heads], [*(t for _, _, t in counters), *types], made.text)
        given = [*(first for _, first, _ in counters), *(coerced(self._code(names, k), t) for k, t in zip(live, types))]
        return self.invoke(name, given, made.type), after

    def check(self, s: Any, names: Names, then: Then) -> Code:
        fails = Code(f"py_fail({zero(self.result_type)})", self.result_type)
        if isinstance(s, ast.Raise):
            return fails
        test = self.truth(self.value(s.test, names))
        rest = then(names)
        return Code(f"if {test} then {rest.text} else py_fail({zero(rest.type)})", rest.type)


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing comes behind it."""
    if not body:
        return False
    last = body[-1]
    return isinstance(last, (ast.Return, ast.Break, ast.Continue, ast.Raise)) or isinstance(last, ast.If) and _ends(last.body) and _ends(last.orelse)


def _in_both(name: str, s: ast.If) -> bool:
    return name in assigned(s.body) and name in assigned(s.orelse)


def _check_fresh(target: ast.AST, value: Optional[ast.expr], changed: set[str]) -> None:
    """A list that is changed later is one that nobody else has."""
    if isinstance(target, ast.Tuple):
        parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else [None] * len(target.elts)
        for t, v in zip(target.elts, parts):
            _check_fresh(t, v, changed)
    elif isinstance(target, ast.Name) and target.id in changed and not is_fresh(value):
        raise Refused("a list that is changed may be another one's")


def _outlives(s: ast.For, function: ast.AST) -> bool:
    """Whether names that a loop goes through elements with are read elsewhere."""
    targets = {n.id for n in ast.walk(s.target) if isinstance(n, ast.Name)}
    reads = [sum(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in targets for n in ast.walk(part)) for part in (function, s)]
    return reads[0] != reads[1]


def _gone_through(node: ast.AST) -> set[str]:
    """Names whose lists it goes through, not those whose lengths it asks for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        return set()
    found = {node.id} if isinstance(node, ast.Name) else set()
    return found.union(*map(_gone_through, ast.iter_child_nodes(node)))


def _pack(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else "(" + ", ".join(texts) + ")"


def _loaded(target: ast.AST) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise Refused("such a target")


def _check_changes(node: ast.AST, changed: set[str]) -> None:
    """A list that is changed is a value here: nobody else may have it."""
    args: Any = getattr(node, "args", None)
    if args is not None and changed & {a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]}:
        raise Refused("a parameter is changed")
    last = {id(n.value) for n in ast.walk(node) if isinstance(n, ast.Return)}  # nothing changes behind it
    for n in ast.walk(node):
        if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n is not node and changed_names(n):
            raise Refused("a function in a function changes lists")
        if not changed:
            continue
        held: list[Any] = []
        if isinstance(n, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            held = [n.value]
        elif isinstance(n, (ast.Tuple, ast.List)) and isinstance(n.ctx, ast.Load) and id(n) not in last:
            held = list(n.elts)
        elif isinstance(n, ast.Call):
            known = isinstance(n.func, ast.Name) and n.func.id in ("len", "sum", "max", "min", "range", "sorted", "enumerate", "zip", "reversed", "any", "all")
            held = [] if known else list(n.args)
        elif isinstance(n, ast.IfExp):
            held = [n.body, n.orelse]
        elif isinstance(n, (ast.ListComp, ast.GeneratorExp)):
            held = [n.elt]
        if any(isinstance(v, ast.Name) and v.id in changed for v in held):
            raise Refused("a list that is changed has another name")


