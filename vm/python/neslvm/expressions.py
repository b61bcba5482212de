"""Expressions of functions."""
from __future__ import annotations

import ast
import operator
from types import ModuleType
from typing import Any, Callable, Optional

from . import rules, sections
from .array import Array
from .dtypes import Real, Whole
from .flat import ONE, Size
from .interpreter import (Closure, Frame, all_and, any_of, choose_value, flags_of, is_lane, refuse)
from .nested import ListLane, array_of, display, filtered, joined, kept, lanes_of, spread
from .trace import Lane, element, operate, pick

_NAMES: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("subtract", operator.sub), ast.Mult: ("multiply", operator.mul),
    ast.Div: ("divide", operator.truediv), ast.FloorDiv: ("floor_divide", operator.floordiv), ast.Mod: ("remainder", operator.mod),
    ast.Pow: ("pow", operator.pow), ast.BitAnd: ("bitwise_and", operator.and_), ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor), ast.LShift: ("bitwise_left_shift", operator.lshift),
    ast.RShift: ("bitwise_right_shift", operator.rshift), ast.MatMult: ("matmul", operator.matmul)}
_COMPARE: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("less", operator.lt), ast.LtE: ("less_equal", operator.le), ast.Gt: ("greater", operator.gt),
    ast.GtE: ("greater_equal", operator.ge), ast.Eq: ("equal", operator.eq), ast.NotEq: ("not_equal", operator.ne)}


