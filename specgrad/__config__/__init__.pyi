"""PyTorch's `torch.__config__`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.config import parallel_info as parallel_info
from specgrad.runtime.extensions.torch_compat.config import show as show
