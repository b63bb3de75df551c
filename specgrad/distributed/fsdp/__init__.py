"""Modules whose parameters lie on all ranks, a part on each. The code is in specgrad.nn.parallel.sharded."""

from ...nn.parallel.sharded.module import FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method
from ...nn.parallel.sharded.policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from ...runtime.pytorch.environment.sharded_modules import FullyShardedDataParallel

__all__ = [
    "CPUOffloadPolicy",
    "FSDPModule",
    "FullyShardedDataParallel",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "UnshardHandle",
    "fully_shard",
    "register_fsdp_forward_method",
]
