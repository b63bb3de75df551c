"""Intrinsics for numba: vectors, tiles, memory by address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

INTRINSICS: list[Callable[..., Any]] = []  # which `jit` makes numba intrinsics of, where a kernel names one


def for_numba(define: Callable[..., Any]) -> Any:
    """An intrinsic: kernels call it without the first argument, which is numba's."""
    INTRINSICS.append(define)
    return define
