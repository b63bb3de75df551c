"""CUDA devices under PyTorch's names; the code is in specgrad.runtime.cuda. Loaded when it is first named."""

from ..runtime.arguments import guard_module as _guard_module
from ..runtime.cuda.api import devices as _devices
from ..runtime.cuda.api import graphs as _graphs
from ..runtime.cuda.api import streams as _streams
from ..runtime.cuda.api.devices import *
from ..runtime.cuda.api.graphed_callables import make_graphed_callables
from ..runtime.cuda.api.graphs import *
from ..runtime.cuda.api.memory import *
from ..runtime.cuda.api.random import *
from ..runtime.cuda.api.streams import *
from ..runtime.errors import AcceleratorError, OutOfMemoryError
from . import memory, nvtx, random, streams

CudaError = AcceleratorError

__all__ = [
    "AcceleratorError",
    "CudaError",
    "OutOfMemoryError",
    "make_graphed_callables",
    "memory",
    "nvtx",
    "random",
    "streams",
]
__all__ += _devices.__all__ + _graphs.__all__ + memory.__all__ + random.__all__ + _streams.__all__

_guard_module(__name__)
