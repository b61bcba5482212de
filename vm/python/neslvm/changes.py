"""Elements assigned to, and methods that change lists. Of one call they change what all names have, as in Python; of all calls
at once a list is a value, so only one name may have it."""
from __future__ import annotations

import ast
from typing import Any, Optional

from . import sections
from .array import Array
from .dtypes import bool_
from .host_lists import load_list
from .in_place import ASKING, CHANGING, changes_lists, changes_parts, is_fresh
from .interpreter import Frame, all_and, any_of, refuse, under_way
from .list_moves import first_where, replaced, sliced
from .nested import ListLane, display, joined, spread
from .rules import convert
from .lanes import Lane, choose, operate, whole

METHODS = CHANGING | {*ASKING}


def held(node: ast.AST, value: Any, frame: Frame) -> None:
    """A list of each call becomes an element of another one, which takes a copy: nobody may change it, or that one, by another name."""
    if is_fresh(node) or not (isinstance(value, (list, ListLane)) or load_list(value)) or isinstance(value, ListLane) and value.row:
        return
    if any(map(changes_parts, under_way())) or not isinstance(value, ListLane) and any(map(changes_lists, under_way())):
        raise refuse(frame, node, "a list that has a name becomes part of another one, and lists are changed here for each element; take a copy")
    if isinstance(value, ListLane):
        value.part = True


def is_method(node: ast.expr, frame: Frame) -> bool:
    """Whether it may name a method of a list of each call."""
    return frame.size is not None and isinstance(node, ast.Attribute) and node.attr in METHODS


def call_method(x: Any, node: ast.Call, args: list[Any], named: dict[str, Any], frame: Frame) -> Any:
    """list.method(...) of each call."""
    from .expressions import as_lists

    assert isinstance(node.func, ast.Attribute) and frame.size is not None
    name, lists = node.func.attr, as_lists(x, frame)
    if named and name != "sort":
        raise TypeError(f"list.{name}() takes no keyword arguments")
    if name == "copy":
        return sliced(lists, slice(None))
    if name in ASKING:
        return _found(name, lists, args[0], frame)
    for a, v in zip(node.args, args):
        held(a, v, frame)
    result = lists.at(args[0] if args else -1, frame.active) if name == "pop" else None
    store(node.func.value, _changed(name, lists, args, named, frame), frame, node)
    return result


def _found(name: str, lists: ListLane, x: Any, frame: Frame) -> Any:
    """list.count(x) and list.index(x)."""
    from .comparing import same_value

    hits = same_value(spread(x, lists.lists), lists.elements, lists.lists.inner)
    if name == "count":
        return ListLane(lists.lists, hits).reduced("sum")
    place = first_where(lists, convert(hits.flat, bool_).h)
    assert frame.size is not None
    if any_of(all_and(frame.active, operate("less", place, 0).flat.h), frame.size):
        raise ValueError("x is not in list")
    return place


def _changed(name: str, lists: ListLane, args: list[Any], named: dict[str, Any], frame: Frame) -> ListLane:
    """What a list becomes by list.name(...)."""
    from .expressions import as_lists
    from .list_functions import reversed_, sorted_

    assert frame.size is not None
    if name == "append":
        return joined(lists, display([args[0]], frame.size))
    if name == "extend":
        return joined(lists, as_lists(args[0], frame))
    if name == "insert":
        at = args[0]
        return joined(joined(sliced(lists, slice(None, at)), display([args[1]], frame.size)), sliced(lists, slice(at, None)))
    if name == "pop":
        i = args[0] if args else -1
        n, at = lists.length, Lane(whole(i, frame.size))
        at = choose(operate("less", at, 0).flat.h, operate("add", at, n), at, frame.size)
        return joined(sliced(lists, slice(None, at)), sliced(lists, slice(operate("add", at, 1), None)))
    if name == "remove":
        return _changed("pop", lists, [_found("index", lists, args[0], frame)], named, frame)
    if name == "clear":
        return sliced(lists, slice(0, 0))
    return reversed_(frame, lists) if name == "reverse" else sorted_(frame, lists, **named)


