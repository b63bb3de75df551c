"""PyTorch's `torch.backends.mkldnn`, by names: written from `torch_names.py`."""

from specgrad.backends.switches import Verbose, mkldnn_flags

flags = mkldnn_flags
verbose = Verbose
VERBOSE_OFF: int
VERBOSE_ON: int
VERBOSE_ON_CREATION: int
enabled: bool
deterministic: bool
allow_tf32: bool
fp32_precision: str

def is_available() -> bool: ...
