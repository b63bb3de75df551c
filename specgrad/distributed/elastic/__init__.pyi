"""PyTorch's `torch.distributed.elastic`, by names: written from `torch_names.py`."""

from . import multiprocessing as multiprocessing
