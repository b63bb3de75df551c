"""PyTorch's `torch._vmap_internals`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.vmap import *
