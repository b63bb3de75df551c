"""The accelerator that programs may use instead of the CPU, whatever its kind."""

from .runtime.tensor.devices import cuda_available as is_available
from .runtime.tensor.devices import cuda_device_count as device_count
from .runtime.tensor.devices import current_accelerator

__all__ = ["current_accelerator", "device_count", "is_available"]
