"""Where tensors of a file are put: `map_location`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DeviceError, SerializationError
from ..tensor.base import from_flat
from ..tensor.devices import device, resolve
from ..tensor.dtypes import uint8
from .registry import of_program

Location = device | dict[str, device] | Callable[..., Any] | None
MapLocation = Location | str | int | dict[str, str]


def checked_location(map_location: MapLocation) -> Location:
    """The argument with its devices resolved, so that a bad one is not taken for a damaged file."""
    if map_location is None or callable(map_location):
        return map_location
    if isinstance(map_location, dict):
        return {str(saved): resolve(target_device) for saved, target_device in map_location.items()}
    return resolve(map_location)


class DeviceMap:
    """The device for a tensor that was saved on another, as `map_location` says; its own errors are no damage."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self.failure: Exception | None = None

    def __call__(self, saved: str) -> device:
        try:
            return self._chosen(saved)
        except Exception as error:
            self.failure = error
            raise

    def _chosen(self, saved: str) -> device:
        if isinstance(self._location, device):
            return self._location
        if callable(self._location):
            result = self._location(_probe(), saved)
            return _here(saved) if result is None else result.device
        if self._location is not None and saved in self._location:
            return self._location[saved]
        result = None if saved == "cpu" else of_program(_probe(), saved)
        return _here(saved) if result is None else result.device


def _probe() -> Any:
    """What stands for a storage that has not been read yet."""
    return from_flat(np.empty(0, np.uint8), (0,), uint8)


def _here(saved: str) -> device:
    try:
        where = device(saved)
    except RuntimeError:
        message = f"load(): a tensor was saved on {saved!r}, which is no device here: load(..., map_location='cpu')"
        raise SerializationError(message) from None
    try:
        return resolve(where)
    except DeviceError as error:
        raise DeviceError(f"load(): {error}, or load(..., map_location='cpu')") from None
