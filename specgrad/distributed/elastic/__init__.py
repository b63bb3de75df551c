"""Groups of processes that are started anew where one fails, under PyTorch's name: there are none."""

from . import multiprocessing as multiprocessing
