"""What the text of a function says of lists that are changed in place."""
from __future__ import annotations

import ast
import functools
from typing import Any, Optional

ASKING = ("copy", "count", "index")
CHANGING = frozenset(n for n in dir(list) if not n.startswith("_")) - {*ASKING}


def changed_names(node: ast.AST) -> set[str]:
    """The names of what is changed in place in a function."""
    found: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store):
            target: Any = n.value
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in CHANGING:
            target = n.func.value
        else:
            continue
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found


@functools.lru_cache(maxsize=4096)
def changes_lists(node: ast.AST) -> bool:
    """Whether a function changes lists in place; += does where its text says that the name is one of a list."""
    if changed_names(node):
        return True
    lists = {t.id for n in ast.walk(node) if isinstance(n, ast.Assign) and _makes_list(n.value) for t in n.targets if isinstance(t, ast.Name)}
    return any(isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and n.target.id in lists for n in ast.walk(node))


def _makes_list(value: ast.expr) -> bool:
    return is_fresh(value) and (not isinstance(value, ast.BinOp) or any(isinstance(n, (ast.List, ast.ListComp)) for n in ast.walk(value)))


@functools.lru_cache(maxsize=4096)
def changes_parts(node: ast.AST) -> bool:
    """Whether it changes lists that are elements of others: a[i][j] = x."""
    for n in ast.walk(node):
        target = n.value if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) else None
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in CHANGING:
            target = n.func.value
        if isinstance(target, ast.Subscript):
            return True
    return False


def is_fresh(value: Optional[ast.AST]) -> bool:
    """Whether an expression that gives a list makes it."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in ("list", "sorted", "reversed")
    return isinstance(value, (ast.List, ast.ListComp, ast.BinOp)) or isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)
