"""PyTorch's `torch.distributed.nn`, by names: written from `torch_names.py`."""

from specgrad.distributed.nn.functional import *

from . import functional as functional
