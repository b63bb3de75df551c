"""Meta's devices, which specgrad does not use, under PyTorch's name."""

from .runtime.pytorch.environment.absent_devices import device_count, is_available
from .runtime.pytorch.environment.absent_devices import missing as current_device
from .runtime.pytorch.environment.absent_devices import missing as get_device_properties
from .runtime.pytorch.environment.absent_devices import missing as get_rng_state
from .runtime.pytorch.environment.absent_devices import missing as set_device
from .runtime.pytorch.environment.absent_devices import missing as set_rng_state
from .runtime.pytorch.environment.absent_devices import missing as synchronize
from .runtime.pytorch.environment.absent_devices import nothing as empty_cache
from .runtime.pytorch.environment.absent_devices import nothing as manual_seed
from .runtime.pytorch.environment.absent_devices import nothing as manual_seed_all

__all__ = [
    "current_device",
    "device_count",
    "empty_cache",
    "get_device_properties",
    "get_rng_state",
    "is_available",
    "manual_seed",
    "manual_seed_all",
    "set_device",
    "set_rng_state",
    "synchronize",
]
