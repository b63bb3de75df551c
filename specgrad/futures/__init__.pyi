"""PyTorch's `torch.futures`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.groups.futures import Future as Future
from specgrad.runtime.extensions.distributed.groups.futures import collect_all as collect_all
from specgrad.runtime.extensions.distributed.groups.futures import wait_all as wait_all
