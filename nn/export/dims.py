"""Sizes that may vary: Dim, and what `dynamic_shapes` says of the inputs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum, auto
from typing import Any

from ...runtime.errors import ArgumentError, type_name
from ...runtime.tensor.base import TensorBase


class _Hint(Enum):
    """What may stand for a Dim without a name."""

    AUTO = auto()
    DYNAMIC = auto()
    STATIC = auto()


class Dim:
    """A size that may vary. Dims of the same name are the same size.

    Args:
        name: its name, an identifier.
        min: the smallest size.
        max: the largest; any when not given.

    Raises:
        ValueError: the name is no identifier, or the bounds hold for no size.

    Example:
        >>> import specgrad as sg
        >>> sg.export.Dim("batch", min=1, max=64)
        Dim('batch', min=1, max=64)
    """

    AUTO = _Hint.AUTO
    DYNAMIC = _Hint.DYNAMIC
    STATIC = _Hint.STATIC

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        if not name.isidentifier():
            raise ValueError(f"Dim names must be valid identifiers, got {name}")
        self.__name__ = name
        self.min = 0 if min is None else min
        self.max: float = math.inf if max is None else max
        if self.max < self.min:
            raise ValueError(f"Dim(): no size is at least {min} and at most {max}")

    def __repr__(self) -> str:
        low = f", min={self.min}" * (self.min > 0)
        high = f", max={self.max}" * (self.max < math.inf)
        return f"Dim('{self.__name__}'{low}{high})"


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several Dims with the same bounds.

    Args:
        names: their names.
        min, max: the smallest and the largest size.

    Example:
        >>> import specgrad as sg
        >>> sg.export.dims("height", "width", max=32)
        (Dim('height', max=32), Dim('width', max=32))
    """
    return tuple(Dim(name, min=min, max=max) for name in names)


class Sizes:
    """The sizes that vary: for each its bounds, and where it stands: (number of the input, dim)."""

    def __init__(self) -> None:
        self.bounds: dict[str, tuple[int, float]] = {}
        self.dim_sources: dict[str, list[tuple[int, int]]] = {}

    def note(self, dim: Any, number: int, position: int, path: str) -> None:
        """What is said of one dim of one input."""
        if dim is None or dim is Dim.STATIC or isinstance(dim, int):
            return
        if not isinstance(dim, Dim | _Hint):
            raise ArgumentError(f"export(): dynamic_shapes{path} must be a Dim, an int or None, not {type_name(dim)}")
        name = dim.__name__ if isinstance(dim, Dim) else f"s{len(self.dim_sources)}"
        self.bounds[name] = (dim.min, dim.max) if isinstance(dim, Dim) else (0, math.inf)
        self.dim_sources.setdefault(name, []).append((number, position))

    def read(self, dim_spec: Any, value: Any, numbers: Mapping[int, int], path: str = "") -> None:
        """Go through what is said of inputs, beside these; `numbers` are those of tensors by their identity."""
        if dim_spec is None:
            return
        if isinstance(value, TensorBase):
            pairs = dim_spec.items() if isinstance(dim_spec, dict) else enumerate(dim_spec)
            for position, dim in pairs:
                self.note(dim, numbers[id(value)], position % value.ndim, path)
        elif isinstance(value, dict):
            for key, part in value.items():
                self.read(dim_spec.get(key), part, numbers, f"{path}[{key!r}]")
        elif isinstance(value, tuple | list):
            for position, part in enumerate(dim_spec):
                self.read(part, value[position], numbers, f"{path}[{position}]")
        else:
            raise ArgumentError(f"export(): dynamic_shapes{path} says sizes of a {type_name(value)}, which has none")
