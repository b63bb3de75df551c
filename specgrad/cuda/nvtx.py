"""Ranges for NVIDIA's profilers under PyTorch's names; the code is in specgrad.runtime.cuda.api.nvtx."""

from ..runtime.cuda.api.nvtx import *
from ..runtime.cuda.api.nvtx import __all__ as __all__
