"""Questions about ops of several tensors under PyTorch's names; the code is in specgrad.runtime.pytorch."""

from ..runtime.pytorch.environment.several_tensors import device_has_foreach as _device_has_foreach_support
from ..runtime.pytorch.environment.several_tensors import foreach_devices as _get_foreach_kernels_supported_devices
from ..runtime.pytorch.environment.several_tensors import fused_devices as _get_fused_kernels_supported_devices
from ..runtime.pytorch.environment.several_tensors import (
    group_tensors_by_device_and_dtype as _group_tensors_by_device_and_dtype,
)
from ..runtime.pytorch.environment.several_tensors import has_foreach as _has_foreach_support

__all__ = [
    "_device_has_foreach_support",
    "_get_foreach_kernels_supported_devices",
    "_get_fused_kernels_supported_devices",
    "_group_tensors_by_device_and_dtype",
    "_has_foreach_support",
]
