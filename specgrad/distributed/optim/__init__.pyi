"""PyTorch's `torch.distributed.optim`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.nn.parallel.zero_redundancy import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

class DistributedOptimizer:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class PostLocalSGDOptimizer:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
