"""Computing a parametrized tensor once while it is read many times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_depth = 0
_values: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within it, a parametrized tensor is computed when it is first read, and is the same tensor from then on.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> layer.weight is layer.weight
        False
        >>> with sg.nn.utils.parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _values.clear()


def read(module: Any, name: str, compute: Callable[[], Any]) -> Any:
    """The value of a module's parametrized tensor: computed, or within `cached` what was computed before."""
    if not _depth:
        return compute()
    key = id(module), name
    if key not in _values:
        _values[key] = compute()
    return _values[key]
