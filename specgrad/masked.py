"""Reductions and normalisations under a mask, and tensors that have one, under PyTorch's names."""

from .nn.masked.tensor import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor
from .runtime.arguments import guard_module as _guard_module
from .runtime.functions.masked.along import cumprod, cumsum, log_softmax, normalize, softmax, softmin
from .runtime.functions.masked.reductions import amax, amin, argmax, argmin, logaddexp, logsumexp, norm, prod, sum
from .runtime.functions.masked.statistics import mean, median, std, var

__all__ = [
    "MaskedTensor",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "as_masked_tensor",
    "cumprod",
    "cumsum",
    "is_masked_tensor",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "masked_tensor",
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
