"""Tensors on several processes: none is one. The code is in specgrad.runtime.pytorch.environment."""

from ...runtime.pytorch.environment.distributed_tensors import DTensor, Partial, Placement, Replicate, Shard
from ...runtime.pytorch.environment.process_groups import absent as distribute_module
from ...runtime.pytorch.environment.process_groups import absent as distribute_tensor

__all__ = ["DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor"]
