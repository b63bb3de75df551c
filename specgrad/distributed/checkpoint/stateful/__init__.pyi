"""PyTorch's `torch.distributed.checkpoint.stateful`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.checkpoint.flattening import Stateful as Stateful
from specgrad.runtime.extensions.distributed.checkpoint.flattening import StatefulT as StatefulT
