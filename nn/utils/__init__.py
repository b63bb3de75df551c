"""Helpers for training: bounds on gradients, parameters as one vector, weights that are computed, sequences."""

import typing as _typing
from importlib import import_module as _import_module
from typing import Any as _Any

from . import parametrizations, parametrize, rnn, stateless
from .clip_grad import clip_grad_norm, clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights
from .memory_format import skip_init
from .spectral_norm import remove_spectral_norm, spectral_norm
from .weight_norm import remove_weight_norm, weight_norm

if _typing.TYPE_CHECKING:
    from . import prune
    from .memory_format import convert_conv2d_weight_memory_format, convert_conv3d_weight_memory_format

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
    "get_total_norm",
    "parameters_to_vector",
    "parametrizations",
    "parametrize",
    "prune",
    "remove_spectral_norm",
    "remove_weight_norm",
    "rnn",
    "skip_init",
    "spectral_norm",
    "stateless",
    "vector_to_parameters",
    "weight_norm",
]


if not _typing.TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        if name == "prune":  # loaded when it is first named
            return _import_module(".prune", __name__)
        if name in ("convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"):
            return getattr(_import_module(".memory_format", __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
