"""The libraries in use: those of the driver in use."""

import importlib
import importlib.util
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from ...device.cuda.driver import chosen
from ...device.cuda.dry_run import beyond_launches
from ...device.cuda.math_modes import math_modes
from ...extension_points import extension
from .cudnn_protocol import Attentions, Convolutions
from .protocol import Libraries

L = TypeVar("L")
_known: WeakKeyDictionary[Any, Libraries | None] = WeakKeyDictionary()
_cudnn: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def libraries() -> Libraries | None:
    """The libraries of the driver in use; None where `nvmath-python` is not installed, which has them."""
    return pick_library(multiplier())


def multiplier() -> Libraries | None:
    result = chosen()
    if result not in _known:
        _known[result] = _of(result)
    return _known[result]


def pick_library(library: L) -> L:
    if library is not None:
        beyond_launches()
    return library


def _of(result: Any) -> Libraries | None:
    if result.is_simulated:
        simulated: Libraries = extension("cuda_libraries")(result)
        return simulated
    if importlib.util.find_spec("nvmath") is None:
        return None
    from .nvmath import RealLibraries

    return RealLibraries(result)


def convolutions() -> Convolutions | None:
    """The library of convolutions; None where `nvidia-cudnn-frontend` is not installed, or not to be used."""
    return _cudnn_in_use()


def attentions() -> Attentions | None:
    return _cudnn_in_use()


def _cudnn_in_use() -> Any:
    if not math_modes.cudnn:
        return None
    result = chosen()
    if result not in _cudnn:
        _cudnn[result] = _cudnn_of(result)
    return pick_library(_cudnn[result])


def _cudnn_of(result: Any) -> Any:
    if result.is_simulated or importlib.util.find_spec("cudnn") is None:
        return None
    try:
        frontend = importlib.import_module("cudnn")
        frontend.backend_version()
    except (ImportError, OSError, RuntimeError):  # cuDNN itself is missing
        return None
    from .cudnn import Cudnn

    return Cudnn(frontend, result)
