"""PyTorch's `torch.distributed.tensor.placement_types`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.unavailable import Partial as Partial
from specgrad.runtime.extensions.torch_compat.unavailable import Placement as Placement
from specgrad.runtime.extensions.torch_compat.unavailable import Replicate as Replicate
from specgrad.runtime.extensions.torch_compat.unavailable import Shard as Shard
