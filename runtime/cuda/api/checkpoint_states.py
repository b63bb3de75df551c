"""States of devices' random numbers, which a checkpoint of a program's own keeps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...arguments import explained
from ...pytree import flatten
from ...tensor.base import TensorBase
from .random import get_rng_state, set_rng_state


class DefaultDeviceType:
    """The kind of devices that states are kept for where arguments do not say."""

    _default_device_type = "cuda"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Choose the kind: `device`."""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """The kind."""
        return DefaultDeviceType._default_device_type


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The CUDA devices that arguments lie on, and the states of their random numbers.

    Args:
        *args: tensors, in containers too, and others.
    """
    tensors = [leaf for leaf in flatten(args)[0] if isinstance(leaf, TensorBase)]
    devices = sorted({tensor._device.index or 0 for tensor in tensors if tensor._device.type == "cuda"})
    return devices, [get_rng_state(device) for device in devices]


@explained
def set_device_states(devices: Sequence[int], states: Sequence[Any], *, device_type: str | None = None) -> None:
    """Go back to states of random numbers.

    Args:
        devices, states: what `get_device_states` gave.
        device_type: the kind of devices: 'cuda'.
    """
    for device, state in zip(devices, states, strict=True):
        set_rng_state(state, device)
