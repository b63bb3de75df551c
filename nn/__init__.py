"""Layers, losses, initialisation, optimizers and data; `nn.functional` has layers and losses without state."""

from . import data, functional, init, modules, optim, parallel, utils
from .functional.chunking import LinearCrossEntropyOptions
from .modules import *
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "LinearCrossEntropyOptions",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "data",
    "functional",
    "init",
    "modules",
    "optim",
    "parallel",
    "utils",
]
__all__ += modules.__all__
