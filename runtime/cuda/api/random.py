"""The random numbers of devices, under PyTorch's names.

All devices draw from the default generator, whose stream is the same on each: so what seeds or sets the generator of a
device does that for all, and for the CPU.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...random import Generator, default_generator, valid_seed
from ..driver import device_count
from .devices import index_of

__all__ = ["get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all"]
__all__ += ["set_rng_state", "set_rng_state_all"]


def _generator(device: Any, function: str) -> Generator:
    index_of(device, function)
    return default_generator


def manual_seed(seed: int) -> None:
    """Seed the random numbers of the current device; without a device nothing happens.

    Args:
        seed: an int in [-2**63, 2**64).
    """
    value = valid_seed(seed)
    if device_count():
        default_generator.manual_seed(value)


def manual_seed_all(seed: int) -> None:
    """Seed the random numbers of all devices; without a device nothing happens.

    Args:
        seed: an int in [-2**63, 2**64).
    """
    manual_seed(seed)


def seed() -> None:
    """Seed the random numbers of the current device from the operating system."""
    if device_count():
        default_generator.seed()


def seed_all() -> None:
    """Seed the random numbers of all devices from the operating system."""
    seed()


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
