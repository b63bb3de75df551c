"""PyTorch's `torch.cuda.graphs`, by names: written from `torch_names.py`."""

from specgrad.runtime.cuda.api.graphs import *
