"""PyTorch's `torch.cuda.random`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.cuda_api.generator import *
