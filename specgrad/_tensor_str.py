"""How tensors are written as text, under the names that libraries know from PyTorch."""

from .runtime.methods.printing import PRINT_OPTS
from .runtime.methods.printing import numbers as _tensor_str
from .runtime.methods.printing import set_printoptions as set_printoptions
from .runtime.methods.printing import to_text as _str
from .runtime.methods.printing import with_suffixes as _add_suffixes

__all__ = ["PRINT_OPTS", "_add_suffixes", "_str", "_tensor_str"]
