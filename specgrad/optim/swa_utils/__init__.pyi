"""PyTorch's `torch.optim.swa_utils`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.swa_utils import *
from specgrad.utils._foreach_utils import _group_tensors_by_device_and_dtype as _group_tensors_by_device_and_dtype
