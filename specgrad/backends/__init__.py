"""Switches of the libraries that compute, under PyTorch's names."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from .. import later as _later
from . import cuda, cudnn, mps

if _TYPE_CHECKING:
    from . import cpu, cusparselt, kleidiai, mha, miopen, mkl, mkldnn, nnpack, openmp, opt_einsum, quantized, xnnpack

__all__ = [
    "cpu",
    "cuda",
    "cudnn",
    "cusparselt",
    "kleidiai",
    "mha",
    "miopen",
    "mkl",
    "mkldnn",
    "mps",
    "nnpack",
    "openmp",
    "opt_einsum",
    "quantized",
    "xnnpack",
]

__getattr__ = _later.finder(__name__, tuple(__all__), {})
