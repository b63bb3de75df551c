"""The libraries in use: those of the driver in use."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any
from weakref import WeakKeyDictionary

from ...modes.math_modes import math_modes
from ..driver import driver
from .convolutions import Convolutions
from .protocol import Libraries

_known: WeakKeyDictionary[Any, Libraries | None] = WeakKeyDictionary()
_convolutions: WeakKeyDictionary[Any, Convolutions | None] = WeakKeyDictionary()


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


def convolutions() -> Convolutions | None:
    """The library of convolutions; None where `nvidia-cudnn-frontend` is not installed, or not to be used."""
    if not math_modes.cudnn:
        return None
    found = driver()
    if found not in _convolutions:
        _convolutions[found] = _convolutions_of(found)
    return _convolutions[found]


def _convolutions_of(found: Any) -> Convolutions | None:
    from ..simulated.driver import SimulatedDriver

    if isinstance(found, SimulatedDriver) or importlib.util.find_spec("cudnn") is None:
        return None
    try:
        frontend = importlib.import_module("cudnn")
    except (ImportError, OSError, RuntimeError):  # cuDNN itself is missing
        return None
    from .cudnn import Cudnn

    return Cudnn(frontend, found)
