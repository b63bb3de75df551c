"""PyTorch's `torch.multiprocessing.queue`, by names: written from `torch_names.py`."""

from multiprocessing.queues import JoinableQueue as JoinableQueue
from multiprocessing.queues import Queue as Queue
from multiprocessing.queues import SimpleQueue as SimpleQueue
