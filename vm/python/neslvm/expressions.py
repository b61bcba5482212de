"""Expressions of functions."""
from __future__ import annotations

import ast
import operator
from types import ModuleType
from typing import Any, Callable, Optional

from . import rules, sections
from .array import Array
from .comparing import as_a_whole, compared, same_value
from .comprehensions import comprehension
from .dtypes import Real, Whole, bool_
from .flat import Flat
from .host_lists import as_list, concat_lists, load_list
from .interpreter import NOTHING, OF_VALUES, Closure, Frame, all_and, any_of, choose_value, fails_nowhere, flags_of, is_lane, of_each, refuse
from .iterators import MAKING, Iterated, names_in, taken
from .list_moves import repeated_list, sliced
from .nested import ListLane, display, joined, of_array
from .records import Records
from .rows import on_rows
from .lanes import Lane, element, operate, pick
from .source import fits, literal_of

_NAMES: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("subtract", operator.sub), ast.Mult: ("multiply", operator.mul),
    ast.Div: ("divide", operator.truediv), ast.FloorDiv: ("floor_divide", operator.floordiv), ast.Mod: ("remainder", operator.mod),
    ast.Pow: ("pow", operator.pow), ast.BitAnd: ("bitwise_and", operator.and_), ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor), ast.LShift: ("bitwise_left_shift", operator.lshift),
    ast.RShift: ("bitwise_right_shift", operator.rshift), ast.MatMult: ("matmul", operator.matmul)}
_COMPARE: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("less", operator.lt), ast.LtE: ("less_equal", operator.le), ast.Gt: ("greater", operator.gt),
    ast.GtE: ("greater_equal", operator.ge), ast.Eq: ("equal", operator.eq), ast.NotEq: ("not_equal", operator.ne)}


def wrapped(x: Any, *operands: Any) -> Any:
    """Integers have 64 bits; what comes of those that were larger before cannot be told in them."""
    if type(x) is int and not fits(x):
        for o in operands:
            if isinstance(o, int) and not fits(o):
                raise OverflowError(f"{o} does not fit into an integer of 64 bits with a sign, and is computed with")
        return (x + 2**63) % 2**64 - 2**63
    return x


def value_of(node: ast.expr, frame: Frame) -> Any:
    evaluate = _EXPRESSIONS.get(type(node))
    if evaluate is None:
        raise refuse(frame, node, f"{type(node).__name__} cannot be compiled")
    return evaluate(node, frame)


def binary(op: ast.operator, a: Any, b: Any, frame: Frame) -> Any:
    name, plain = _NAMES[type(op)]
    if takes_rows(a, b):
        return on_rows(name, [a, b], frame.active, frame)
    if isinstance(a, ListLane) or isinstance(b, ListLane):
        return _of_lists(name, a, b, frame)
    if isinstance(a, Lane) or isinstance(b, Lane):
        if name == "multiply" and (isinstance(a, list) or isinstance(b, list)):
            return _of_lists(name, a, b, frame)
        return operate(name, a, b, guard=frame.active)
    if name == "add" and (isinstance(a, list) != isinstance(b, list)) and (load_list(a) or load_list(b)):
        return concat_lists(a, b)
    return wrapped(plain(a, b), a, b)


def takes_rows(*values: Any) -> bool:
    """Whether an operator works on the elements of rows."""
    if any(isinstance(v, ListLane) and v.row for v in values):
        return True
    return any(isinstance(v, Array) and v.ndim and not load_list(v) for v in values) and any(isinstance(v, (Lane, ListLane)) for v in values)


def _of_lists(name: str, a: Any, b: Any, frame: Frame) -> ListLane:
    if name == "add":
        return joined(as_lists(a, frame), as_lists(b, frame))
    if name == "multiply":
        x, n = (a, b) if isinstance(a, (list, ListLane)) else (b, a)
        if isinstance(n, (Lane, int)):
            return repeated_list(as_lists(x, frame), n)
    raise TypeError("lists have + and * by a number only")


