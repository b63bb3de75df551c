"""PyTorch's `torch.backends.cpu`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.config import get_cpu_capability as get_cpu_capability
