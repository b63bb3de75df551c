"""Modules whose parameters several processes share: none is one."""

from ...runtime.pytorch.environment.process_groups import absent as fully_shard
from ...runtime.pytorch.environment.sharded_modules import (
    CPUOffloadPolicy,
    FSDPModule,
    FullyShardedDataParallel,
    MixedPrecisionPolicy,
    OffloadPolicy,
)

__all__ = [
    "CPUOffloadPolicy",
    "FSDPModule",
    "FullyShardedDataParallel",
    "MixedPrecisionPolicy",
    "OffloadPolicy",
    "fully_shard",
]
