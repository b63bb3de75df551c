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


class Libraries(Protocol):
    """What both kinds of device do. Addresses and streams are ints, as those of a driver."""

    def gemm(self, gemm: Gemm, a: int, b: int, c: int, stream: int) -> None:
        """Products of matrices."""
