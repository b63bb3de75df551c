"""PyTorch's `torch.distributed.distributed_c10d`, by names: written from `torch_names.py`."""

from specgrad.distributed import *
from specgrad.runtime.extensions.distributed.world import get_default_group

_get_default_group = get_default_group
