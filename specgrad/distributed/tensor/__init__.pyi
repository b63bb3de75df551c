"""PyTorch's `torch.distributed.tensor`, by names: written from `torch_names.py`."""

from typing import Any, NoReturn

from specgrad.runtime.extensions.torch_compat.unavailable import Partial as Partial
from specgrad.runtime.extensions.torch_compat.unavailable import Placement as Placement
from specgrad.runtime.extensions.torch_compat.unavailable import Replicate as Replicate
from specgrad.runtime.extensions.torch_compat.unavailable import Shard as Shard

from . import experimental as experimental
from . import placement_types as placement_types

def distribute_module(*args: Any, **kwargs: Any) -> NoReturn: ...
def distribute_tensor(*args: Any, **kwargs: Any) -> NoReturn: ...

class DTensor:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
