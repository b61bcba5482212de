"""The source of a function as a syntax tree."""
from __future__ import annotations

import ast
import linecache
from types import CodeType, FunctionType
from typing import Optional, Union

FunctionNode = Union[ast.FunctionDef, ast.Lambda]
_files: dict[str, tuple[int, list[FunctionNode]]] = {}
_found: dict[CodeType, Optional[FunctionNode]] = {}


def _functions_of(filename: str) -> list[FunctionNode]:
    lines = linecache.getlines(filename)
    text = "".join(lines)
    known = _files.get(filename)
    if known is not None and known[0] == hash(text):
        return known[1]
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    nodes: list[FunctionNode] = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    _files[filename] = hash(text), nodes
    return nodes


def _extents(code: CodeType) -> set[tuple[int, int, int, int]]:
    return {p for p in code.co_positions() if None not in p and p[2:] != (0, 0)}  # type: ignore[misc]


def _within(node: ast.expr, extents: set[tuple[int, int, int, int]]) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return all(begin <= (line, column) and (end_line, end_column) <= end for line, end_line, column, end_column in extents)  # type: ignore[operator]


def node_of(f: FunctionType) -> Optional[FunctionNode]:
    """The definition of a function; None if its source cannot be read."""
    code = f.__code__
    if code in _found:
        return _found[code]
    candidates: list[FunctionNode] = []
    for node in _functions_of(code.co_filename):
        if isinstance(node, ast.Lambda):
            body = node.body
            if code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
                if _within(body, _extents(code)):
                    candidates.append(node)
        elif node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                candidates.append(node)
    if len(candidates) > 1:
        candidates = [n for n in candidates if [a.arg for a in n.args.args] == list(code.co_varnames[: code.co_argcount])]
    _found[code] = candidates[-1] if candidates else None  # the innermost
    return _found[code]
