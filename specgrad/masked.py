"""Reductions and normalisations under a mask, under PyTorch's names; there is no MaskedTensor."""

from .runtime.arguments import guard_module as _guard_module
from .runtime.functions.masked.along import cumprod, cumsum, log_softmax, normalize, softmax, softmin
from .runtime.functions.masked.reductions import amax, amin, argmax, argmin, logaddexp, logsumexp, norm, prod, sum
from .runtime.functions.masked.statistics import mean, median, std, var

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

_guard_module(__name__)