def store(target: ast.expr, value: Any, frame: Frame, node: ast.AST) -> None:
    """What a name or an element of a list becomes, in all calls that are under way."""
    from .expressions import as_lists, value_of
    from .statements import assign

    if isinstance(target, ast.Subscript):
        lists, key = as_lists(value_of(target.value, frame), frame), value_of(target.slice, frame)
        if isinstance(key, (slice, tuple)):
            raise refuse(frame, node, "a slice of a list of each element cannot be assigned to")
        value = as_lists(value, frame) if isinstance(value, list) else value
        store(target.value, replaced(lists, key, value, frame.active), frame, node)
        return
    if not isinstance(target, ast.Name):
        raise refuse(frame, node, "a list without a name cannot be changed")
    before = frame.names.get(target.id)
    why = _why_not(target.id, before, frame)
    if why is not None:
        raise refuse(frame, node, why + "; take a copy")
    if isinstance(before, list):
        frame.names[target.id] = as_lists(before, frame)
    assign(target, value, frame)


def _why_not(name: str, x: Any, frame: Frame) -> Optional[str]:
    """Why a list of each call cannot be changed: somebody else would see it."""
    if frame.parent is not None:
        return "a comprehension cannot change lists for each element"
    if x is None:
        return f"{name} is a list of the function around, which cannot be changed for each element"
    args = frame.function.node.args
    if name not in frame.own and any(a.arg == name for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]):
        return f"{name} is a parameter, whose list cannot be changed for each element"
    if isinstance(x, list) and any(map(changes_parts, under_way())) and not _is_alone(name, x, frame):
        return f"lists in {name} have other names, too, and cannot be changed for each element"
    if isinstance(x, ListLane) and x.part:
        return f"the list of {name} is part of another one, too, and cannot be changed for each element"
    if any(_has(v, x) for k, v in frame.names.items() if k != name):
        return f"the list of {name} has another name, too, and cannot be changed for each element"
    return None


def _is_alone(name: str, x: list[Any], frame: Frame) -> bool:
    """Whether each list in a list of Python is there once, and nowhere else."""
    inside = [id(v) for v in _lists_in(x)]
    others = {id(v) for k, y in frame.names.items() if k != name for v in _lists_in([y])}
    return len(set(inside)) == len(inside) and not others & {*inside}


def _lists_in(x: Any) -> list[Any]:
    inner = [v for v in x if isinstance(v, (list, tuple))]
    return [v for y in inner for v in [*([y] if isinstance(y, list) else []), *_lists_in(y)]]


def _has(value: Any, x: Any) -> bool:
    return value is x or isinstance(value, (list, tuple)) and any(_has(v, x) for v in value)


def set_element(target: ast.Subscript, value: Any, frame: Frame) -> None:
    """target = value."""
    from .expressions import value_of

    if frame.size is not None:
        base = value_of(target.value, frame)
        if isinstance(base, Array) or not isinstance(base, (list, ListLane)):
            raise refuse(frame, target, f"elements of a {type(base).__name__} of the function around cannot be changed for each element")
        store(target, value, frame, target)
        return
    sections.must_be_evaluated()
    base, keys = _place(target, frame)
    if isinstance(base, Array) and not load_list(base) and isinstance(value, list):
        from .making import array
        from .functions import as_result

        value = array(as_result(value))
    base[tuple(keys) if len(keys) > 1 else keys[0]] = value


def _place(target: ast.Subscript, frame: Frame) -> tuple[Any, list[Any]]:
    """What is changed and at which keys: a[i][j] changes an array a, not a copy of its row."""
    from .expressions import value_of

    if isinstance(target.value, ast.Subscript):
        base, keys = _place(target.value, frame)
        key = value_of(target.slice, frame)
        if isinstance(base, Array):
            if any(isinstance(k, (slice, tuple)) for k in keys):
                raise refuse(frame, target, "a slice of a slice of an array cannot be assigned to")
            return base, [*keys, key]
        return base[keys[0]], [key]
    return value_of(target.value, frame), [value_of(target.slice, frame)]
