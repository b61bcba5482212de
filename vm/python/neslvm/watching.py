"""Who spends the time of what is evaluated, by lines of the script: profiles and traces."""
from __future__ import annotations

import json
import os
from types import TracebackType
from typing import Any, Optional, Union

from . import _nvm, config


class profile(config.Watching):
    """What is evaluated in a `with` block, by lines of the script, functions of NESL and kernels; afterwards report(), table() and
    save()."""

    def __init__(self) -> None:
        super().__init__()
        self._profiler: Any = None

    def __enter__(self) -> profile:
        self._profiler = _nvm.profiler(config.current().threads)
        self._watch(self._profiler)
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._leave()
        self._profiler.text("", "", "", 0)  # from now on it stays what it is

    def report(self, *, columns: str = "", sort: str = "", tables: str = "", rows: int = 30) -> str:
        """Tables as `nvm profile` prints them; columns and tables are names between commas."""
        return str(self._profiler.text(columns, sort, tables, rows))

    def table(self, *, columns: str = "", sort: str = "", tables: str = "", rows: int = 30) -> Any:
        """The same as values of Python, as `nvm profile --format json` has them."""
        return json.loads(self._profiler.json(columns, sort, tables, rows))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """A page (.html), a table (.csv, .json), or for tools that draw flame graphs (.folded, .speedscope.json)."""
        name = os.fspath(path)
        title = os.path.basename(name)
        if name.endswith(".speedscope.json"):
            text = self._profiler.speedscope(title)
        elif name.endswith((".html", ".json", ".csv", ".folded")):
            of = {"html": lambda: self._profiler.html(title), "folded": self._profiler.folded,
                  "json": lambda: self._profiler.json("", "", "", 10_000), "csv": lambda: self._profiler.csv("", "", "", 10_000)}
            text = of[name.rpartition(".")[2]]()
        else:
            raise ValueError(f"{name}: a profile is saved as .html, .json, .csv, .folded or .speedscope.json")
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)

    def __repr__(self) -> str:
        return "<nvm profile>" if self._tokens or self._profiler is None else self.report()


class trace(config.Watching):
    """What is evaluated in a `with` block, over time: a file in Chrome's trace event format, for ui.perfetto.dev."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        super().__init__()
        self.path = os.fspath(path)
        self._trace: Any = None

    def __enter__(self) -> trace:
        try:
            self._trace = _nvm.trace(self.path)
        except RuntimeError as e:
            raise OSError(str(e)) from None
        self._watch(self._trace)
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._leave()
        wrong = self._trace.close()
        if wrong and error is None:
            raise OSError(wrong)
