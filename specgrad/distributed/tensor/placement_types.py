"""How tensors would lie on several processes, under PyTorch's name."""

from ...runtime.pytorch.environment.distributed_tensors import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]
