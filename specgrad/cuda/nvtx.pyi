"""PyTorch's `torch.cuda.nvtx`, by names: written from `torch_names.py`."""

from specgrad.runtime.cuda.api.nvtx import *
