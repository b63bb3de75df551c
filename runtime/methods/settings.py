"""Settings that PyTorch programs make: determinism and precision, on which libraries of CUDA depend, and others."""

from typing import Any

from ..device.cuda.math_modes import PRECISIONS, math_modes
from ..device.device import CPU, default_device, set_default
from ..device.device import device as Device
from ..dispatch import argument_checks

__all__ = ["are_deterministic_algorithms_enabled", "get_default_device", "get_deterministic_debug_mode"]
__all__ += ["get_float32_matmul_precision", "is_deterministic_algorithms_warn_only_enabled", "is_warn_always_enabled"]
__all__ += ["set_default_device", "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal"]
__all__ += ["set_warn_always", "use_deterministic_algorithms"]

_DEBUG_MODES = ("default", "warn", "error")
_settings: dict[str, Any] = {"warn_always": False}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for kernels that give the same numbers each time: all here do, and of CUDA's libraries only such are asked.

    Args:
        mode: whether they are asked for.
        warn_only: whether others would only be warned of.
    """
    math_modes.deterministic = argument_checks.boolean("use_deterministic_algorithms", "mode", mode)
    math_modes.warn_only = argument_checks.boolean("use_deterministic_algorithms", "warn_only", warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether deterministic kernels were asked for, by `use_deterministic_algorithms` or the debug mode."""
    return math_modes.deterministic


def set_float32_matmul_precision(precision: str) -> None:
    """Allow less precise products of float32 matrices on CUDA devices; on the CPU they have the full precision always.

    Args:
        precision: "highest", or "high" or "medium", by which such products may be computed in TF32.

    Raises:
        RuntimeError: it is none of these.
    """
    if precision not in PRECISIONS:
        known = ", ".join(PRECISIONS)
        raise RuntimeError(f"set_float32_matmul_precision(): expected one of {known}, got {precision!r}")
    math_modes.precision = precision


def get_float32_matmul_precision() -> str:
    """The precision that `set_float32_matmul_precision` was called with; "highest" at first."""
    return math_modes.precision


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Choose between silence, warnings and errors for nondeterministic kernels; there are none here.

    Args:
        debug_mode: "default" or 0, "warn" or 1, "error" or 2.

    Raises:
        RuntimeError: it is none of these.
    """
    if debug_mode not in (*_DEBUG_MODES, 0, 1, 2):
        known = ", ".join(_DEBUG_MODES)
        raise RuntimeError(
            f"set_deterministic_debug_mode(): expected 0, 1, 2 or one of {known}, but got {debug_mode!r}"
        )
    level = _DEBUG_MODES.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    math_modes.deterministic, math_modes.warn_only = level > 0, level == 1


def get_deterministic_debug_mode() -> int:
    """The debug mode for nondeterministic kernels as a number: 0 (default), 1 (warn) or 2 (error)."""
    return 0 if not math_modes.deterministic else 1 if math_modes.warn_only else 2


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was called with `warn_only`."""
    return math_modes.warn_only


def set_warn_always(b: bool, /) -> None:
    """Ask for warnings each time and not once; Python's filters decide on that here.

    Args:
        b: whether they are asked for.
    """
    _settings["warn_always"] = argument_checks.boolean("set_warn_always", "b", b)


def is_warn_always_enabled() -> bool:
    """Whether `set_warn_always` was called with True."""
    return _settings["warn_always"]


def set_flush_denormal(mode: bool, /) -> bool:
    """Ask kernels to replace denormal numbers by zero; they keep them.

    Args:
        mode: whether denormal numbers are to be zero.

    Returns:
        Whether the setting is in force: False for `mode` True, as kernels keep denormal numbers.
    """
    return not argument_checks.boolean("set_flush_denormal", "mode", mode)


def set_default_device(device: Any) -> None:
    """Set the device of tensors that are made without `device=`.

    Args:
        device: the device, or None for the CPU.

    Raises:
        RuntimeError: there is no such device.
    """
    set_default(CPU if device is None else argument_checks.device("set_default_device", "device", device))


def get_default_device() -> Device:
    """The device on which new tensors are made."""
    return default_device()


def unavailable() -> bool:
    """Always False: whether a library is available that specgrad does not use."""
    return False
