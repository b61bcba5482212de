"""How things are run: options, and what running them has cost."""
from __future__ import annotations

import contextvars
from types import TracebackType
from typing import Any, NamedTuple, Optional

from . import _nvm

_JIT = {"off": 0, "hot": 1, "always": 2}
_FUSION = {"off": 0, "greedy": 1, "exact": 2}


class Settings(NamedTuple):
    jit: str = "hot"
    fusion: str = "exact"
    threads: int = 0
    memory: int = 0
    max_depth: int = 0
    engine: str = "cpu"
    interpret: bool = False
    check_borrowed: bool = False
    watcher: Any = None  # of profile and trace


_OPTIONS = tuple(f for f in Settings._fields if f != "watcher")
_current: contextvars.ContextVar[Settings] = contextvars.ContextVar("nvm options", default=Settings())
_made: dict[Settings, Any] = {}
_evaluators: dict[Settings, Any] = {}
_alone = False  # in a child process: the threads of its parent are not there


def current() -> Settings:
    return _current.get()


def machine_options() -> Any:
    s = _current.get()
    found = _made.get(s)
    if found is None:
        found = _nvm.Options(_JIT[s.jit], _FUSION[s.fusion], 1 if _alone else s.threads, s.memory, s.max_depth, "", s.watcher)
        _made[s] = found
    return found


def evaluator() -> Any:
    """What computes under these options, with the programs and kernels that it has."""
    s = _current.get()
    found = _evaluators.get(s)
    if found is None:
        found = _evaluators[s] = _nvm.Evaluator(machine_options())
    return found


def after_fork() -> None:
    global _alone
    _alone = True
    _made.clear()
    for parents in _evaluators.values():
        parents.abandon()
    _evaluators.clear()
    from .compiled import forget

    forget()


def _checked(settings: Settings) -> Settings:
    for name, values in (("jit", _JIT), ("fusion", _FUSION), ("engine", {"cpu": 0})):
        if getattr(settings, name) not in values:
            raise ValueError(f"{name}={getattr(settings, name)!r}: it is one of " + ", ".join(values))
    for name in ("threads", "memory", "max_depth"):
        value = getattr(settings, name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name}={value!r} is no int")
        if value < 0:
            raise ValueError(f"{name}={value} is negative")
    for name in ("interpret", "check_borrowed"):
        if not isinstance(getattr(settings, name), bool):
            raise TypeError(f"{name}={getattr(settings, name)!r} is neither True nor False")
    return settings


class options:
    """For what is done in a `with` block: jit, fusion, threads, memory, max_depth, engine, interpret, check_borrowed."""

    def __init__(self, **changes: Any) -> None:
        unknown = set(changes) - set(_OPTIONS)
        if unknown:
            raise TypeError(f"there is no option {sorted(unknown)[0]!r}; there are " + ", ".join(_OPTIONS))
        self._changes = changes
        self._tokens: list[contextvars.Token[Settings]] = []
        _checked(Settings()._replace(**changes))

    def __enter__(self) -> options:
        self._tokens.append(_current.set(_current.get()._replace(**self._changes)))
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        checked = _current.get().check_borrowed
        _current.reset(self._tokens.pop())
        if checked and not _current.get().check_borrowed:
            from .borrowed import forget

            forget()


class Watching:
    """A `with` block whose runs a watcher of the machine sees."""

    def __init__(self) -> None:
        self._tokens: list[contextvars.Token[Settings]] = []

    def _watch(self, watcher: Any) -> None:
        if _current.get().watcher is not None:
            raise RuntimeError("a profile or trace is being taken already")
        self._tokens.append(_current.set(_current.get()._replace(watcher=watcher)))

    def _leave(self) -> None:
        watcher = _current.get().watcher
        _current.reset(self._tokens.pop())
        from .compiled import forget_settings

        for s in [s for s in {**_made, **_evaluators} if s.watcher is watcher]:
            _made.pop(s, None)
            _evaluators.pop(s, None)
        forget_settings(lambda s: s.watcher is watcher)


_watching: list[stats] = []


class stats:
    """What the operations of a `with` block recorded and ran."""

    def __enter__(self) -> stats:
        self.regions = self.kernels = self.compiled = self.launches = self.peak_bytes = 0
        self.seconds = 0.0
        self._before = _nvm.recorded()
        self._after: Optional[int] = None
        _watching.append(self)
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._after = _nvm.recorded()
        _watching.remove(self)

    @property
    def recorded(self) -> int:
        return (_nvm.recorded() if self._after is None else self._after) - self._before

    def add(self, regions: int, kernels: int, compiled: int, peak: int, seconds: float) -> None:
        self.regions += regions
        self.kernels += kernels
        self.launches += kernels
        self.compiled += compiled
        self.peak_bytes = max(self.peak_bytes, peak)
        self.seconds += seconds


def note_run(regions: int, kernels: int, compiled: int, peak: int, seconds: float) -> None:
    for watcher in _watching:
        watcher.add(regions, kernels, compiled, peak, seconds)
