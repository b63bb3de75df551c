"""What a worker process knows of itself under PyTorch's name; the code is in specgrad.nn.data."""

from ....nn.data.worker_info import WorkerInfo, get_worker_info

__all__ = ["WorkerInfo", "get_worker_info"]
