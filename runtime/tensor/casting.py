"""Changing the dtype of arrays, and copying between them, wherever they lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.cpu.dtypes import casting as host
from .devices import META


def copy_cast(to: Any, source: Any) -> None:
    """Copy with any change of dtype and of place; see `kernels.cpu.casting.copy_cast`."""
    if isinstance(to, np.ndarray) and isinstance(source, np.ndarray):
        host.copy_cast(to, source)
        return
    if META in (getattr(to, "device", None), getattr(source, "device", None)):  # NumPy's arrays have a device, too
        from . import meta

        return meta.copy(to, source)
    from ..cuda import memory  # loaded with the first device

    memory.copy(to, source)


def cast(array: Any, to: Any, final: Any = None) -> Any:
    """The array in another dtype: a copy, or, on a device, the same memory that kernels convert as they read it.

    `final` is the dtype of what an op computes of it, where that is another one than `to`.
    """
    return array.as_read(to, final) if getattr(array, "on_device", False) else host.cast(array, to)
