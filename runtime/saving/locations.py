"""Where tensors of a file are put: `map_location`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DeviceError, SerializationError
from ..tensor.base import fresh
from ..tensor.devices import device, resolve
from ..tensor.dtypes import uint8

Location = device | dict[str, device] | Callable[..., Any] | None
MapLocation = Location | str | int | dict[str, str]


def checked_location(map_location: MapLocation) -> Location:
    """The argument with its devices resolved, so that a bad one is not taken for a damaged file."""
    if map_location is None or callable(map_location):
        return map_location
    if isinstance(map_location, dict):
        return {str(saved): resolve(place) for saved, place in map_location.items()}
    return resolve(map_location)


class Place:
    """The device for a tensor that was saved on another, as `map_location` says; its own errors are no damage."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self.failure: Exception | None = None

    def __call__(self, saved: str) -> device:
        """The device in place of `saved`."""
        try:
            return self._chosen(saved)
        except Exception as error:
            self.failure = error
            raise

    def _chosen(self, saved: str) -> device:
        if isinstance(self._location, device):
            return self._location
        if callable(self._location):
            probe = fresh(np.empty(0, np.uint8), (0,), uint8)
            found = self._location(probe, saved)
            return _here(saved) if found is None else found.device
        if self._location is not None and saved in self._location:
            return self._location[saved]
        return _here(saved)


def _here(saved: str) -> device:
    """The device that a tensor was saved on."""
    try:
        where = device(saved)
    except RuntimeError:
        message = f"load(): a tensor was saved on {saved!r}, which is no device here: load(..., map_location='cpu')"
        raise SerializationError(message) from None
    try:
        return resolve(where)
    except DeviceError as error:
        raise DeviceError(f"load(): {error}, or load(..., map_location='cpu')") from None


def location_tag(storage: Any) -> str:
    """Where the memory of a storage lies, as files say it: "cpu" or "cuda:0".

    Args:
        storage: a storage, or a tensor.
    """
    return str(storage.device)


def default_restore_location(storage: Any, location: str) -> Any:
    """A storage or tensor where a file says that it was: itself if it lies there, otherwise a copy.

    Args:
        storage: a storage, or a tensor.
        location: the device, as `location_tag` names it.
    """
    where = _here(location)
    if storage.device == where:
        return storage
    return storage.cpu() if where.type == "cpu" else storage.cuda(where.index)