def as_lists(x: Any, frame: Frame) -> ListLane:
    assert frame.size is not None
    if isinstance(x, ListLane):
        return x
    if isinstance(x, (list, tuple)):
        return display(x, frame.size)
    if isinstance(x, range):
        from .comprehensions import range_array

        return of_array(range_array(x), frame.size)
    if isinstance(x, Array) and x.ndim:
        return of_array(x, frame.size)
    raise TypeError(f"a {type(x).__name__} is no list")


def _binary(node: ast.BinOp, frame: Frame) -> Any:
    literal = literal_of(node)
    if literal is not None and not fits(literal):
        return literal
    return binary(node.op, value_of(node.left, frame), value_of(node.right, frame), frame)


def _unary(node: ast.UnaryOp, frame: Frame) -> Any:
    literal = literal_of(node)
    if literal is not None and not fits(literal):
        return literal
    x = value_of(node.operand, frame)
    if isinstance(node.op, ast.Not):
        if is_lane(x):
            assert frame.size is not None
            return Lane(Flat(bool_, rules.negated(flags_of(x, frame)), frame.size))
        return not x
    if isinstance(x, ListLane):
        name = "negative" if isinstance(node.op, ast.USub) else "positive" if isinstance(node.op, ast.UAdd) else "bitwise_invert"
        return on_rows(name, [x], None, frame)
    if isinstance(node.op, ast.USub):
        return operate("negative", x) if isinstance(x, Lane) else type(x)(-x) if type(x) in (Whole, Real) else wrapped(-x, x)
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
                found = contained(left, right, frame)
                if isinstance(op, ast.NotIn):
                    found = operate("logical_not", found) if isinstance(found, Lane) else not found
        else:
            name, plain = _COMPARE[type(op)]
            if takes_rows(left, right):
                found = on_rows(name, [left, right], None, frame)
            else:
                found = _compared(name, plain, left, right, frame)
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


def _compared(name: str, plain: Callable[[Any, Any], Any], a: Any, b: Any, frame: Frame) -> Any:
    if frame.size is not None and as_a_whole(a, b) and (of_each(a) or of_each(b)):
        return compared(name, a, b, frame.size, frame.active)
    return operate(name, a, b) if isinstance(a, Lane) or isinstance(b, Lane) else plain(a, b)


def contained(x: Any, values: Any, frame: Frame) -> Any:
    """x in values."""
    values = taken(values)
    if isinstance(values, ListLane) or is_lane(x) or isinstance(values, (list, tuple)) and any(is_lane(v) for v in values):
        from .nested import spread

        lists = as_lists(values, frame)
        hit = same_value(spread(x, lists.lists), lists.elements, lists.lists.inner)
        return ListLane(lists.lists, hit).reduced("any")
    if isinstance(values, Array) and values.ndim == 1:
        return bool((Array(values.flat, values.dims) == x).any())  # type: ignore[attr-defined]
    return x in values


def _guarded(frame: Frame, flags: Any, node: ast.expr) -> Any:
    """An expression for some of the calls."""
    before = frame.active
    frame.active = all_and(before, flags)
    try:
        assert frame.size is not None
        if _may_recurse(node) and not any_of(frame.active, frame.size):
            return NOTHING
        return value_of(node, frame)
    except OF_VALUES:
        if fails_nowhere(frame):
            return NOTHING
        raise
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
    if first is NOTHING and second is NOTHING:
        return 0  # no call is here
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
    from .changes import call_method

    args: list[Any] = []
    f, of_list = _called(node.func, frame)
    for a in node.args:
        if isinstance(a, ast.Starred):
            args.extend(taken(value_of(a.value, frame)))
        else:
            args.append(value_of(a, frame))
    named = {k.arg: value_of(k.value, frame) for k in node.keywords if k.arg}
    if of_list:
        return call_method(f, node, list(map(taken, args)), named, frame)
    result = call(f, args, named, frame)
    if not any(f is made for made in MAKING) or sections.is_used_up(result):
        return result
    names = [n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)] if frame.size is not None else []
    return Iterated(result, lambda: [*args, *(_known(name, frame) for name in names)])


def _called(node: ast.expr, frame: Frame) -> tuple[Any, bool]:
    """What is called; or the list of each call whose method is."""
    from .changes import is_method

    if not is_method(node, frame):
        return value_of(node, frame), False
    assert isinstance(node, ast.Attribute)
    x = value_of(node.value, frame)
    return (x, True) if isinstance(x, (list, ListLane)) else (_attribute_of(x, node, frame), False)


