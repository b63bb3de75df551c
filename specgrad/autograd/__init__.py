"""Automatic differentiation under PyTorch's name; the code is in specgrad.runtime.autograd."""

from .. import torch_modules as _torch_modules
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
from ..runtime.autograd.engine import is_multithreading_enabled as is_multithreading_enabled
from ..runtime.autograd.engine import set_multithreading_enabled
from ..runtime.extensions.gradcheck.gradcheck import gradcheck, gradgradcheck
from ..runtime.extensions.torch_compat.functions import Variable
from . import forward_ad, function, functional, grad_mode, graph, profiler, variable

__all__ = ["Function", "Variable", "backward", "detect_anomaly", "enable_grad", "forward_ad", "function"]
__all__ += ["functional", "grad", "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad"]
__all__ += ["profiler", "set_detect_anomaly", "set_grad_enabled", "set_multithreading_enabled", "variable"]

_torch_modules.attach(__name__)
