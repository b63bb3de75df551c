"""Automatic differentiation under PyTorch's name; the code is in specgrad.runtime.autograd."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from ..runtime.autograd import (
    Function,
    backward,
    detect_anomaly,
    enable_grad,
    grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)
from ..runtime.autograd.multithreading import is_multithreading_enabled as is_multithreading_enabled
from ..runtime.autograd.multithreading import set_multithreading_enabled
from . import forward_ad, function, functional, grad_mode, graph, variable
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

if _TYPE_CHECKING:
    from . import profiler

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "profiler",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]


def __getattr__(name: str) -> _Any:
    if name in ("anomaly_mode", "profiler"):  # loaded when it is first named, as specgrad.profiler is
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
