"""What PyTorch had for each type of device, and keeps: each says what stands for it now."""

from collections.abc import Callable
from typing import Any

from ...errors import warn_user
from ...tensor import dtypes
from . import autocast
from .grad_scaler import GradScaler
from .settings import get_autocast_dtype, is_autocast_enabled, set_autocast_dtype, set_autocast_enabled


def _instead(call: str, other: str) -> None:
    warn_user(f"specgrad.{call} is deprecated. Please use specgrad.{other} instead.", DeprecationWarning)


def _deprecated(name: str, other: str) -> None:
    message = f"`specgrad.{name}(args...)` is deprecated. Please use `specgrad.amp.{other}` instead."
    warn_user(message, FutureWarning)


def is_autocast_cpu_enabled() -> bool:
    """What `is_autocast_enabled('cpu')` gives."""
    _instead("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """`set_autocast_enabled('cpu', enabled)`, arguments as of `set_autocast_enabled`."""
    _instead("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """What `get_autocast_dtype('cpu')` gives."""
    _instead("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: dtypes.dtype) -> None:
    """`set_autocast_dtype('cpu', dtype)`, arguments as of `set_autocast_dtype`."""
    _instead("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """What `get_autocast_dtype('cuda')` gives."""
    _instead("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: dtypes.dtype) -> None:
    """`set_autocast_dtype('cuda', dtype)`, arguments as of `set_autocast_dtype`."""
    _instead("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


class _OldAutocast(autocast.autocast):
    device_type, default = "cpu", dtypes.bfloat16

    def __init__(self, enabled: bool = True, dtype: dtypes.dtype | None = None, cache_enabled: bool = True) -> None:
        _deprecated(f"{self.device_type}.amp.autocast", f"autocast('{self.device_type}', args...)")
        super().__init__(self.device_type, self.default if dtype is None else dtype, enabled, cache_enabled)


class CpuAutocast(_OldAutocast):
    """An older name of `amp.autocast('cpu')`, arguments as of `amp.autocast`."""


class CudaAutocast(_OldAutocast):
    """An older name of `amp.autocast('cuda')`, arguments as of `amp.autocast`."""

    device_type, default = "cuda", dtypes.float16


class _OldScaler(GradScaler):
    device_type = "cpu"

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _deprecated(f"{self.device_type}.amp.GradScaler", f"GradScaler('{self.device_type}', args...)")
        super().__init__(self.device_type, init_scale, growth_factor, backoff_factor, growth_interval, enabled)


class CpuGradScaler(_OldScaler):
    """An older name of `amp.GradScaler('cpu')`, arguments as of `amp.GradScaler`."""


class CudaGradScaler(_OldScaler):
    """An older name of `amp.GradScaler('cuda')`, arguments as of `amp.GradScaler`."""

    device_type = "cuda"


def cuda_custom_fwd(
    fwd: Callable[..., Any] | None = None, *, cast_inputs: dtypes.dtype | None = None
) -> Callable[..., Any]:
    """An older name of `amp.custom_fwd(device_type='cuda')`, arguments as of `amp.custom_fwd`."""
    _deprecated("cuda.amp.custom_fwd", "custom_fwd(args..., device_type='cuda')")
    return autocast.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def cuda_custom_bwd(bwd: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """An older name of `amp.custom_bwd(device_type='cuda')`, arguments as of `amp.custom_bwd`."""
    _deprecated("cuda.amp.custom_bwd", "custom_bwd(args..., device_type='cuda')")
    return autocast.custom_bwd(bwd, device_type="cuda")
