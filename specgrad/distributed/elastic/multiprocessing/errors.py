"""Where a process of a group says what it has failed with, under PyTorch's name."""

from ....runtime.pytorch.environment.process_groups import ChildFailedError, record

__all__ = ["ChildFailedError", "record"]
