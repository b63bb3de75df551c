"""PyTorch's `torch._higher_order_ops.associative_scan`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.associative_scan import associative_scan as associative_scan
