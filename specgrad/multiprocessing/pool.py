"""Python's pools of processes, under PyTorch's name: tensors come and go by shared memory."""

from multiprocessing.pool import Pool

__all__ = ["Pool"]