class ListArray(Array):
    """A list of the host in a function: + puts two one behind the other."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return concat_lists(self, other)

    def __radd__(self, other: Any) -> Any:
        return concat_lists(other, self)

    def __bool__(self) -> bool:
        return len(self) > 0


def load_list(x: Any) -> bool:
    return isinstance(x, ListArray)


def concat_lists(a: Any, b: Any) -> Any:
    from .making import asarray
    from .shaping import concat

    if isinstance(a, list) and not a:
        return b
    if isinstance(b, list) and not b:
        return a
    made = concat([asarray(a), asarray(b)], axis=0)
    return as_list(made)


def as_list(a: Array) -> Array:
    return ListArray(a.flat, a.dims) if type(a) is Array else a


def wrapped(x: Any) -> Any:
    """Integers have 64 bits."""
    if type(x) is int and not -(2**63) <= x < 2**63:
        return (x + 2**63) % 2**64 - 2**63
    return x


def value_of(node: ast.expr, frame: Frame) -> Any:
    evaluate = _EXPRESSIONS.get(type(node))
    if evaluate is None:
        raise refuse(frame, node, f"{type(node).__name__} cannot be compiled")
    return evaluate(node, frame)


def binary(op: ast.operator, a: Any, b: Any, frame: Frame) -> Any:
    name, plain = _NAMES[type(op)]
    if isinstance(a, ListLane) or isinstance(b, ListLane):
        if name != "add":
            raise TypeError("lists have + only")
        return joined(as_lists(a, frame), as_lists(b, frame))
    if isinstance(a, Lane) or isinstance(b, Lane):
        return operate(name, a, b, guard=frame.active)
    if name == "add" and (isinstance(a, list) != isinstance(b, list)) and (load_list(a) or load_list(b)):
        return concat_lists(a, b)
    return wrapped(plain(a, b))


def as_lists(x: Any, frame: Frame) -> ListLane:
    assert frame.size is not None
    if isinstance(x, ListLane):
        return x
    if isinstance(x, (list, tuple)):
        return display(x, frame.size)
    if isinstance(x, Array):
        from .nested import of_array

        return of_array(x, frame.size)
    raise TypeError(f"a {type(x).__name__} is no list")


def _binary(node: ast.BinOp, frame: Frame) -> Any:
    return binary(node.op, value_of(node.left, frame), value_of(node.right, frame), frame)


def _unary(node: ast.UnaryOp, frame: Frame) -> Any:
    x = value_of(node.operand, frame)
    if isinstance(node.op, ast.Not):
        if is_lane(x):
            assert frame.size is not None
            from .dtypes import bool_
            from .flat import Flat

            return Lane(Flat(bool_, rules.negated(flags_of(x, frame)), frame.size))
        return not x
    if isinstance(node.op, ast.USub):
        return operate("negative", x) if isinstance(x, Lane) else type(x)(-x) if type(x) in (Whole, Real) else wrapped(-x)
    if isinstance(node.op, ast.Invert):
        return operate("bitwise_invert", x) if isinstance(x, Lane) else ~x
    return +x


def _compare(node: ast.Compare, frame: Frame) -> Any:
    left, result = value_of(node.left, frame), None
    for op, right_node in zip(node.ops, node.comparators):
        right = value_of(right_node, frame)
        if type(op) not in _COMPARE:
            if isinstance(op, ast.Is) or isinstance(op, ast.IsNot):
                found: Any = (left is right) == isinstance(op, ast.Is)
            else:
                raise refuse(frame, node, f"{type(op).__name__} cannot be compiled")
        else:
            name, plain = _COMPARE[type(op)]
            lane = isinstance(left, Lane) or isinstance(right, Lane)
            found = operate(name, left, right) if lane else plain(left, right)
        if result is None:
            result = found
        elif isinstance(result, Lane) or isinstance(found, Lane):
            result = operate("logical_and", result, found)
        else:
            result = result and found
        if result is False:
            return False
        left = right
    return result


def _guarded(frame: Frame, flags: Any, node: ast.expr) -> Any:
    """An expression for some of the calls."""
    from .interpreter import NOTHING

    before = frame.active
    frame.active = all_and(before, flags)
    try:
        assert frame.size is not None
        if _may_recurse(node) and not any_of(frame.active, frame.size):
            return NOTHING
        return value_of(node, frame)
    finally:
        frame.active = before


def _may_recurse(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) for n in ast.walk(node))


def _bool(node: ast.BoolOp, frame: Frame) -> Any:
    is_and = isinstance(node.op, ast.And)
    result = value_of(node.values[0], frame)
    for k, following in enumerate(node.values[1:]):
        if not is_lane(result):
            if bool(result) != is_and:
                return result
            result = value_of(following, frame)
            continue
        assert frame.size is not None
        flags = flags_of(result, frame)
        needed = flags if is_and else rules.negated(flags)
        other = _guarded(frame, needed, following)
        result = choose_value(needed, other, result, frame.size)
    return result


def _if(node: ast.IfExp, frame: Frame) -> Any:
    test = value_of(node.test, frame)
    if not is_lane(test):
        from .statements import _true

        chosen, other = (node.body, node.orelse) if _true(test) else (node.orelse, node.body)
        value = value_of(chosen, frame)
        return float(value) if type(value) is int and _is_float(other, frame) else value
    assert frame.size is not None
    flags = flags_of(test, frame)
    first = _guarded(frame, flags, node.body)
    second = _guarded(frame, rules.negated(flags), node.orelse)
    return choose_value(flags, first, second, frame.size)


def _is_float(node: ast.AST, frame: Frame) -> bool:
    """Whether an expression that is not evaluated is a float, as far as its text says."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.Name):
        try:
            return isinstance(frame.find(node.id), float)
        except NameError:
            return False
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Div) or _is_float(node.left, frame) or _is_float(node.right, frame)
    return isinstance(node, ast.UnaryOp) and _is_float(node.operand, frame)


def _call(node: ast.Call, frame: Frame) -> Any:
    from .calls import call

    f = value_of(node.func, frame)
    args: list[Any] = []
    for a in node.args:
        if isinstance(a, ast.Starred):
            args.extend(value_of(a.value, frame))
        else:
            args.append(value_of(a, frame))
    return call(f, args, {k.arg: value_of(k.value, frame) for k in node.keywords if k.arg}, frame)


def _attribute(node: ast.Attribute, frame: Frame) -> Any:
    x = value_of(node.value, frame)
    if isinstance(x, (Lane, ListLane)) and node.attr not in ("map",):
        raise refuse(frame, node, f"a number in a function has no {node.attr}")
    value = getattr(x, node.attr)
    if isinstance(x, ModuleType):
        return sections.found(x, node.attr, value)
    if not isinstance(x, (Lane, ListLane, tuple, Array)):
        sections.must_be_evaluated()
    return value


