"""Settings that programs make for the sake of other machines: they are kept, and nothing here depends on them."""

from __future__ import annotations

from typing import Any

from . import checks
from .random import valid_seed

_PRECISIONS = ("highest", "high", "medium")
_settings: dict[str, Any] = {"deterministic": False, "precision": "highest"}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for kernels that give the same numbers each time; all kernels here do.

    Args:
        mode: whether they are asked for.
        warn_only: without effect.
    """
    _settings["deterministic"] = checks.boolean("use_deterministic_algorithms", "mode", mode)


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` was called with."""
    return _settings["deterministic"]


def set_float32_matmul_precision(precision: str) -> None:
    """Allow less precise products of float32 matrices; here they have the full precision always.

    Args:
        precision: "highest", "high" or "medium".

    Raises:
        RuntimeError: it is none of these.
    """
    if precision not in _PRECISIONS:
        known = ", ".join(_PRECISIONS)
        raise RuntimeError(f"set_float32_matmul_precision(): expected one of {known}, got {precision!r}")
    _settings["precision"] = precision


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was called with."""
    return _settings["precision"]


def seed_devices(seed: int) -> None:
    """Seed the generators of CUDA devices: there are none, random numbers are drawn on the CPU.

    Args:
        seed: an int in [-2**63, 2**64).
    """
    valid_seed(seed)


def release_cached_memory() -> None:
    """Give cached memory of CUDA devices back: none is cached."""


def unavailable() -> bool:
    """False: specgrad does not use this."""
    return False
