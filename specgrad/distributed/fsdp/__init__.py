"""Modules whose parameters lie on all ranks, a part on each. The code is in specgrad.nn.parallel.sharded."""

from ...nn.parallel.sharded.module import FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method
from ...nn.parallel.sharded.policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from ...nn.parallel.sharded.wrapper import FullyShardedDataParallel, MixedPrecision, ShardingStrategy

__all__ = [
    "CPUOffloadPolicy",
    "FSDPModule",
    "FullyShardedDataParallel",
    "MixedPrecision",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "ShardingStrategy",
    "UnshardHandle",
    "fully_shard",
    "register_fsdp_forward_method",
]
