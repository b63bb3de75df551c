"""PyTorch's `torch.utils.data.distributed`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.nn.data.sampler import DistributedSampler as DistributedSampler

def __getattr__(name: str) -> Any: ...
