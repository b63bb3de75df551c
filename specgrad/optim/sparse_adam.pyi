"""PyTorch's `torch.optim.sparse_adam`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.radam import *
from specgrad.nn.optim.radam import SparseAdam as SparseAdam
