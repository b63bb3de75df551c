"""PyTorch's `torch._custom_ops`, by names: written from `torch_names.py`."""

from specgrad.library import custom_op as custom_op
from specgrad.library import impl as impl
from specgrad.library import impl_abstract as impl_abstract
