"""On which device a storage was, and where a file's tensors are put: by functions in order of priority, and
`map_location`.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from ...device.device import cuda_available, cuda_device_count, device, resolve
from ...errors import ArgumentError, DeviceError, SerializationError
from ...tensor.dtypes import uint8
from ...tensor.tensor import from_flat

Tagger = Callable[[Any], str | None]
Deserializer = Callable[[Any, str], Any]

_OURS = 10  # the priority of the functions for the CPU and CUDA devices
_NO_CUDA = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a "
    "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
)


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Let functions say for storages where they lie, and bring them to where a file says that they were.

    `load` asks the deserializers for places that are no devices here, unless `map_location` says another.

    Args:
        priority: the functions of the least one are asked first; 10 is that of the CPU and of CUDA devices.
        tagger: gets a storage and returns the name of its place, or None.
        deserializer: gets a storage on the CPU and the name of a place, and returns a storage there, or None.
    """
    if not callable(tagger) or not callable(deserializer):
        raise ArgumentError("register_package(): expected two functions, a tagger and a deserializer")
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=itemgetter(0))


def location_tag(storage: Any) -> str:
    """The name of the place where a storage lies: "cpu", "cuda:0".

    Args:
        storage: a storage.

    Raises:
        RuntimeError: no function knows it.
    """
    for _, tagger, _ in _packages:
        if (result := tagger(storage)) is not None:
            return result
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__name__}")


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage at the place of this name, by the first registered function that knows it.

    Args:
        storage: a storage.
        location: the name, as `location_tag` gives it.

    Raises:
        RuntimeError: no function knows the place, or there is no such device here.
    """
    for _, _, deserializer in _packages:
        if (result := deserializer(storage, location)) is not None:
            return result
    raise RuntimeError(f"don't know how to restore data location of {type(storage).__name__} (tagged with {location})")


def of_program(storage: Any, location: str) -> Any:
    answers = (deserializer(storage, location) for _, _, deserializer in _packages if deserializer is not _restored)
    return next((result for result in answers if result is not None), None)


def _tag(storage: Any) -> str | None:
    target_device = getattr(storage, "device", None)
    return str(target_device) if isinstance(target_device, device) else None


def _restored(storage: Any, location: str) -> Any:
    if location.startswith("cuda"):
        return storage.cuda(validate_cuda_device(location))
    return storage if location.startswith("cpu") else None


def validate_cuda_device(location: str) -> int:
    """The index of the CUDA device of this name.

    Args:
        location: "cuda" or "cuda:1".

    Raises:
        RuntimeError: there is no such device here.
        ValueError: another kind of device.
    """
    target_device = device(location)
    if target_device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {location}")
    if not cuda_available():
        raise RuntimeError(_NO_CUDA)
    index, count = target_device.index or 0, cuda_device_count()
    if index >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on CUDA device {index} but torch.cuda.device_count() is {count}. Please "
            "use torch.load with map_location to map your storages to an existing device."
        )
    return index


def validate_hpu_device(location: str) -> int:
    """Raises a RuntimeError: there are no devices of this kind.

    Args:
        location: the name of the place.
    """
    raise RuntimeError(f"Attempting to deserialize object on a HPU device ({location}), but there is none here.")


_packages: list[tuple[int, Tagger, Deserializer]] = [(_OURS, _tag, _restored)]


Location = device | dict[str, device] | Callable[..., Any] | None
MapLocation = Location | str | int | dict[str, str]


def checked_location(map_location: MapLocation) -> Location:
    """The argument with its devices, so that a bad one is not taken for a damaged file.

    Those of a dict need not be here, as in PyTorch: ranks map "cuda:0" to their own, also where nothing is on it.
    """
    if map_location is None or callable(map_location):
        return map_location
    if isinstance(map_location, dict):
        return {str(saved): device(target_device) for saved, target_device in map_location.items()}
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
            return resolve(self._location[saved])
        result = None if saved == "cpu" else of_program(_probe(), saved)
        return _here(saved) if result is None else result.device


def _probe() -> Any:
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
