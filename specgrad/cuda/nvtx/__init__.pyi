"""PyTorch's `torch.cuda.nvtx`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.cuda_api.nvtx import *
