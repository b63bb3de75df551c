"""Devices that specgrad does not use: there are none of them, and what needs one says so."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """Whether there is such a device: specgrad uses none."""
    return False


def device_count() -> int:
    """How many devices of this kind are used: none."""
    return 0


def nothing(*args: Any, **kwargs: Any) -> None:
    """Done for all devices of this kind, of which there are none: memory is given back, seeds are set.

    Args:
        *args, **kwargs: as in PyTorch.
    """


def missing(*args: Any, **kwargs: Any) -> Any:
    """What needs a device of this kind.

    Args:
        *args, **kwargs: as in PyTorch.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("specgrad uses no devices of this kind: there are 'cpu' and 'cuda'")
