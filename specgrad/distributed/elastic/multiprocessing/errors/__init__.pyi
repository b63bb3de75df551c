"""PyTorch's `torch.distributed.elastic.multiprocessing.errors`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.launcher.attempt import record as record
from specgrad.runtime.extensions.torch_compat.unavailable import ChildFailedError as ChildFailedError
