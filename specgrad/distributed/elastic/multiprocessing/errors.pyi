"""PyTorch's `torch.distributed.elastic.multiprocessing.errors`, by names: written from `torch_names.py`."""

from specgrad.runtime.distributed.launching.error_files import record as record
from specgrad.runtime.pytorch.environment.process_groups import ChildFailedError as ChildFailedError
