"""Shape rules of transforms whose spectra are kept by halves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...tensor.meta import MetaArray


def half_spectrum(self: Any, dim: Sequence[int], normalization: int, pairs: float) -> MetaArray:
    """n // 2 + 1 complex numbers along the last of the dimensions."""
    shape = list(self.shape)
    shape[dim[-1]] = shape[dim[-1]] // 2 + 1
    return MetaArray(tuple(shape), np.result_type(self.dtype, np.complex64))


def from_half(self: Any, dim: Sequence[int], normalization: int, last: int, pairs: float) -> tuple[int, ...]:
    """`last` numbers along the last of the dimensions."""
    shape = list(self.shape)
    shape[dim[-1]] = last
    return tuple(shape)
