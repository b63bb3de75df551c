"""PyTorch's `torch.distributed._composable`, by names: written from `torch_names.py`."""

from specgrad.distributed._composable.fsdp import fully_shard as fully_shard

from . import fsdp as fsdp