def _attribute(node: ast.Attribute, frame: Frame) -> Any:
    return _attribute_of(value_of(node.value, frame), node, frame)


def _attribute_of(x: Any, node: ast.Attribute, frame: Frame) -> Any:
    if isinstance(x, (Lane, ListLane)):
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
    if isinstance(x, ListLane) or _is_cut(key) and isinstance(x, (list, tuple)):
        return _of_list(as_lists(x, frame), key, frame)
    if _is_cut(key) and isinstance(x, Array):
        return _of_list(as_lists(x, frame), key, frame)
    keys = key if isinstance(key, tuple) else (key,)
    if not any(isinstance(k, Lane) for k in keys):
        found = x[key]
        return found.element(found.parts) if isinstance(found, Records) and found.ndim == 0 else found
    if isinstance(x, list):
        return as_lists(x, frame).at(key, frame.active)
    if isinstance(x, tuple):
        return pick(x, key)
    if not isinstance(x, Array) and hasattr(x, "__array__"):
        from .making import asarray

        x = asarray(x)
    if isinstance(x, Array):
        return element(x, keys, frame.active)
    return x[key]


def _is_cut(key: Any) -> bool:
    """Whether it is a slice with bounds of each call."""
    return isinstance(key, slice) and any(isinstance(b, Lane) for b in (key.start, key.stop, key.step))


def _of_list(x: ListLane, key: Any, frame: Frame) -> Any:
    if isinstance(key, tuple) and key:
        found = _of_list(x, key[0], frame)
        if len(key) == 1:
            return found
        if isinstance(key[0], slice) or not isinstance(found, ListLane):
            raise NotImplementedError("of several indices all but the last are numbers")
        return _of_list(found, key[1:], frame)
    return sliced(x, key) if isinstance(key, slice) else x.at(key, frame.active)


def _tuple(node: ast.Tuple, frame: Frame) -> Any:
    return tuple(value_of(e, frame) for e in node.elts)


def _list(node: ast.List, frame: Frame) -> Any:
    """[a, *b]: in one call a list of Python unless arrays are put together, in many a list of each."""
    from .changes import held

    parts: list[Any] = []
    for e in node.elts:
        parts.append((True, taken(value_of(e.value, frame))) if isinstance(e, ast.Starred) else (False, value_of(e, frame)))
    if frame.size is not None:
        for e, (starred, v) in zip(node.elts, parts):
            if not starred:
                held(e, v, frame)
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


def closure_here(node: Any, name: str, frame: Frame) -> Closure:
    a = node.args
    positional = [p.arg for p in [*a.posonlyargs, *a.args]]
    defaults = dict(zip(positional[len(positional) - len(a.defaults) :], [value_of(d, frame) for d in a.defaults]))
    defaults.update({p.arg: value_of(d, frame) for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None})
    return Closure(node, frame.function.filename, name, frame.find, defaults)


def _generator(node: ast.GeneratorExp, frame: Frame) -> Iterated:
    names = names_in(node, frame.size is not None)  # a list of each call that changes is another value of its name
    source = taken(value_of(node.generators[0].iter, frame))
    return Iterated(comprehension(node, frame, source), lambda: [source, *(_known(name, frame) for name in names)])


def _known(name: str, frame: Frame) -> Any:
    try:
        return frame.find(name)
    except NameError:
        return None


def _lambda(node: ast.Lambda, frame: Frame) -> Any:
    return closure_here(node, "<lambda>", frame)


def _constant(node: ast.Constant, frame: Frame) -> Any:
    x = node.value
    if frame.size is None:
        return x
    return Whole(x) if type(x) is int else Real(x) if type(x) is float else x


def _named(node: ast.NamedExpr, frame: Frame) -> Any:
    from .statements import assign

    value = value_of(node.value, frame)
    assign(node.target, value, frame)
    return value


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
    ast.List: _list, ast.ListComp: comprehension, ast.GeneratorExp: _generator, ast.Lambda: _lambda, ast.JoinedStr: _text,
    ast.Slice: _slice, ast.NamedExpr: _named}
