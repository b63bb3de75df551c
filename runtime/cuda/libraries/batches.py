"""Solvers of batches of matrices: one call for each matrix, where a library has no call for all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

INT32_SIZE = 4


class Matrices(NamedTuple):
    """Matrices of a batch, each column after column, `ld` elements apart; `step` bytes from one to the next."""

    address: int
    ld: int
    step: int

    def at(self, number: int) -> int:
        return self.address + number * self.step


class OneByOne:
    """Batches for what has the methods of `protocol.Solvers`; numbers about each matrix lie side by side."""

    def potrf_all(self, dtype: np.dtype, n: int, a: Matrices, info: int, count: int, stream: int) -> None:
        one: Any = self
        for k in range(count):
            one.potrf(dtype, n, a.at(k), a.ld, info + k * INT32_SIZE, stream)

    def getrf_all(self, dtype: np.dtype, n: int, a: Matrices, pivots: int, info: int, count: int, stream: int) -> None:
        one: Any = self
        for k in range(count):
            one.getrf(dtype, n, n, a.at(k), a.ld, pivots + k * n * INT32_SIZE, info + k * INT32_SIZE, stream)

    def getrs_all(
        self, dtype: np.dtype, n: int, k: int, a: Matrices, pivots: int, b: Matrices, info: int, count: int, stream: int
    ) -> None:
        one: Any = self
        for i in range(count):
            rows = pivots + i * n * INT32_SIZE
            one.getrs(dtype, n, k, a.at(i), a.ld, rows, b.at(i), b.ld, info + i * INT32_SIZE, stream)

    def trsm_all(
        self, dtype: np.dtype, lower: bool, unit: bool, m: int, n: int, a: Matrices, b: Matrices, count: int,
        stream: int,
    ) -> None:  # fmt: skip
        """`trsm` for each triangle and its right-hand sides."""
        one: Any = self
        for k in range(count):
            one.trsm(dtype, lower, unit, m, n, a.at(k), a.ld, b.at(k), b.ld, stream)
