"""Optimizers of several processes under PyTorch's name: there are none, as there are no process groups."""

from ..runtime.pytorch.environment.process_groups import ShardedOptimizer as DistributedOptimizer
from ..runtime.pytorch.environment.process_groups import ShardedOptimizer as PostLocalSGDOptimizer
from ..runtime.pytorch.environment.process_groups import ShardedOptimizer as ZeroRedundancyOptimizer

__all__ = [
    "DistributedOptimizer",
    "PostLocalSGDOptimizer",
    "ZeroRedundancyOptimizer",
]
