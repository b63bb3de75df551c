"""Where a process of a group says what it has failed with, under PyTorch's name."""

from ....runtime.distributed.launching.error_files import record
from ....runtime.pytorch.environment.process_groups import ChildFailedError

__all__ = ["ChildFailedError", "record"]
