"""PyTorch's `torch._tensor_str`, by names: written from `torch_names.py`."""

from specgrad.runtime.methods.printing import PRINT_OPTS as PRINT_OPTS
from specgrad.runtime.methods.printing import numbers, to_repr, with_suffixes
from specgrad.runtime.methods.printing import set_printoptions as set_printoptions

_add_suffixes = with_suffixes
_str = to_repr
_tensor_str = numbers
