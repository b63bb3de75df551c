"""Automatic differentiation under PyTorch's name; the code is in specgrad.runtime.autograd."""

from ..generated.tensor import Tensor as Variable
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
from . import forward_ad, function, functional, graph
from .gradcheck import gradcheck, gradgradcheck
from .gradcheck import gradcheck, gradgradcheck

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
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
