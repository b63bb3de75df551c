"""The random numbers of devices, under PyTorch's names.

All devices draw from the default generator, whose stream is the same on each: so what seeds or sets the generator of a
device does that for all, and for the CPU.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ...device.cuda.driver import device_count
from ...methods.argument_guard import explained
from ...pytree import flatten
from ...tensor.generator import Generator, default_generator, valid_seed
from ...tensor.tensor import TensorBase
from .devices import index_of


def _generator(device: Any, function: str) -> Generator:
    index_of(device, function)
    return default_generator


def manual_seed(seed: int) -> None:
    """Seed the random numbers of the current device, and so of all; without a device nothing happens.

    Args:
        seed: an int in [-2**63, 2**64).
    """
    value = valid_seed(seed)
    if device_count():
        default_generator.manual_seed(value)


def seed() -> None:
    """Seed the random numbers of the current device, and so of all, from the operating system."""
    if device_count():
        default_generator.seed()


manual_seed_all, seed_all = manual_seed, seed


def initial_seed() -> int:
    """The seed of the current device's random numbers."""
    return _generator(None, "initial_seed").initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """The state of a device's random numbers, as a uint8 Tensor on the CPU.

    Args:
        device: the device.
    """
    return _generator(device, "get_rng_state").get_state()


def get_rng_state_all() -> list[Any]:
    """The states of all devices' random numbers."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Set the state of a device's random numbers.

    Args:
        new_state: what `get_rng_state` returned.
        device: the device.
    """
    _generator(device, "set_rng_state").set_state(new_state)


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Set the states of all devices' random numbers.

    Args:
        new_states: what `get_rng_state_all` returned.
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


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


__all__ = ["get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all"]
__all__ += ["set_rng_state", "set_rng_state_all"]
