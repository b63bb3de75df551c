"""Optimizers of several processes. The code is in specgrad.nn.parallel."""

from ..nn.parallel.zero_redundancy import ZeroRedundancyOptimizer
from ..runtime.pytorch.environment.process_groups import ShardedOptimizer as DistributedOptimizer
from ..runtime.pytorch.environment.process_groups import ShardedOptimizer as PostLocalSGDOptimizer

__all__ = [
    "DistributedOptimizer",
    "PostLocalSGDOptimizer",
    "ZeroRedundancyOptimizer",
]
