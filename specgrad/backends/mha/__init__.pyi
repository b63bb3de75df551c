"""PyTorch's `torch.backends.mha`, by names: written from `torch_names.py`."""

from specgrad.backends.switches import get_fastpath_enabled as get_fastpath_enabled
from specgrad.backends.switches import set_fastpath_enabled as set_fastpath_enabled
