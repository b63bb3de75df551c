"""Private helpers of PyTorch that programs with several devices or buckets of gradients import."""

import sys as _sys
from typing import Any as _Any

from .nn.data.worker import Failure as _Failure
from .nn.utils.convert_parameters import flatten_dense_tensors as _flatten_dense_tensors  # noqa: F401
from .nn.utils.convert_parameters import take_tensors as _take_tensors  # noqa: F401
from .nn.utils.convert_parameters import unflatten_dense_tensors as _unflatten_dense_tensors  # noqa: F401
from .runtime.device.device import device as _device
from .runtime.extensions.cuda_api.devices import current_device as _current_device
from .runtime.extensions.cuda_api.devices import device_count as _device_count


def _get_device_index(device: _Any, optional: bool = False, allow_cpu: bool = False) -> int:
    if isinstance(device, int):
        return device
    target_device = None if device is None else _device(device)
    if target_device is not None and target_device.type == "cpu" and allow_cpu:
        return -1
    if target_device is not None and target_device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {target_device}")
    if target_device is None or target_device.index is None:
        if not optional:
            raise ValueError(f"Expected a cuda device with a specified index or an integer, but got: {device!r}")
        return _current_device()
    return target_device.index


def _get_all_device_indices() -> list[int]:
    return list(range(_device_count()))


class ExceptionWrapper(_Failure):
    """An exception as it travels to another thread or process, where `reraise` raises one of its class.

    Args:
        exc_info: what `sys.exc_info()` has given; that of now when left out.
        where: what its message says of the place.
    """

    def __init__(self, exc_info: _Any = None, where: str = "in background") -> None:
        error: _Any = (_sys.exc_info() if exc_info is None else exc_info)[1]
        super().__init__(error, where)
