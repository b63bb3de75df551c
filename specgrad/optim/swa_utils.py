"""Averages of parameters under PyTorch's name; the code is in specgrad.nn.optim.swa_utils."""

from ..nn.optim.swa_utils import *
from ..utils._foreach_utils import _group_tensors_by_device_and_dtype as _group_tensors_by_device_and_dtype
