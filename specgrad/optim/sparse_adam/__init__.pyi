"""PyTorch's `torch.optim.sparse_adam`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adam_variants import *
from specgrad.nn.optim.adam_variants import SparseAdam as SparseAdam
