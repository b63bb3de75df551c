"""CUDA devices under PyTorch's names; the code is in specgrad.runtime.device.cuda. Loaded when it is first named."""

import typing as _typing
from importlib import import_module as _import_module
from typing import Any as _Any

from .. import torch_modules as _torch_modules
from ..runtime.errors import AcceleratorError, OutOfMemoryError
from ..runtime.extensions.cuda_api import devices as _devices
from ..runtime.extensions.cuda_api import generator as _random
from ..runtime.extensions.cuda_api import graphs as _graphs
from ..runtime.extensions.cuda_api import memory as _memory
from ..runtime.extensions.cuda_api import streams as _streams
from ..runtime.extensions.cuda_api.devices import *
from ..runtime.extensions.cuda_api.generator import *
from ..runtime.extensions.cuda_api.graphed_callables import make_graphed_callables
from ..runtime.extensions.cuda_api.graphs import *
from ..runtime.extensions.cuda_api.memory import *
from ..runtime.extensions.cuda_api.streams import *
from ..runtime.extensions.storage.legacy_constructors import CUDA_TYPES as _CUDA_TYPES
from ..runtime.methods.argument_guard import guard_module as _guard_module
from . import amp, memory, nvtx, random, streams

if _typing.TYPE_CHECKING:
    from ..runtime.extensions.storage.legacy_constructors import *
    from ..storage import *

CudaError = AcceleratorError

__all__ = ["AcceleratorError", "CudaError", "OutOfMemoryError", "amp", "make_graphed_callables", "memory", "nvtx"]
__all__ += ["random", "streams"]
__all__ += _devices.__all__ + _graphs.__all__ + _memory.__all__ + _random.__all__ + _streams.__all__

_guard_module(__name__)
_torch_modules.attach(__name__)


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        if name in _CUDA_TYPES:
            return _CUDA_TYPES[name]
        if name.endswith("Storage"):
            cached = _import_module("..runtime.extensions.storage.typed_classes", __name__).CUDA_STORAGES.get(name)
            if cached is not None:
                return cached
        if name == "_initialized":
            return _devices.is_initialized()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
