"""Arrays of tuples and records, stored by component."""
from __future__ import annotations

import builtins
from collections import namedtuple
from functools import wraps
from typing import Any, Callable, Optional, Sequence, TypeVar, cast

from .array import Array

_record_types: dict[tuple[str, ...], Any] = {}
F = TypeVar("F", bound=Callable[..., Array])


class Records(Array):
    """Its components have one shape, as far as `level` dimensions go; what they have inside of these are lists of their own."""

    __slots__ = ("parts", "names", "level", "kind")
    parts: tuple[Array, ...]
    names: Optional[tuple[str, ...]]
    level: int
    kind: Any

    def __init__(self, parts: Sequence[Array], names: Optional[Sequence[str]], level: Optional[int] = None, kind: Any = None) -> None:
        first = parts[0]
        self.level = first.ndim if level is None else level
        if self.level == first.ndim:
            super().__init__(first._flat, first.dims, first._view)
        else:
            super().__init__(first._flat, first.dims[: self.level], None)
        self.parts = tuple(parts)
        self.names = tuple(names) if names is not None else None
        self.kind = kind  # the class of named tuples that its elements are in functions

    @property
    def has_lists(self) -> bool:
        """Whether components have dimensions of their own."""
        return any(p.ndim != self.level or isinstance(p, Records) and p.has_lists for p in self.parts)

    @property
    def flat(self) -> Any:
        one = f"a[{self.names[0]!r}]" if self.names is not None else "a.unzip()[0]"
        raise TypeError(f"an array of type {self.type} has its elements in components; give one, as {one}")

    @property
    def fields(self) -> list[str]:
        return list(self.names) if self.names is not None else [str(k) for k in range(len(self.parts))]

    @property
    def element_type(self) -> str:
        kinds = [" * ".join(p.type.split(" * ", self.level)[self.level :]) for p in self.parts]
        if self.names is None:
            return "(" + ", ".join(kinds) + ")"
        return "{" + ", ".join(f"{n}: {k}" for n, k in builtins.zip(self.names, kinds)) + "}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    @property
    def size(self) -> int:
        return int(self.lengths_inside()[-1].sum()) if self.is_jagged else super().size

    @property
    def nbytes(self) -> int:
        return sum(p.nbytes for p in self.parts)

    @property
    def dtype(self) -> Any:
        raise TypeError(f"an array of type {self.type} has a type for each component")

    def handles(self, materialise: bool = True) -> list[Any]:
        return [h for p in self.parts for h in p.handles(materialise)]

    def element(self, values: Sequence[Any]) -> Any:
        """The tuple that a function has for an element."""
        if self.names is None:
            return tuple(values)
        kind = _record_types.setdefault(self.names, namedtuple("record", self.names)) if self.kind is None else self.kind  # type: ignore[misc]
        return kind(*values)

    def unzip(self) -> tuple[Array, ...]:
        return self.parts

    def tolist(self) -> Any:
        lists = [p.tolist() for p in self.parts]

        def together(values: list[Any], depth: int) -> Any:
            if depth == 0:
                return dict(builtins.zip(self.names, values)) if self.names is not None else tuple(values)
            return [together(list(v), depth - 1) for v in builtins.zip(*values)]

        return together(lists, self.ndim)

    def to_numpy(self) -> Any:
        raise TypeError("an array of tuples or records leaves by tolist(), or by component: unzip()")

    def item(self) -> Any:
        raise TypeError("an array of tuples or records is no scalar; tolist() gives its elements")

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if self.names is None or key not in self.names:
                raise KeyError(f"there is no field {key!r}; there are {', '.join(self.fields)}")
            return self.parts[self.names.index(key)]
        keys = len(key) if isinstance(key, tuple) else 1
        if self.has_lists and (keys != 1 or self.level != 1):
            raise NotImplementedError(f"this index of an array of type {self.type} is not there yet")
        gone = int(hasattr(key, "__index__") and not (isinstance(key, Array) and key.ndim))
        return Records([p[key] for p in self.parts], self.names, self.level - gone if self.has_lists else None, self.kind)

    def __reduce__(self) -> Any:
        return Records, (self.parts, self.names, self.level)


def by_component(move: F) -> F:
    """A function that moves the elements of its first argument: of records it moves all components."""

    @wraps(move)
    def moved(x: Array, /, *others: Any, **named: Any) -> Array:
        if isinstance(x, Records):
            if x.has_lists:
                raise TypeError(f"{move.__name__} of an array of type {x.type}: give its components, from unzip()")
            return Records([moved(p, *others, **named) for p in x.parts], x.names)
        return move(x, *others, **named)

    return cast(F, moved)


def of_one_component(a: Array) -> Array:
    """An array without components, of the same shape."""
    while isinstance(a, Records):
        a = a.parts[0]
    return a


def zip(*arrays: Any, **named: Any) -> Array:  # noqa: A001
    """An array of tuples, or of records with these fields."""
    from .making import asarray

    if bool(arrays) == bool(named):
        raise TypeError("zip takes arrays, either all with names or all without")
    parts = [asarray(a) for a in (arrays or named.values())]
    first = parts[0]
    for p in parts[1:]:
        if p.is_jagged or first.is_jagged:
            from .align import lists_of

            same = p.ndim == first.ndim and all(x.same(y) for x, y in _pairs(lists_of(p), lists_of(first)))
        else:
            same = p.known_shape == first.known_shape
        if not same:
            raise ValueError(f"arrays of type {first.type} and {p.type} have no common shape")
    return Records(parts, list(named) if named else None)


def _pairs(a: list[Any], b: list[Any]) -> list[tuple[Any, Any]]:
    return list(builtins.zip(a, b))
