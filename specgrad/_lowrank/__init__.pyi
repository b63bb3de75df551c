"""PyTorch's `torch._lowrank`, by names: written from `torch_names.py`."""

from specgrad.runtime.ops.numeric.low_rank import *
from specgrad.runtime.ops.numeric.low_rank import pca_lowrank as pca_lowrank
from specgrad.runtime.ops.numeric.low_rank import svd_lowrank as svd_lowrank
