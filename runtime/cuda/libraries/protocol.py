"""How the rest of specgrad speaks to libraries of a device: what they compute, in which memory."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

Number = int | float | complex


class Gemm(NamedTuple):
    """C = alpha op(A) op(B) + beta C for each matrix of a batch, as BLAS has it.

    Matrices lie column after column, `ld` elements apart; those of a batch `stride` elements apart. op(A) is m by k,
    op(B) k by n and C m by n. C is not read where beta is 0.
    """

    stored: np.dtype  # of A and B in memory
    result: np.dtype  # of C in memory
    m: int
    n: int
    k: int
    batch: int
    transpose_a: bool
    transpose_b: bool
    lda: int
    ldb: int
    ldc: int
    stride_a: int
    stride_b: int
    stride_c: int
    alpha: Number = 1
    beta: Number = 0

    @property
    def computed(self) -> np.dtype:
        """The dtype of products and sums: 16-bit floats are added up as float32."""
        return np.dtype(np.float32) if self.stored.itemsize == 2 else self.stored


class Fft(NamedTuple):
    """Transforms over the last dims, one to three, of arrays in row order, without a scale.

    The last size is that of the real numbers; of the complex ones that belong to them there are half and one.
    """

    real: np.dtype  # float32 or float64
    kind: str  # "c2c", "r2c", or "c2r", which uses up what it is given
    batch: int
    sizes: tuple[int, ...]
    forward: bool  # exp(-i ...)

    @property
    def complex(self) -> np.dtype:
        """The dtype of its complex numbers."""
        return np.dtype(f"c{2 * self.real.itemsize}")

    @property
    def half(self) -> tuple[int, ...]:
        """The sizes of the complex numbers that belong to real ones."""
        return (*self.sizes[:-1], self.sizes[-1] // 2 + 1)


class Libraries(Protocol):
    """What both kinds of device do. Addresses and streams are ints, as those of a driver."""

    def gemm(self, gemm: Gemm, a: int, b: int, c: int, stream: int) -> None:
        """Products of matrices."""

    def fft(self, fft: Fft, source: int, to: int, stream: int) -> None:
        """Fourier transforms, from one memory to another."""
