"""PyTorch's `torch.optim.radam`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adam_variants import *
from specgrad.nn.optim.adam_variants import RAdam as RAdam
from specgrad.nn.optim.adam_variants import radam as radam
