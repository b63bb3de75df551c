"""The libraries in use: those of the driver in use."""

from __future__ import annotations

import importlib.util
from typing import Any
from weakref import WeakKeyDictionary

from ..driver import driver
from .protocol import Libraries

_known: WeakKeyDictionary[Any, Libraries | None] = WeakKeyDictionary()


def libraries() -> Libraries | None:
    """The libraries of the driver in use; None where `nvmath-python` is not installed, which has them."""
    found = driver()
    if found not in _known:
        _known[found] = _of(found)
    return _known[found]


def _of(found: Any) -> Libraries | None:
    from ..simulated.driver import SimulatedDriver

    if isinstance(found, SimulatedDriver):
        from .simulated import SimulatedLibraries

        return SimulatedLibraries(found)
    if importlib.util.find_spec("nvmath") is None:
        return None
    from .real import RealLibraries

    return RealLibraries(found)
