"""PyTorch's `torch.distributed.fsdp`, by names: written from `torch_names.py`."""

from specgrad.nn.parallel.sharded.module import FSDPModule as FSDPModule
from specgrad.nn.parallel.sharded.module import UnshardHandle as UnshardHandle
from specgrad.nn.parallel.sharded.module import fully_shard as fully_shard
from specgrad.nn.parallel.sharded.module import register_fsdp_forward_method as register_fsdp_forward_method
from specgrad.nn.parallel.sharded.policies import CPUOffloadPolicy as CPUOffloadPolicy
from specgrad.nn.parallel.sharded.policies import MixedPrecisionPolicy as MixedPrecisionPolicy
from specgrad.nn.parallel.sharded.policies import OffloadPolicy as OffloadPolicy
from specgrad.nn.parallel.sharded.wrapper import FullyShardedDataParallel as FullyShardedDataParallel
from specgrad.nn.parallel.sharded.wrapper import MixedPrecision as MixedPrecision
from specgrad.nn.parallel.sharded.wrapper import ShardingStrategy as ShardingStrategy

from . import wrap as wrap
