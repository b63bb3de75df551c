"""Layers, losses, initialisation, optimizers and data; `nn.functional` has layers and losses without state."""

import typing as _typing
from importlib import import_module as _import_module
from typing import Any as _Any

from . import data, functional, init, modules, optim, utils
from .functional.linear_cross_entropy import LinearCrossEntropyOptions
from .modules.activation import *
from .modules.adaptive import *
from .modules.batchnorm import *
from .modules.channelshuffle import *
from .modules.container import *
from .modules.conv import *
from .modules.distance import *
from .modules.dropout import *
from .modules.flatten import *
from .modules.fold import *
from .modules.instancenorm import *
from .modules.linear import *
from .modules.loss import *
from .modules.module import Module as Module
from .modules.normalization import *
from .modules.padding import *
from .modules.pixelshuffle import *
from .modules.pooling import *
from .modules.rnn import *
from .modules.sparse import *
from .modules.transformer import *
from .modules.upsampling import *
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

if _typing.TYPE_CHECKING:
    from . import attention, common_types, grad, parallel, quantized
    from .parallel import DataParallel
    from .parameter import factory_kwargs

__all__ = [
    "Buffer",
    "DataParallel",
    "LinearCrossEntropyOptions",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "common_types",
    "data",
    "factory_kwargs",
    "functional",
    "grad",
    "init",
    "modules",
    "optim",
    "parallel",
    "quantized",
    "utils",
]
__all__ += modules.__all__


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        # loaded when first named
        if name in ("_reduction", "attention", "common_types", "grad", "parallel", "quantized"):
            return _import_module(f".{name}", __name__)
        if name == "factory_kwargs":
            return _import_module(".parameter", __name__).factory_kwargs
        if name == "DataParallel":
            return __getattr__("parallel").DataParallel
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
