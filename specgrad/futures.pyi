"""PyTorch's `torch.futures`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.futures import Future as Future
from specgrad.runtime.pytorch.futures import collect_all as collect_all
from specgrad.runtime.pytorch.futures import wait_all as wait_all
