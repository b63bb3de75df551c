"""CUDA devices under PyTorch's names; the code is in specgrad.runtime.cuda. Loaded when it is first named."""

from importlib import import_module as _import_module
from typing import Any as _Any

from .. import torch_modules as _torch_modules
from ..runtime.arguments import guard_module as _guard_module
from ..runtime.creation.legacy import CUDA_TYPES as _CUDA_TYPES
from ..runtime.cuda.api import devices as _devices
from ..runtime.cuda.api import graphs as _graphs
from ..runtime.cuda.api import memory as _memory
from ..runtime.cuda.api import random as _random
from ..runtime.cuda.api import streams as _streams
from ..runtime.cuda.api.devices import *
from ..runtime.cuda.api.graphed_callables import make_graphed_callables
from ..runtime.cuda.api.graphs import *
from ..runtime.cuda.api.memory import *
from ..runtime.cuda.api.random import *
from ..runtime.cuda.api.streams import *
from ..runtime.errors import AcceleratorError, OutOfMemoryError
from . import amp, memory, nvtx, random, streams

CudaError = AcceleratorError

__all__ = [
    "AcceleratorError",
    "CudaError",
    "OutOfMemoryError",
    "amp",
    "make_graphed_callables",
    "memory",
    "nvtx",
    "random",
    "streams",
]
__all__ += _devices.__all__ + _graphs.__all__ + _memory.__all__ + _random.__all__ + _streams.__all__

_guard_module(__name__)
_torch_modules.attach(__name__)


def __getattr__(name: str) -> _Any:
    """The classes of older programs: `FloatTensor`, `FloatStorage`."""
    if name in _CUDA_TYPES:
        return _CUDA_TYPES[name]
    if name.endswith("Storage"):
        cached = _import_module("..runtime.sharing.storages.legacy", __name__).CUDA_STORAGES.get(name)
        if cached is not None:
            return cached
    if name == "_initialized":
        return _devices.is_initialized()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
