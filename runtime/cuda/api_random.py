"""The random number generators of devices, one each, under PyTorch's names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..random import Generator, valid_seed
from .api_devices import index_of
from .driver import device_count

__all__ = ["get_rng_state", "get_rng_state_all", "initial_seed", "manual_seed", "manual_seed_all", "seed", "seed_all"]
__all__ += ["set_rng_state", "set_rng_state_all"]

_generators: dict[int, Generator] = {}


def generator_of(index: int) -> Generator:
    """The generator that draws on a device use when none is given."""
    if index not in _generators:
        _generators.setdefault(index, Generator(f"cuda:{index}"))
    return _generators[index]


def manual_seed(seed: int) -> None:
    """Seed the generator of the current device; without a device nothing happens.

    Args:
        seed: an int in [-2**63, 2**64).
    """
    value = valid_seed(seed)
    if device_count():
        generator_of(index_of(None, "manual_seed")).manual_seed(value)


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all devices.

    Args:
        seed: an int in [-2**63, 2**64).
    """
    value = valid_seed(seed)
    for index in range(device_count()):
        generator_of(index).manual_seed(value)


def seed() -> None:
    """Seed the generator of the current device from the operating system."""
    if device_count():
        generator_of(index_of(None, "seed")).seed()


def seed_all() -> None:
    """Seed the generators of all devices from the operating system, alike."""
    if device_count():
        manual_seed_all(generator_of(0).seed())


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return generator_of(index_of(None, "initial_seed")).initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """The state of a device's generator, as a uint8 Tensor on the CPU.

    Args:
        device: the device.
    """
    return generator_of(index_of(device, "get_rng_state")).get_state()


def get_rng_state_all() -> list[Any]:
    """The states of all devices' generators."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Set the state of a device's generator.

    Args:
        new_state: what `get_rng_state` returned.
        device: the device.
    """
    generator_of(index_of(device, "set_rng_state")).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Set the states of all devices' generators.

    Args:
        new_states: what `get_rng_state_all` returned.
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
