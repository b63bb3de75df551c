"""PyTorch's `torch.backends.mkl`, by names: written from `torch_names.py`."""

from specgrad.backends.switches import Verbose

verbose = Verbose
VERBOSE_OFF: int
VERBOSE_ON: int

def is_available() -> bool: ...
