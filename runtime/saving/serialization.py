"""`save` and `load`: nested objects with tensors in one file that is read without running any code.

The file is a ZIP archive (not compressed): `tree.json` describes the object, `storages/N` are raw elements.
Each storage is written once, so tensors that share memory still share it when they are loaded.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zipfile
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from ..errors import DeviceError, SerializationError
from ..tensor.base import fresh
from ..tensor.devices import device, resolve
from ..tensor.dtype_views import storage_as
from ..tensor.dtypes import dtype, uint8
from ..tensor.memory import placed
from .archive import Archive, Damage
from .tree import Decoder, Encoder
from .whole_file import Stream, is_seekable, replacing

_FORMAT = {"format": "specgrad", "version": 1, "byteorder": sys.byteorder}
_MEMBER = re.compile(r"tree\.json|storages/(0|[1-9][0-9]*)")

Location = device | dict[str, device] | Callable[..., Any] | None
MapLocation = Location | str | int | dict[str, str]


def save(obj: Any, f: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write an object to a file, whole or not at all.

    A path is written through a temporary file in the same folder that then takes its name, mode and owner, so a crash
    never leaves half a file. Links are followed.

    Args:
        obj: tensors, NumPy arrays, numbers, strings, None, dtypes, devices, and lists, tuples, sets and
            dicts of these.
        f: a path, or an object with `write`.

    Raises:
        RuntimeError: (SerializationError) for anything else, naming the place in `obj`.
        OSError: the file cannot be written; what was there before stays.

    Example:
        >>> import io, specgrad as sg
        >>> file = io.BytesIO()
        >>> sg.save({"weight": sg.ones(2)}, file)
        >>> _ = file.seek(0)
        >>> sg.load(file)
        {'weight': tensor([1., 1.])}
    """
    encoder = Encoder()
    try:
        tree = json.dumps({**_FORMAT, "object": encoder.encode(obj)})
    except RecursionError:
        raise SerializationError("save(): the object is nested too deeply") from None
    except ValueError as error:  # an int of more digits than Python writes
        raise SerializationError(f"save(): {error}") from None
    if hasattr(f, "write"):
        _write(f if is_seekable(f) else Stream(f), tree, encoder.storages)
        return
    with replacing(os.fspath(f)) as file:
        _write(file, tree, encoder.storages)


def _write(file: Any, tree: str, storages: list[np.ndarray]) -> None:
    """Entries carry no time of writing, so equal objects make equal files."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo("tree.json"), tree)
        for number, storage in enumerate(storages):
            with archive.open(zipfile.ZipInfo(f"storages/{number}"), "w", force_zip64=True) as entry:
                entry.write(storage.view(np.uint8).data)


def load(f: str | os.PathLike[str] | IO[bytes], map_location: MapLocation = None, weights_only: bool = True) -> Any:
    """Read an object that `save` wrote. No code of the file is run, also with `weights_only=False`.

    Args:
        f: a path, or an object with `read`.
        map_location: the device for all tensors; or a dict from saved to new devices; or a function of
            `(storage, location)` that returns a tensor on the device; None puts each where it was.
        weights_only: accepted for PyTorch's sake; both values are equally safe.

    Raises:
        RuntimeError: (SerializationError) when the file is damaged or was not written by `save`.
        OSError: the file cannot be read.
    """
    location = _checked_location(map_location)
    if hasattr(f, "read"):
        opened: Any = f
        return _load(opened, str(getattr(f, "name", "the file")), location)
    path = os.fspath(f)
    with open(path, "rb") as file:
        return _load(file, os.fsdecode(path), location)


def _load(file: IO[bytes], name: str, location: Location) -> Any:
    place = _Place(location)
    source = file if is_seekable(file) else io.BytesIO(file.read())
    try:
        return _decoded(Archive(source), place)
    except Exception as error:  # the file may lead anywhere in the code that reads it
        if error is place.failure or isinstance(error, OSError):
            raise
        if isinstance(error, MemoryError):
            raise SerializationError(f"load(): there is not enough memory for {name}") from error
        reason = f"{type(error).__name__}: {error}"
        message = f"load(): {name} is damaged or was not written by specgrad.save ({reason})"
        raise SerializationError(message) from error


def _decoded(archive: Archive, place: Callable[[str], device]) -> Any:
    for name in archive:
        if not _MEMBER.fullmatch(name):
            raise Damage(f"save writes no member called {name}")
    tree = json.loads(archive.read("tree.json").tobytes())
    for key, expected in _FORMAT.items():
        if tree[key] != expected:
            raise Damage(f"{key} is {tree[key]!r}, expected {expected!r}")
    return Decoder(_Storages(archive).read, place).decode(tree["object"])


class _Storages:
    """Reads each storage of an archive once."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._found: dict[tuple[int, device], Any] = {}

    def read(self, number: int, kind: dtype, place: device) -> Any:
        """Storage `number` as a writable array on a device."""
        if (number, place) not in self._found:
            raw = self._archive.read(f"storages/{number}")
            if raw.size % kind.itemsize:
                raise Damage(f"storage {number} has no whole number of {kind} elements")
            self._found[number, place] = placed(raw.view(kind.np), place)
        return storage_as(self._found[number, place], kind)


def _checked_location(map_location: MapLocation) -> Location:
    """The argument with its devices resolved, so that a bad one is not taken for a damaged file."""
    if map_location is None or callable(map_location):
        return map_location
    if isinstance(map_location, dict):
        return {str(saved): resolve(place) for saved, place in map_location.items()}
    return resolve(map_location)


class _Place:
    """The device for a tensor that was saved on another, as `map_location` says; its own errors are no damage."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self.failure: Exception | None = None

    def __call__(self, saved: str) -> device:
        """The device in place of `saved`."""
        where = device(saved)
        try:
            return self._chosen(str(where))
        except Exception as error:
            self.failure = error
            raise

    def _chosen(self, saved: str) -> device:
        if isinstance(self._location, device):
            return self._location
        if callable(self._location):
            probe = fresh(np.empty(0, np.uint8), (0,), uint8)
            return self._location(probe, saved).device
        if self._location is not None and saved in self._location:
            return self._location[saved]
        try:
            return resolve(saved)
        except DeviceError as error:
            raise DeviceError(f"load(): {error}, or load(..., map_location='cpu')") from None
