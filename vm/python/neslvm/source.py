"""The source of a function as a syntax tree."""
from __future__ import annotations

import ast
import linecache
import operator
from types import CodeType, FunctionType
from typing import Callable, Optional, Union

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


MOST_BITS = 512  # of a literal that is computed
_LITERAL: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow, ast.LShift: operator.lshift}


def literal_of(node: ast.AST) -> Optional[int]:
    """The integer that 2**63 - 1, say, is in the text; None of what is no such literal."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        x = literal_of(node.operand)
        return None if x is None else -x
    if not isinstance(node, ast.BinOp) or type(node.op) not in _LITERAL:
        return None
    a, b = literal_of(node.left), literal_of(node.right)
    if a is None or b is None or isinstance(node.op, (ast.Pow, ast.LShift)) and not 0 <= b * max(a.bit_length(), 1) <= MOST_BITS:
        return None
    return _LITERAL[type(node.op)](a, b)


def fits(x: int) -> bool:
    """Whether it is one of the integers of functions."""
    return -(2**63) <= x < 2**63
