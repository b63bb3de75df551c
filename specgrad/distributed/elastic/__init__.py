"""Groups of processes that are started anew where one fails, under PyTorch's name: see `specgrad.distributed.run`."""

from . import multiprocessing as multiprocessing
