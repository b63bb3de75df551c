"""PyTorch's `torch._higher_order_ops`, by names: written from `torch_names.py`."""

from specgrad._higher_order_ops.associative_scan import associative_scan as associative_scan
from specgrad.runtime.pytorch.compilers.symbolic import cond as cond
from specgrad.runtime.pytorch.compilers.symbolic import while_loop as while_loop
