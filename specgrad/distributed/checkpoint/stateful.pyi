"""PyTorch's `torch.distributed.checkpoint.stateful`, by names: written from `torch_names.py`."""

from specgrad.runtime.distributed.checkpoint.stateful import Stateful as Stateful
from specgrad.runtime.distributed.checkpoint.stateful import StatefulT as StatefulT
