"""Private helpers of PyTorch that programs with several devices or buckets of gradients import."""

from typing import Any as _Any

from .nn.utils.flat import flatten_dense_tensors as _flatten_dense_tensors  # noqa: F401
from .nn.utils.flat import take_tensors as _take_tensors  # noqa: F401
from .nn.utils.flat import unflatten_dense_tensors as _unflatten_dense_tensors  # noqa: F401
from .runtime.cuda.api.devices import current_device as _current_device
from .runtime.tensor.devices import device as _device


def _get_device_index(device: _Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a CUDA device: of the current one where none is said and `optional` is set; -1 of the CPU."""
    if isinstance(device, int):
        return device
    place = None if device is None else _device(device)
    if place is not None and place.type == "cpu" and allow_cpu:
        return -1
    if place is not None and place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {place}")
    if place is None or place.index is None:
        if not optional:
            raise ValueError(f"Expected a cuda device with a specified index or an integer, but got: {device!r}")
        return _current_device()
    return place.index
