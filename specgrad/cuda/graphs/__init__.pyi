"""PyTorch's `torch.cuda.graphs`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.cuda_api.graphs import *
