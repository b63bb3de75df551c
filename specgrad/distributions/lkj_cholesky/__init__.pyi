"""PyTorch's `torch.distributions.lkj_cholesky`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.wishart import *
