"""The processor that programs run on, under PyTorch's names, and what it keeps."""

from .runtime.tensor.allocation import empty_cache

__all__ = ["current_device", "device_count", "empty_cache", "is_available"]


def is_available() -> bool:
    """Whether there is one: it is always there."""
    return True


def device_count() -> int:
    """How many devices it is: one, whatever it has of cores."""
    return 1


def current_device() -> str:
    """The device that tensors are made on."""
    return "cpu"
