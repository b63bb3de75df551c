"""CUDA queries and settings under PyTorch's names; none of them needs a device."""

from .runtime.settings import release_cached_memory as empty_cache
from .runtime.settings import seed_devices as manual_seed
from .runtime.settings import seed_devices as manual_seed_all
from .runtime.tensor.devices import cuda_available as is_available
from .runtime.tensor.devices import cuda_device_count as device_count

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all"]
