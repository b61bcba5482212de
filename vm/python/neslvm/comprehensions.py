"""Comprehensions: over arrays and lists of all calls at once, over lists of the host one by one."""
from __future__ import annotations

import ast
from typing import Any

from .array import Array, Lists
from .dtypes import bool_
from .errors import CompileError
from .flat import ONE, Flat, Size
from .host_lists import as_list
from .interpreter import OF_VALUES, Frame, fails_nowhere, flags_of, under_way
from .in_place import changes_lists, changes_parts, is_fresh
from .iterators import taken
from .list_moves import flattened
from .nested import ListLane, array_of, display, filtered, flat_of, kept, lanes_of, of_array, spread
from .lanes import Lane, alike


def comprehension(node: Any, frame: Frame, source: Any = None) -> Any:
    """`source`: what it goes through, if that is known."""
    from .changes import held
    from .expressions import as_lists, value_of

    generators = list(node.generators)
    source = taken(value_of(generators[0].iter, frame) if source is None else source)
    if frame.size is None and not (isinstance(source, Array) and source.ndim):
        if _is_plain_range(source) and len(source) > 0 or isinstance(source, Zipped) and source.of_arrays:
            source = source.arrays() if isinstance(source, Zipped) else range_array(source)
        else:
            return _one_by_one(node, generators, source, frame)
    if frame.size is None:
        try:
            made = _of_array(node, source, generators, frame)
        except CompileError:
            if not any(map(changes_parts, under_way())):
                raise
            made = None  # one by one lists are those of Python, which may have other names
        return _one_by_one(node, generators, source, frame) if made is None else made
    if not isinstance(source, ListLane) and not _has_lane(source):
        source = as_lists(source if isinstance(source, Array) else list(source), frame)
    result = _nested(node.elt, generators, source, frame)
    if _is_of_lists(result):
        around = frame
        while around.parent is not None:
            around = around.parent
        held(node.elt, around.names.get(node.elt.id, result) if isinstance(node.elt, ast.Name) else result, frame)
    return result


def _is_of_lists(x: ListLane) -> bool:
    return isinstance(x.elements, ListLane) and not x.elements.row


def _is_one_list(node: Any) -> bool:
    """Whether all elements are one and the same, if it is a list."""
    own = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    return not is_fresh(node.elt) and not any(isinstance(n, ast.Name) and n.id in own for n in ast.walk(node.elt))


def _has_lane(x: Any) -> bool:
    return isinstance(x, (ListLane, Zipped))


def _is_plain_range(x: Any) -> bool:
    return isinstance(x, range)


def range_array(r: range) -> Array:
    from .making import arange

    return arange(r.start, r.stop, r.step)


class Zipped:
    """zip or enumerate of arrays of the host."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    @property
    def of_arrays(self) -> bool:
        return all(p.of_arrays if isinstance(p, Zipped) else isinstance(p, (Array, range)) for p in self.parts)

    def as_list(self) -> Any:
        return self.arrays() if self.of_arrays else list(self)

    def arrays(self) -> Array:
        from .records import Records

        n = min(len(p) for p in self.parts)
        made = [p if isinstance(p, Array) else range_array(p) if isinstance(p, range) else p.arrays() for p in self.parts]
        return Records([p[:n] if len(p) != n else p for p in made], None)

    def __len__(self) -> int:
        return min(len(p) for p in self.parts)

    def __iter__(self) -> Any:
        from .statements import host_elements

        return zip(*[host_elements(p) for p in self.parts])


def _of_array(node: Any, source: Array, generators: list[ast.comprehension], frame: Frame) -> Any:
    """A comprehension over an array of the host: all elements at once. None of lists that may have other names or are changed: they
    are those of Python."""
    outer = Frame(frame.function, ONE, None, parent=frame)
    made = _nested(node.elt, generators, the_only_list(source), outer)
    if _is_of_lists(made) and (_is_one_list(node) or any(map(changes_lists, under_way()))):
        return None
    return list_of_host(made)


def the_only_list(a: Array) -> ListLane:
    """An array of the host as the list of one call."""
    lanes, size = lanes_of(a)
    return ListLane(Lists(size.seg, ONE, size), lanes)


def list_of_host(x: ListLane) -> Array:
    """The list of one call, as the host has it."""
    first, depth, level = x.lists.inner, 1, x.elements
    while isinstance(level, ListLane) and not level.row:
        depth, level = depth + 1, level.elements
    return as_list(array_of(x.elements, [first if first.known is None else first.known], first), depth)


def _nested(elt: ast.expr, generators: list[ast.comprehension], source: ListLane, frame: Frame) -> ListLane:
    from .expressions import as_lists, value_of
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
        following = taken(value_of(generators[1].iter, inner))
        if not isinstance(following, ListLane):
            following = as_lists(following if isinstance(following, Array) else list(following), inner)
        return flattened(ListLane(lists, _nested(elt, generators[1:], following, inner)))
    assert inner.size is not None
    try:
        value = value_of(elt, inner)
    except OF_VALUES:
        if not fails_nowhere(inner):
            raise
        value = 0
    return ListLane(lists, everywhere(value, inner.size))


def _flags(h: Any, frame: Frame) -> Any:
    assert frame.size is not None
    return Flat(bool_, h, frame.size)


def _kept_frame(frame: Frame, flags: Any, size: Size) -> Frame:
    old = frame.size
    assert old is not None
    made = Frame(frame.function, size, None, parent=frame, lift=lambda v: kept(v, flags, old, size))
    if frame.active is not None:
        made.active = kept(Lane(_flags(frame.active, frame)), flags, old, size).flat.h
    return made


def everywhere(value: Any, size: Size) -> Any:
    value = taken(value)
    if isinstance(value, tuple):
        return alike(value, [everywhere(v, size) for v in value])
    if isinstance(value, (Lane, ListLane)):
        return value
    if isinstance(value, list):
        return display(value, size)
    if isinstance(value, Array) and value.ndim:
        return of_array(value, size)
    return Lane(flat_of(value, size))


def _one_by_one(node: Any, generators: list[ast.comprehension], source: Any, frame: Frame) -> Any:
    from .expressions import value_of
    from .statements import _true, assign, host_elements

    found: list[Any] = []

    def run(k: int, scope: Frame) -> None:
        if k == len(generators):
            found.append(value_of(node.elt, scope))
            return
        for v in host_elements(source if k == 0 else taken(value_of(generators[k].iter, scope))):
            assign(generators[k].target, v, scope)
            if all(_true(value_of(c, scope)) for c in generators[k].ifs):
                run(k + 1, scope)

    run(0, Frame(frame.function, None, None, parent=frame))
    return found
