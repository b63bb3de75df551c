"""Whether there is a device for autocast, under PyTorch's name."""

from ...runtime.cuda.driver import device_count as _device_count

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Whether there is no CUDA device, real or simulated."""
    return not _device_count()
