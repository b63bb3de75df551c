"""The processor that programs run on, under PyTorch's names, and what it keeps."""

from typing import Any as _Any

from ..runtime.extensions.torch_compat.cpu_streams import Event, Stream, StreamContext, current_stream, stream
from ..runtime.tensor.memory import empty_cache
from . import amp

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "amp",
    "current_device",
    "current_stream",
    "device_count",
    "empty_cache",
    "is_available",
    "is_initialized",
    "set_device",
    "stream",
    "synchronize",
]


def is_available() -> bool:
    """Whether there is one: it is always there."""
    return True


def device_count() -> int:
    """How many devices it is: one, whatever it has of cores."""
    return 1


def current_device() -> str:
    """The device that tensors are made on."""
    return "cpu"


def is_initialized() -> bool:
    """Whether it can be used: it always can."""
    return True


def set_device(device: _Any) -> None:
    """Nothing: there is one.

    Args:
        device: is not looked at.
    """


def synchronize(device: _Any = None) -> None:
    """Nothing: whoever calls an op has its result.

    Args:
        device: is not looked at.
    """
