"""PyTorch's `torch.utils.data._utils.worker`, by names: written from `torch_names.py`."""

from specgrad.nn.data.worker_info import WorkerInfo as WorkerInfo
from specgrad.nn.data.worker_info import get_worker_info as get_worker_info
