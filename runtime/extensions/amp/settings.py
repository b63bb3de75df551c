"""The functions that read and change what autocast is set to in this thread."""

from typing import Any

from ...tensor import dtypes
from ...tensor.observers import LISTED, Watcher, watch
from ...thread_state import NOWHERE, mode
from .state import Setting, base_device_type, here, intercept, require, setting, setting_for

_NAME = "autocast"
_ORDER = 5  # inside the profiler, outside batching: rules of batches get what has been cast


Snapshot = tuple[dict[str, Setting], bool, int]  # the last is the depth of backward passes at which the settings hold


def snapshot() -> Snapshot:
    return here.settings, here.cache_enabled, mode.autocast


def restore(before: Snapshot) -> None:
    here.settings, here.cache_enabled, mode.autocast = before
    _watch_or_not()


def change(device_type: str, enabled: bool | None = None, dtype: dtypes.dtype | None = None) -> None:
    """For ops of the backward pass that is running, or of none."""
    before, results = setting(device_type), here.settings
    if here.active and mode.autocast != mode.depth:
        results = {device: Setting(False, each.dtype) for device, each in results.items()}
    new = Setting(before.enabled if enabled is None else enabled, before.dtype if dtype is None else dtype)
    here.settings = {**results, base_device_type(device_type): new}
    mode.autocast = mode.depth
    _watch_or_not()


def _watch_or_not() -> None:
    active = tuple([(device, each.dtype) for device, each in here.settings.items() if each.enabled])
    if active and not here.active:
        watch.enter(_NAME, Watcher(intercept=intercept, order=_ORDER, concern=LISTED))
    elif here.active and not active:
        watch.leave(_NAME)
    here.active = active
    if not active:
        mode.autocast = NOWHERE


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether ops that this thread calls are cast.

    Args:
        device_type: the type of device that is asked about; without it CUDA.

    Raises:
        RuntimeError: there is no autocast for this type of device.
        TypeError: it is no string.

    Example:
        >>> import specgrad as sg
        >>> with sg.autocast("cpu"):
        ...     sg.is_autocast_enabled("cpu"), sg.is_autocast_enabled("cuda")
        (True, False)
    """
    return setting_for("cuda" if device_type is None else device_type).enabled


def set_autocast_enabled(device_type: Any, enabled: Any = None) -> None:
    """Cast from now on, or do so no more, in this thread; `autocast` is what programs should use.

    Args:
        device_type: a type of device; it may be left out, which means CUDA.
        enabled: whether ops on such devices are cast, a bool.

    Raises:
        RuntimeError: there is no autocast for this type of device.
    """
    device, requested = ("cuda", device_type) if enabled is None else (device_type, enabled)
    require(bool, "set_autocast_enabled", "enabled", requested)
    change(device, enabled=requested)


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The dtype that autocast casts to on a type of device, unless a region has another.

    Args:
        device_type: the type of device; a RuntimeError where there is no autocast for it.

    Example:
        >>> get_autocast_dtype("cpu"), get_autocast_dtype("cuda")
        (specgrad.bfloat16, specgrad.float16)
    """
    return setting_for(device_type).dtype


def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Let autocast cast to another dtype on a type of device, in this thread.

    Args:
        device_type: the type of device; a RuntimeError where there is no autocast for it.
        dtype: the dtype; a TypeError where it is none.
    """
    require(dtypes.dtype, "set_autocast_dtype", "dtype", dtype)
    change(device_type, dtype=dtype)


def is_autocast_cache_enabled() -> bool:
    """Whether parameters are cast once for all ops of a region.

    Example:
        >>> sg.is_autocast_cache_enabled()
        True
    """
    return here.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether parameters are cast once for all ops of a region, in this thread.

    Args:
        enabled: False casts them for each op anew; a TypeError where it is not a bool.
    """
    require(bool, "set_autocast_cache_enabled", "enabled", enabled)
    here.cache_enabled = enabled


def clear_autocast_cache() -> None:
    """Forget the parameters that have been cast."""
    here.cache = {}


def autocast_increment_nesting() -> int:
    """Note that a region begins; how many this thread is in then."""
    here.nesting += 1
    return here.nesting


def autocast_decrement_nesting() -> int:
    """Note that a region ends; how many this thread is in then."""
    here.nesting -= 1
    return here.nesting
