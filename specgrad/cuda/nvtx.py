"""Ranges for NVIDIA's profilers under PyTorch's names; the code is in specgrad.runtime.cuda.api_nvtx."""

from ..runtime.cuda.api_nvtx import *
from ..runtime.cuda.api_nvtx import __all__ as __all__
