"""Devices: where a tensor's memory lies."""

import functools
from typing import Any

from ..errors import ArgumentError, DeviceError

_TYPES = ("cpu", "cuda", "meta")


class device:
    """A device: `device("cpu")`, `device("cuda:1")` or `device("cuda", 1)`; an int alone means a CUDA device.

    Tensors of `device("meta")` have shape, strides and dtype, and no memory: nothing is computed of them.

    Args:
        type: "cpu", "cuda", "cuda:N", "meta", a device, or the number of a CUDA device.
        index: the number of the device, where `type` does not have it.

    Raises:
        RuntimeError: there is no such kind of device, or two indices are given.

    Example:
        >>> device("cuda:1").type, device("cuda:1").index
        ('cuda', 1)
    """

    __slots__ = ("type", "index")
    type: str
    index: int | None

    def __init__(self, type: "str | int | device", index: int | None = None) -> None:
        kind, result = _parse(type)
        if index is not None:
            if result is not None:
                raise DeviceError(
                    f"device(): type must not include an index because index was passed explicitly: {type}"
                )
            result = _valid_index(index)
        object.__setattr__(self, "type", kind)
        object.__setattr__(self, "index", result)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"device is immutable: cannot set {name!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __enter__(self) -> "device":
        """Make tensors here where no device is given, until the block ends."""
        _outer.append(default[0])
        set_default(resolve(self))
        return self

    def __exit__(self, *_: object) -> None:
        set_default(_outer.pop())

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (str(self),)


def _valid_index(index: Any) -> int:
    if isinstance(index, bool) or not isinstance(index, int):
        raise ArgumentError(f"device(): argument 'index' must be int, not {type(index).__name__}")
    if index < 0:
        raise DeviceError(f"device(): index must not be negative, got {index}")
    return index


def _parse(spec: Any) -> tuple[str, int | None]:
    if isinstance(spec, device):
        return spec.type, spec.index
    if isinstance(spec, int) and not isinstance(spec, bool):
        return "cuda", _valid_index(spec)
    if not isinstance(spec, str):
        result = type(spec).__name__
        raise ArgumentError(f"device(): argument 'type' must be str, int or device, not {result}")
    kind, colon, digits = spec.partition(":")
    if kind not in _TYPES:
        known = ", ".join(_TYPES)
        raise DeviceError(f"device(): expected one of {known} at the start of the device string: {spec!r}")
    if colon and not (digits.isascii() and digits.isdigit()):
        raise DeviceError(f"device(): invalid device string: {spec!r}")
    return kind, int(digits) if colon else None


DeviceLike = device | str | int | None  # the argument `device=` of functions; None: the default device
CPU = device("cpu")
META = device("meta")
default = [CPU]  # of new tensors, where no device is given; native code reads it too
_outer: list[device] = []  # what was the default outside of each `with device(...)`


def default_device() -> device:
    return default[0]


def set_default(target_device: device) -> None:
    default[0] = target_device


def cuda_available() -> bool:
    """Whether there is a CUDA device; the driver is not touched before this is asked."""
    return cuda_device_count() > 0


def cuda_device_count() -> int:
    """The number of CUDA devices; nothing of CUDA is loaded before somebody asks."""
    from .cuda.driver import device_count

    return device_count()


def current_accelerator() -> device | None:
    """The CUDA device, or None where there is none."""
    return device("cuda") if cuda_available() else None


def resolve(spec: DeviceLike) -> device:
    """The device of an argument `device=`; None: the CPU. A DeviceError for a CUDA device that there is not."""
    if spec is None or spec is CPU:
        return CPU
    chosen = spec if isinstance(spec, device) else device(spec)
    if chosen.type == "cpu":
        return CPU
    if chosen.type == "meta":
        return META
    return cuda_device(chosen.index)


def cuda_device(index: int | None) -> device:
    """The one object of a CUDA device, None: the current; a DeviceError where there is none."""
    from .cuda.current import here
    from .cuda.driver import NO_DRIVER

    count = cuda_device_count()
    if not count:
        raise DeviceError(f"{NO_DRIVER} specgrad was asked for a CUDA device: use device='cpu'")
    number = here.device if index is None else index
    if number >= count:
        raise DeviceError(f"CUDA error: invalid device ordinal: expected a number below {count}, but got {number}")
    return _known_device(number)


@functools.cache
def _known_device(index: int) -> device:
    return device("cuda", index)
