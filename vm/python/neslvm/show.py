"""Arrays as text and as HTML."""
from __future__ import annotations

import html as _html
from typing import Any

from .array import Array

MOST, LAST = 6, 3  # of a longer dimension the first and the last elements are shown


def _short(x: Any) -> str:
    if x is ...:
        return "..."
    if not isinstance(x, list):
        return repr(x)
    if len(x) > 2 * MOST:
        x = [*x[:MOST], ..., *x[-LAST:]]
    return "[" + ", ".join(_short(e) for e in x) + "]"


def _ends(a: Array) -> list[Any]:
    """The values of an array of some dimensions, of a long one its first and last, with ... between them."""
    from .shaping import concat

    if len(a) <= 2 * MOST:
        return list(a.tolist())
    if hasattr(a, "parts"):  # records
        return [*a[:MOST].tolist(), ..., *a[-LAST:].tolist()]
    values = concat([a[:MOST], a[-LAST:]], axis=0).tolist()
    return [*values[:MOST], ..., *values[MOST:]]


def text(a: Array) -> str:
    return f"array({_short(_ends(a) if a.ndim else a.tolist())}, type={a.type!r})"


def html(a: Array) -> str:
    """A table: a row for each element of the first dimension, records with their names above."""
    rows = _ends(a) if a.ndim else [a.tolist()]
    lines = []
    if rows and isinstance(rows[0], dict):
        lines.append("".join(f"<th>{_html.escape(name)}</th>" for name in rows[0]))
    for row in rows:
        cells = list(row.values()) if isinstance(row, dict) else row if isinstance(row, list) else [row]
        if row is ...:
            lines.append("<td>&#8942;</td>")
        else:
            cut = "<td>&#8230;</td>" if len(cells) > 2 * MOST else ""
            lines.append("".join(f"<td>{_html.escape(_short(c))}</td>" for c in cells[: 2 * MOST]) + cut)
    return f"<div><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table><p>{_html.escape(a.type)}</p></div>"
