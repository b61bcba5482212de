"""Arrays as text and as HTML."""
from __future__ import annotations

import html as _html
from typing import Any

from .array import Array

MOST = 6  # elements shown of a dimension, half of them from its end


def _short(x: Any) -> str:
    if isinstance(x, list):
        parts = [_short(e) for e in x[:MOST]] if len(x) <= 2 * MOST else [*(_short(e) for e in x[:MOST]), "...", *(_short(e) for e in x[-3:])]
        return "[" + ", ".join(parts) + "]"
    return repr(x)


def _ends(a: Array) -> tuple[Array, int]:
    """So much of a long array that its beginning and end can be shown."""
    from .shaping import concat

    n = len(a) if a.ndim else 0
    if n <= 2 * MOST or a.ndim == 0:
        return a, n
    head, tail = a[:MOST], a[-3:]
    if hasattr(a, "parts"):
        return head, n
    joined = concat([head, tail], axis=0)
    return joined, n


def text(a: Array) -> str:
    shown, n = _ends(a)
    values = shown.tolist()
    if isinstance(values, list) and n > 2 * MOST:
        values = [*values[:MOST], ..., *values[MOST:]]
    body = _short(values).replace("Ellipsis", "...")
    return f"array({body}, type={a.type!r})"


def html(a: Array) -> str:
    shown, n = _ends(a)
    values = shown.tolist()
    rows = values if isinstance(values, list) else [values]
    lines = []
    for k, row in enumerate(rows):
        if n > 2 * MOST and k == MOST:
            lines.append("<tr><td>&#8942;</td></tr>")
        cells = row if isinstance(row, list) else [row]
        cut = cells[: 2 * MOST]
        lines.append("<tr>" + "".join(f"<td>{_html.escape(_short(c))}</td>" for c in cut) + ("<td>&#8230;</td>" if len(cells) > len(cut) else "") + "</tr>")
    return f"<div><table>{''.join(lines)}</table><p>{_html.escape(a.type)}</p></div>"
