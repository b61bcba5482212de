"""A Jupyter kernel for NESL: `python -m neslvm.kernel install` makes it known to Jupyter (pip install "neslvm[kernel]")."""
from __future__ import annotations

import html
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator, Optional

from ipykernel.kernelbase import Kernel

from . import _nvm, config
from .array import Array
from .nesl import result_of
from .show import html as abridged

NAME = "nesl"
_RESULT = re.compile(r"^it =.* : (\[\[?(?:int|float|bool)\]?\])\Z", re.MULTILINE | re.DOTALL)
_CHART = re.compile(r"^(\w+ : chart)\n(<svg.*</svg>)\Z", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*$")
_OK, _COMPILE_ERROR, _RUN_ERROR, _EXIT, _BUSY = range(5)
_MOST_CELLS = 10_000
_MOST_POINTS = 1_000


def table(a: Array) -> Optional[str]:
    """Rows of numbers as HTML; of many the first and the last ones."""
    if len(a) == 0:
        return None
    if a.size > _MOST_CELLS:
        return abridged(a)
    cells = ["<tr>" + "".join(f"<td>{html.escape(str(x))}</td>" for x in r) + "</tr>" for r in a.tolist()]
    return "<table>" + "".join(cells) + "</table>"


def plot(a: Array) -> Optional[str]:
    """Numbers as a line over their indices, SVG; of many the least and the greatest of neighbours."""
    import numpy as np

    values = a.to_numpy().astype(float)
    if len(values) < 3 or a.dtype.kind == "b" or not np.isfinite(values).all():
        return None
    at = np.arange(len(values))
    if len(values) > 2 * _MOST_POINTS:
        begins = np.arange(_MOST_POINTS) * len(values) // _MOST_POINTS
        values = np.ravel([f.reduceat(values, begins) for f in (np.minimum, np.maximum)], order="F")
        at = np.repeat(begins, 2)
    width, height = 320, 120
    heights = values / (np.abs(values).max() or 1)  # no difference overflows
    low, span = heights.min(), np.ptp(heights) or 1
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(width * at / at[-1], height - height * (heights - low) / span))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 {width + 8} {height + 8}" width="{width}"><polyline fill="none" '
            f'stroke="currentColor" points="{points}"/></svg>')


def forms_of(code: str) -> Iterator[str]:
    """The forms of a cell, each behind as many lines and columns as in the cell, by which messages name places."""
    begin = 0
    for found in [*re.finditer(r"[;$]", code), None]:
        end = found.end() if found else len(code)
        form = code[begin:end]
        if found and _nvm.TopLevel.incomplete(form) or not form.strip():
            continue
        line = code.rfind("\n", 0, begin) + 1
        before = "\n" * code.count("\n", 0, begin) + " " * (begin - line)
        yield before + (form if not _nvm.TopLevel.incomplete(form) else form.rstrip() + ";")
        begin = end


