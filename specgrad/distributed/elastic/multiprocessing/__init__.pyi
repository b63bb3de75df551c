"""PyTorch's `torch.distributed.elastic.multiprocessing`, by names: written from `torch_names.py`."""

from . import errors as errors
