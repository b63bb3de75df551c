"""PyTorch's `torch.autograd.profiler_util`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.profiler.events import *
from specgrad.runtime.extensions.profiler.events import FunctionEvent as FunctionEvent
from specgrad.runtime.extensions.profiler.events import FunctionEventAvg as FunctionEventAvg