class NeslKernel(Kernel):  # type: ignore[misc]
    implementation = "neslvm"
    implementation_version = _nvm.version()
    banner = "NESL on nvm"
    language_info = {"name": "nesl", "mimetype": "text/x-nesl", "file_extension": ".nesl", "pygments_lexer": "text"}

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)  # type: ignore[no-untyped-call]
        self._top = _nvm.TopLevel(config.machine_options())

    def do_execute(  # type: ignore[override]
            self, code: str, silent: bool, store_history: bool = True, user_expressions: Any = None, allow_stdin: bool = False,
            **_: Any) -> dict[str, Any]:
        try:
            for form in forms_of(code):
                ended = self._run(form, silent)
                if ended is not None:
                    return ended
        except KeyboardInterrupt:
            return self._failed("KeyboardInterrupt", "interrupted", silent)
        return self._done()

    def _run(self, form: str, silent: bool) -> Optional[dict[str, Any]]:
        """The reply, if the cell ends with this form."""
        status, out, err = self._top.run(form + "\n")
        printed = self._top.printed()
        failed = status not in (_OK, _EXIT)
        if not silent:
            if not failed:
                self._stream("stdout", printed if printed.endswith("\n") or not printed else printed + "\n")
                self._stream("stderr", err.lstrip("\n"))  # an end of line, if it is none of the program's
            self._show(out)
        if failed:
            kind = {_COMPILE_ERROR: "CompileError", _RUN_ERROR: "RunError"}.get(status, "Busy")
            return self._failed(kind, (printed + err).strip(), silent)
        return {**self._done(), "payload": [{"source": "ask_exit", "keepkernel": False}]} if status == _EXIT else None

    def _stream(self, name: str, text: str) -> None:
        if text:
            self._say("stream", {"name": name, "text": text})

    def _say(self, kind: str, content: dict[str, Any]) -> None:
        self.send_response(self.iopub_socket, kind, content)  # type: ignore[no-untyped-call]

    def _done(self) -> dict[str, Any]:
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _failed(self, name: str, message: str, silent: bool) -> dict[str, Any]:
        content = {"ename": name, "evalue": message, "traceback": message.splitlines()}
        if not silent:
            self._say("error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    def _show(self, out: str) -> None:
        """Output of a form as text, and what its value looks like besides."""
        text = out.rstrip("\n")
        data = self._rich(text)
        if not data:
            return self._stream("stdout", out)
        self._say("execute_result", {"execution_count": self.execution_count, "data": {"text/plain": text, **data}, "metadata": {}})

    def _rich(self, text: str) -> dict[str, str]:
        chart, numbers = _CHART.search(text), _RESULT.search(text)
        if chart:
            return {"text/plain": chart[1], "image/svg+xml": chart[2]}
        parts = self._top.value("it") if numbers else None
        if parts is None:
            return {}
        a = result_of((numbers[1], parts))  # type: ignore[index]
        kind, drawn = ("text/html", table(a)) if a.ndim == 2 else ("image/svg+xml", plot(a))
        return {kind: drawn} if drawn else {}

    def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:  # type: ignore[override]
        found = _WORD.search(code[:cursor_pos])
        word = found[0] if found else ""
        names = [n for n in self._top.names() if word and n.lower().startswith(word.lower())]
        return {"status": "ok", "matches": names, "cursor_start": cursor_pos - len(word), "cursor_end": cursor_pos, "metadata": {}}

    def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict[str, Any]:  # type: ignore[override]
        end = cursor_pos
        while end < len(code) and (code[end].isalnum() or code[end] == "_"):
            end += 1
        found = _WORD.search(code[:end])
        text = ""
        if found and found[0].lower() in {n.lower() for n in self._top.names()}:
            text = self._top.run(f"describe {found[0]};\n")[1]
        return {"status": "ok", "found": bool(text), "data": {"text/plain": text} if text else {}, "metadata": {}}

    def do_is_complete(self, code: str) -> dict[str, Any]:  # type: ignore[override]
        return {"status": "incomplete", "indent": ""} if _nvm.TopLevel.incomplete(code) else {"status": "complete"}


def install(prefix: Optional[str] = None) -> str:
    """Tells Jupyter of the kernel: for this user, or below a prefix. Where."""
    from jupyter_client.kernelspec import KernelSpecManager

    with tempfile.TemporaryDirectory() as folder:
        spec = {"argv": [sys.executable, "-m", "neslvm.kernel", "-f", "{connection_file}"], "display_name": "NESL (nvm)", "language": "nesl",
                "interrupt_mode": "signal"}
        (Path(folder) / "kernel.json").write_text(json.dumps(spec, indent=1))
        made: str = KernelSpecManager().install_kernel_spec(folder, NAME, user=prefix is None, prefix=prefix)
    return made


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["install"]:
        options = arguments[1:]
        if options and (len(options) != 2 or options[0] != "--prefix"):
            raise SystemExit("usage: python -m neslvm.kernel install [--prefix DIR]")
        print(f"installed in {install(options[1] if options else None)}")
        return
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=NeslKernel, argv=arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
