"""Devices: which there are, what is known of them, and which one a thread is at."""

from typing import Any

from ...device.cuda import allocator
from ...device.cuda.current import here
from ...device.cuda.driver import Properties, device_count, driver
from ...device.cuda.index_errors import raise_if_any
from ...device.device import device as Device
from ...errors import AcceleratorError, ArgumentError, DeviceError, type_name

__all__ = ["can_device_access_peer", "current_device", "device", "device_of", "get_arch_list", "get_device_capability"]
__all__ += ["get_device_name", "get_device_properties", "get_gencode_flags", "init", "ipc_collect", "is_available"]
__all__ += ["is_bf16_supported", "is_initialized", "is_tf32_supported", "set_device"]
__all__ += ["device_count", "get_sync_debug_mode", "set_sync_debug_mode", "synchronize"]

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")  # that kernels are compiled for ahead of time
_initialized: list[bool] = []


def is_available() -> bool:
    """Whether there is a CUDA device, real or simulated; never an error."""
    return device_count() > 0


def amp_definitely_not_available() -> bool:
    """Whether there is none, as PyTorch's package of mixed precision asks."""
    return not is_available()


def init() -> None:
    """Find the driver, or raise a RuntimeError; everything else does so when it needs it."""
    driver()
    _initialized[:] = [True]


def is_initialized() -> bool:
    """Whether this process has used a device."""
    return bool(_initialized or allocator.in_use())


def index_of(device: Any, function: str) -> int:
    """The number of a device: of the current one for None, a negative number, or a device without a number."""
    count = driver().device_count()
    if device is None:
        return here.device
    if isinstance(device, bool) or not isinstance(device, int | str | Device):
        raise ArgumentError(f"{function}(): argument 'device' must be device, int or str, not {type_name(device)}")
    if isinstance(device, int):
        index = device if device >= 0 else None
    else:
        target_device = Device(device)
        if target_device.type != "cuda":
            raise ValueError(f"{function}(): Expected a cuda device, but got: {target_device}")
        index = target_device.index
    if index is not None and index >= count:
        raise AcceleratorError(f"CUDA error: invalid device ordinal: {function}(): {index} of {count} devices")
    return here.device if index is None else index


def current_device() -> int:
    """The number of the device that this thread is at."""
    init()
    return here.device


def set_device(device: Any) -> None:
    """Be at another device, in this thread; a negative number changes nothing.

    Args:
        device: a device, its name or its number.
    """
    here.device = index_of(device, "set_device")


class device:
    """Be at another device inside a `with` block.

    Args:
        device: a device, its name or its number; None, or a negative number, changes nothing.
    """

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else index_of(device, "device")
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = here.device
        if self.idx >= 0:
            here.device = self.idx

    def __exit__(self, *_: object) -> None:
        here.device = self.prev_idx


class device_of(device):
    """Be at the device of a tensor inside a `with` block; a tensor on the CPU changes nothing.

    Args:
        obj: the tensor.
    """

    def __init__(self, obj: Any) -> None:
        target_device = obj.device
        super().__init__(target_device.index if target_device.type == "cuda" else None)


def get_device_properties(device: Any = None) -> Properties:
    """Name, size and limits of a device.

    Args:
        device: the device; None is the current one.
    """
    return driver().properties(index_of(device, "get_device_properties"))


def get_device_name(device: Any = None) -> str:
    """The name of a device, arguments as of `cuda.get_device_properties`."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a device, (major, minor), arguments as of `cuda.get_device_properties`."""
    result = get_device_properties(device)
    return result.major, result.minor


def get_arch_list() -> list[str]:
    """The architectures that kernels are compiled for ahead of time; empty without a device."""
    return list(ARCHITECTURES) if is_available() else []


def get_gencode_flags() -> str:
    """The same as options of NVIDIA's compiler."""
    numbers = [name.removeprefix("sm_") for name in get_arch_list()]
    return " ".join(f"-gencode compute=compute_{number},code=sm_{number}" for number in numbers)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether tensors of bfloat16 can be computed with: on all devices, which convert them where they must.

    Args:
        including_emulation: whether that counts.
    """
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Whether the current device has products of TF32."""
    return is_available() and get_device_capability()[0] >= 8


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether kernels of one device reach the memory of another.

    Args:
        device, peer_device: the one and the other.
    """
    one, other = (index_of(target_device, "can_device_access_peer") for target_device in (device, peer_device))
    return one != other and driver().can_access_peer(one, other)


def synchronize(device: Any = None) -> None:
    """Wait for all work of a device, arguments as of `cuda.get_device_properties`.

    Raises:
        IndexError: a kernel was given an index that is out of bounds, which it skipped; with the op's name.
    """
    index = index_of(device, "synchronize")
    driver().synchronize(index)
    raise_if_any(index)


def ipc_collect() -> None:
    """Give memory back that other processes have done with: none is shared."""
    driver()


def get_sync_debug_mode() -> int:
    """What happens where the program waits for a device unasked: 0, nothing."""
    return 0


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Choose what happens where the program waits for a device unasked; only nothing can be chosen.

    Args:
        debug_mode: 0 or "default"; a NotImplementedError for other modes.
    """
    if debug_mode in (1, 2, "warn", "error"):
        raise NotImplementedError(f"set_sync_debug_mode(): only 'default' is there, got {debug_mode!r}")
    if debug_mode not in (0, "default"):
        raise DeviceError(f"invalid value of debug_mode {debug_mode!r}, expected one of `default`, `warn`, `error`")
