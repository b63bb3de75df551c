"""What a build of PyTorch may have and lack, as programs ask for it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from ...tensor.devices import cuda_available
from ...tensor.devices import device as Device

has_lapack = True  # SciPy's
has_openmp = False  # threads are specgrad's own
has_mkl = False
has_spectral = True


def compiled_with_cxx11_abi() -> bool:
    """Whether extensions would have the newer ABI of C++: there are none, and this is what PyTorch answers."""
    return True


def is_vulkan_available() -> bool:
    """Whether there is a device for Vulkan: specgrad uses none."""
    return False


def get_device_module(device: Any = None) -> ModuleType:
    """The module of a kind of devices: `cpu` or `cuda`.

    Args:
        device: a device, or its name; when left out, CUDA's where there is such a device.

    Raises:
        RuntimeError: specgrad uses no such devices.
    """
    kind = ("cuda" if cuda_available() else "cpu") if device is None else Device(device).type
    return import_module(f"{__name__.partition('.')[0]}.{kind}")
