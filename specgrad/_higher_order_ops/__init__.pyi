"""PyTorch's `torch._higher_order_ops`, by names: written from `torch_names.py`."""

from specgrad._higher_order_ops.associative_scan import associative_scan as associative_scan
from specgrad.runtime.extensions.torch_compat.compile import cond as cond
from specgrad.runtime.extensions.torch_compat.compile import while_loop as while_loop
