"""PyTorch's `torch.utils._foreach_utils`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.functions import (
    device_has_foreach,
    foreach_devices,
    fused_devices,
    group_tensors_by_device_and_dtype,
    has_foreach,
)

_device_has_foreach_support = device_has_foreach
_get_foreach_kernels_supported_devices = foreach_devices
_get_fused_kernels_supported_devices = fused_devices
_group_tensors_by_device_and_dtype = group_tensors_by_device_and_dtype
_has_foreach_support = has_foreach
