"""PyTorch's `torch.distributed.tensor.placement_types`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.environment.distributed_tensors import Partial as Partial
from specgrad.runtime.pytorch.environment.distributed_tensors import Placement as Placement
from specgrad.runtime.pytorch.environment.distributed_tensors import Replicate as Replicate
from specgrad.runtime.pytorch.environment.distributed_tensors import Shard as Shard
