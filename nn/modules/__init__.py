"""Layers under PyTorch's module path; the code is one folder up. Each module is loaded when it is first named."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from . import (
        activation,
        adaptive,
        batchnorm,
        channelshuffle,
        container,
        conv,
        distance,
        dropout,
        flatten,
        fold,
        instancenorm,
        lazy,
        linear,
        loss,
        module,
        normalization,
        padding,
        pixelshuffle,
        pooling,
        rnn,
        sparse,
        transformer,
        upsampling,
        utils,
    )

__all__ = [
    "activation",
    "adaptive",
    "batchnorm",
    "channelshuffle",
    "container",
    "conv",
    "distance",
    "dropout",
    "flatten",
    "fold",
    "instancenorm",
    "lazy",
    "linear",
    "loss",
    "module",
    "normalization",
    "padding",
    "pixelshuffle",
    "pooling",
    "rnn",
    "sparse",
    "transformer",
    "upsampling",
    "utils",
]


def __getattr__(name: str) -> _Any:
    if name in __all__:
        return _import_module(f".{name}", __name__)
    if name[:1].isupper():  # a layer, which PyTorch has here as well
        return getattr(_import_module("..", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