def _subscript(node: ast.Subscript, frame: Frame) -> Any:
    x = value_of(node.value, frame)
    key = value_of(node.slice, frame)
    if isinstance(x, ListLane):
        return x.at(key, frame.active)
    keys = key if isinstance(key, tuple) else (key,)
    if not any(isinstance(k, Lane) for k in keys):
        return x[key]
    if isinstance(x, (tuple, list)):
        return pick(list(x), key)
    if isinstance(x, Array):
        return element(x, keys, frame.active)
    return x[key]


def _tuple(node: ast.Tuple, frame: Frame) -> Any:
    return tuple(value_of(e, frame) for e in node.elts)


def _list(node: ast.List, frame: Frame) -> Any:
    """[a, *b]: in one call a list of Python unless arrays are put together, in many a list of each."""
    parts: list[Any] = []
    for e in node.elts:
        parts.append((isinstance(e, ast.Starred), value_of(e.value if isinstance(e, ast.Starred) else e, frame)))
    if frame.size is None or not any(is_lane(v) for _, v in parts):
        if not any(starred and isinstance(v, Array) for starred, v in parts):
            return [x for starred, v in parts for x in (v if starred else [v])]
        result: Any = []
        for starred, v in parts:
            result = concat_lists(result, v if starred else [v])
        return as_list(result) if isinstance(result, Array) else result
    result = None
    for starred, v in parts:
        lists = as_lists(v, frame) if starred else display([v], frame.size)
        result = lists if result is None else joined(result, lists)
    return result if result is not None else display([], frame.size)


def _comprehension(node: Any, frame: Frame) -> Any:
    generators = list(node.generators)
    source = value_of(generators[0].iter, frame)
    if frame.size is None and not (isinstance(source, Array) and source.ndim):
        if _is_plain_range(source) and len(source) > 0 or isinstance(source, _Zipped):
            source = source.arrays() if isinstance(source, _Zipped) else _range_array(source)
        else:
            return _one_by_one(node, generators, frame)
    if frame.size is None:
        return _of_array(node, source, generators, frame)
    if not isinstance(source, ListLane) and not _has_lane(source):
        source = as_lists(source if isinstance(source, Array) else list(source), frame)
    return _nested(node.elt, generators, source, frame)


def _has_lane(x: Any) -> bool:
    return isinstance(x, (ListLane, _Zipped))


def _is_plain_range(x: Any) -> bool:
    return isinstance(x, range)


def _range_array(r: range) -> Array:
    from .making import arange

    return arange(r.start, r.stop, r.step)


