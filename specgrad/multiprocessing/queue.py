"""Python's queues of processes, under PyTorch's name: tensors go through them by shared memory."""

from multiprocessing.queues import JoinableQueue, Queue, SimpleQueue

__all__ = ["JoinableQueue", "Queue", "SimpleQueue"]
