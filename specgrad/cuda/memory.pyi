"""PyTorch's `torch.cuda.memory`, by names: written from `torch_names.py`."""

from specgrad.runtime.cuda.api.memory import *