class _Zipped:
    """zip or enumerate of arrays of the host."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def arrays(self) -> Array:
        from .records import Records

        n = min(len(p) for p in self.parts)
        made = [p if isinstance(p, Array) else _range_array(p) if isinstance(p, range) else p.arrays() for p in self.parts]
        return Records([p[:n] if len(p) != n else p for p in made], None)

    def __len__(self) -> int:
        return min(len(p) for p in self.parts)

    def __iter__(self) -> Any:
        from .statements import host_elements

        return zip(*[host_elements(p) for p in self.parts])


def _of_array(node: Any, source: Array, generators: list[ast.comprehension], frame: Frame) -> Any:
    """A comprehension over an array of the host: all elements at once."""
    from .array import Lists

    lanes, size = lanes_of(source)
    lists = Lists(size.seg, ONE, size)
    outer = Frame(frame.function, ONE, None, parent=frame)
    result = _nested(node.elt, generators, ListLane(lists, lanes), outer)
    first = result.lists.inner
    made = array_of(result.elements, [first if first.known is None else first.known], first)
    return as_list(made)


def _nested(elt: ast.expr, generators: list[ast.comprehension], source: ListLane, frame: Frame) -> ListLane:
    from .statements import assign

    g = generators[0]
    lists, values = source.lists, source.elements
    inner = Frame(frame.function, lists.inner, None, parent=frame, lift=lambda v, lists=lists: spread(v, lists))  # type: ignore[misc]
    if frame.active is not None:
        inner.active = spread(Lane(_flags(frame.active, frame)), lists).flat.h
    assign(g.target, values, inner)
    for condition in g.ifs:
        test = value_of(condition, inner)
        assert inner.size is not None
        flags = flags_of(test, inner)
        seg_lists = filtered(lists, flags)
        inner = _kept_frame(inner, flags, seg_lists.inner)
        lists = seg_lists
    if len(generators) > 1:
        following = value_of(generators[1].iter, inner)
        if not isinstance(following, ListLane):
            following = as_lists(following if isinstance(following, Array) else list(following), inner)
        deeper = _nested(elt, generators[1:], following, inner)
        from .array import lists_of_lengths
        from .dtypes import int64
        from .flat import Flat, ins1

        total = ins1("+_REDUCE INT", "I", deeper.lists.lengths.h, lists.h)
        return ListLane(lists_of_lengths(Flat(int64, total, lists.outer), deeper.lists.inner), deeper.elements)
    value = value_of(elt, inner)
    assert inner.size is not None
    return ListLane(lists, _everywhere(value, inner.size))


def _flags(h: Any, frame: Frame) -> Any:
    from .dtypes import bool_
    from .flat import Flat

    assert frame.size is not None
    return Flat(bool_, h, frame.size)


def _kept_frame(frame: Frame, flags: Any, size: Size) -> Frame:
    old = frame.size
    assert old is not None
    made = Frame(frame.function, size, None, parent=frame, lift=lambda v: kept(v, flags, old, size))
    if frame.active is not None:
        made.active = kept(Lane(_flags(frame.active, frame)), flags, old, size).flat.h
    return made


def _everywhere(value: Any, size: Size) -> Any:
    if isinstance(value, tuple):
        return tuple(_everywhere(v, size) for v in value)
    if isinstance(value, (Lane, ListLane)):
        return value
    if isinstance(value, list):
        return display(value, size)
    if isinstance(value, Array) and value.ndim:
        from .nested import of_array

        return of_array(value, size)
    from .nested import flat_of

    return Lane(flat_of(value, size))


def _one_by_one(node: Any, generators: list[ast.comprehension], frame: Frame) -> Any:
    from .statements import _true, assign, host_elements

    found: list[Any] = []

    def run(k: int, scope: Frame) -> None:
        if k == len(generators):
            found.append(value_of(node.elt, scope))
            return
        for v in host_elements(value_of(generators[k].iter, scope)):
            assign(generators[k].target, v, scope)
            if all(_true(value_of(c, scope)) for c in generators[k].ifs):
                run(k + 1, scope)

    run(0, Frame(frame.function, None, None, parent=frame))
    return found


def closure_here(node: Any, name: str, frame: Frame) -> Closure:
    a = node.args
    positional = [p.arg for p in [*a.posonlyargs, *a.args]]
    defaults = dict(zip(positional[len(positional) - len(a.defaults) :], [value_of(d, frame) for d in a.defaults]))
    defaults.update({p.arg: value_of(d, frame) for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None})
    return Closure(node, frame.function.filename, name, frame.find, defaults)


def _lambda(node: ast.Lambda, frame: Frame) -> Any:
    return closure_here(node, "<lambda>", frame)


def _constant(node: ast.Constant, frame: Frame) -> Any:
    x = node.value
    if frame.size is None:
        return x
    return Whole(x) if type(x) is int else Real(x) if type(x) is float else x


def _name(node: ast.Name, frame: Frame) -> Any:
    return frame.find(node.id)


def _text(node: ast.JoinedStr, frame: Frame) -> str:
    return "".join(str(p.value) if isinstance(p, ast.Constant) else _formatted(p, frame) for p in node.values)


def _formatted(node: Any, frame: Frame) -> str:
    value = value_of(node.value, frame)
    if isinstance(value, Lane):
        return "..."
    spec = "" if node.format_spec is None else _text(node.format_spec, frame)
    return format(value.item() if isinstance(value, Array) and value.ndim == 0 else value, spec)


def _slice(node: ast.Slice, frame: Frame) -> slice:
    parts: list[Optional[Any]] = [None if p is None else value_of(p, frame) for p in (node.lower, node.upper, node.step)]
    return slice(*parts)


_EXPRESSIONS: dict[type, Callable[[Any, Frame], Any]] = {
    ast.Constant: _constant, ast.Name: _name, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _compare,
    ast.BoolOp: _bool, ast.IfExp: _if, ast.Call: _call, ast.Attribute: _attribute, ast.Subscript: _subscript, ast.Tuple: _tuple,
    ast.List: _list, ast.ListComp: _comprehension, ast.GeneratorExp: _comprehension, ast.Lambda: _lambda, ast.JoinedStr: _text,
    ast.Slice: _slice}
