"""PyTorch's `torch._higher_order_ops.associative_scan`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.compilers.scans import associative_scan as associative_scan
