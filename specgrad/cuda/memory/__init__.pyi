"""PyTorch's `torch.cuda.memory`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.cuda_api.memory import *
