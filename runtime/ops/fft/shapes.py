"""Shape rules of transforms whose spectra are kept by halves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...tensor.meta import MetaArray
from .cpu_radices import with_sizes


def resized_spectrum(
    self: Any, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool
) -> MetaArray:
    return MetaArray(with_sizes(self.shape, lengths, dim), np.result_type(self.dtype, np.complex64))


def half_spectrum(
    self: Any, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float
) -> MetaArray:
    halved = (*lengths[:-1], lengths[-1] // 2 + 1)
    return MetaArray(with_sizes(self.shape, halved, dim), np.result_type(self.dtype, np.complex64))


def from_half(
    self: Any, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float
) -> tuple[int, ...]:
    return with_sizes(self.shape, lengths, dim)
