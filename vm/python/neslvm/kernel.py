"""A Jupyter kernel for NESL: `python -m neslvm.kernel install` makes it known to Jupyter (pip install "neslvm[kernel]")."""
from __future__ import annotations

import html
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional

from ipykernel.kernelbase import Kernel

from . import _nvm, config

NAME = "nesl"
_RESULT = re.compile(r"^it = (\[.*\]) : (\[\[?(?:int|float|bool)\]?\])$")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*$")
_OK, _COMPILE_ERROR, _RUN_ERROR, _EXIT, _BUSY = range(5)
_MOST_CELLS = 10_000


def _numbers(text: str) -> Optional[list[Any]]:
    """A sequence as it is printed; nothing if it was folded."""
    try:
        found = json.loads(re.sub(r"\bT\b", "true", re.sub(r"\bF\b", "false", text)))
    except ValueError:
        return None
    return found if isinstance(found, list) else None


def table(rows: list[Any]) -> Optional[str]:
    """Rows of numbers as HTML."""
    if not rows or not all(isinstance(r, list) for r in rows) or sum(map(len, rows)) > _MOST_CELLS:
        return None
    cells = ["<tr>" + "".join(f"<td>{html.escape(str(x))}</td>" for x in r) + "</tr>" for r in rows]
    return "<table>" + "".join(cells) + "</table>"


def plot(values: list[Any]) -> Optional[str]:
    """Numbers as a line over their indices, SVG."""
    if len(values) < 3 or not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in values):
        return None
    low, high = min(values), max(values)
    width, height = 320, 120
    span = (high - low) or 1
    points = " ".join(f"{width * k / (len(values) - 1):.1f},{height - height * (x - low) / span:.1f}" for k, x in enumerate(values))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 {width + 8} {height + 8}" width="{width}"><polyline fill="none" '
            f'stroke="currentColor" points="{points}"/></svg>')


def display_of(line: str) -> dict[str, str]:
    """What a notebook may show of a result besides its text."""
    found = _RESULT.match(line)
    values = _numbers(found[1]) if found else None
    if values is None:
        return {}
    as_html, as_svg = table(values), plot(values)
    return {**({"text/html": as_html} if as_html else {}), **({"image/svg+xml": as_svg} if as_svg else {})}


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
        text = code if not _nvm.TopLevel.incomplete(code) else code.rstrip() + ";"
        try:
            status, out, err = self._top.run(text + "\n")
        except KeyboardInterrupt:
            return self._failed("KeyboardInterrupt", "interrupted", silent)
        if not silent:
            self._show(out)
        if status == _EXIT:
            return {**self._done(), "payload": [{"source": "ask_exit", "keepkernel": False}]}
        if status != _OK:
            kind = {_COMPILE_ERROR: "CompileError", _RUN_ERROR: "RunError"}.get(status, "Busy")
            return self._failed(kind, err.strip(), silent)
        if err and not silent:
            self._say("stream", {"name": "stderr", "text": err})
        return self._done()

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
        """Output as text; what the last value looks like besides."""
        lines = out.rstrip("\n").split("\n")
        rich = display_of(lines[-1])
        before = "\n".join(lines[:-1]) + "\n" if rich and len(lines) > 1 else "" if rich else out
        if before:
            self._say("stream", {"name": "stdout", "text": before})
        if rich:
            content = {"execution_count": self.execution_count, "data": {"text/plain": lines[-1], **rich}, "metadata": {}}
            self._say("execute_result", content)

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
