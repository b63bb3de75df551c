"""PyTorch's `torch.distributed._composable.fsdp`, by names: written from `torch_names.py`."""

from specgrad.distributed.fsdp import CPUOffloadPolicy as CPUOffloadPolicy
from specgrad.distributed.fsdp import FSDPModule as FSDPModule
from specgrad.distributed.fsdp import MixedPrecisionPolicy as MixedPrecisionPolicy
from specgrad.distributed.fsdp import OffloadPolicy as OffloadPolicy
from specgrad.distributed.fsdp import fully_shard as fully_shard
