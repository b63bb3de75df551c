"""How the rest of specgrad speaks to libraries of a device: what they compute, in which memory. Solvers of batches of
matrices: one call for each matrix, where a library has no call for all."""

from typing import NamedTuple, Protocol

import numpy as np

INT32_SIZE = 4


class Matrices(NamedTuple):
    """Matrices of a batch, each column after column, `ld` elements apart; `step` bytes from one to the next."""

    address: int
    ld: int
    step: int

    def at(self, number: int) -> int:
        return self.address + number * self.step


Number = int | float | complex


class Gemm(NamedTuple):
    """C = alpha op(A) op(B) + beta C for each matrix of a batch, as BLAS has it. Matrices lie column after column, `ld`
    elements apart; those of a batch `stride` elements apart. op(A) is m by k, op(B) k by n and C m by n. C is not read
    where beta is 0."""

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
        return np.dtype(np.float32) if self.stored.itemsize == 2 else self.stored


class Fft(NamedTuple):
    """Transforms over the last dims, one to three, of arrays in row order, without a scale. The last size is that of
    the real numbers; of the complex ones that belong to them there are half and one."""

    real: np.dtype  # float32 or float64
    kind: str  # "c2c", "r2c", or "c2r", which uses up what it is given
    batch: int
    sizes: tuple[int, ...]
    forward: bool  # exp(-i ...)

    @property
    def complex(self) -> np.dtype:
        return np.dtype(f"c{2 * self.real.itemsize}")

    @property
    def half(self) -> tuple[int, ...]:
        return (*self.sizes[:-1], self.sizes[-1] // 2 + 1)


class Solvers(Protocol):
    """LAPACK's routines for one matrix, which lies column after column; in place, as LAPACK has them. `info` is the
    address of an int32 that tells what failed, 0 if nothing did. Of Hermitian matrices the lower triangle is read."""

    # L of A = L L^H in the lower triangle; the upper one is no result.
    def potrf(self, dtype: np.dtype, n: int, a: int, lda: int, info: int, stream: int) -> None: ...
    # L and U in one matrix, and as int32 the rows that were exchanged, from 1 on.
    def getrf(self, dtype: np.dtype, m: int, n: int, a: int, lda: int, pivots: int, info: int, stream: int) -> None: ...
    # X of A X = B in place of B, from what getrf leaves.
    def getrs(
        self, dtype: np.dtype, n: int, k: int, a: int, lda: int, pivots: int, b: int, ldb: int, info: int, stream: int,
    ) -> None: ...  # fmt: skip
    # R above, and Householder reflections below the diagonal.
    def geqrf(self, dtype: np.dtype, m: int, n: int, a: int, lda: int, tau: int, info: int, stream: int) -> None: ...
    # The first n columns of the product of k reflections that geqrf has left in A.
    def orgqr(
        self, dtype: np.dtype, m: int, n: int, k: int, a: int, lda: int, tau: int, info: int, stream: int
    ) -> None: ...
    # Singular values, and with "S" or "A" the vectors, of no fewer rows than columns; A is used up.
    def gesvd(
        self, dtype: np.dtype, vectors: str, m: int, n: int, a: int, lda: int,
        s: int, u: int, ldu: int, vh: int, ldvh: int, info: int, stream: int,
    ) -> None: ...  # fmt: skip
    # Eigenvalues of a Hermitian matrix, and eigenvectors in place of A, which is used up.
    def syevd(
        self, dtype: np.dtype, vectors: bool, n: int, a: int, lda: int, w: int, info: int, stream: int
    ) -> None: ...
    # Eigenvalues and right eigenvectors of a matrix of complex numbers, which is used up.
    def geev(
        self, dtype: np.dtype, vectors: bool, n: int, a: int, lda: int, w: int, v: int, ldv: int, info: int, stream: int
    ) -> None: ...
    # X of X A = B in place of B, m by n, for a triangle A, n by n, with ones on the diagonal if `unit`.
    def trsm(
        self, dtype: np.dtype, lower: bool, unit: bool, m: int, n: int, a: int, lda: int, b: int, ldb: int, stream: int
    ) -> None: ...


class Batches(Solvers, Protocol):
    """Those routines for batches, one call for each matrix unless a library has one for all; numbers about each matrix
    lie side by side."""

    def potrf_all(self, dtype: np.dtype, n: int, a: Matrices, info: int, count: int, stream: int) -> None:
        for k in range(count):
            self.potrf(dtype, n, a.at(k), a.ld, info + k * INT32_SIZE, stream)

    def getrf_all(self, dtype: np.dtype, n: int, a: Matrices, pivots: int, info: int, count: int, stream: int) -> None:
        for k in range(count):
            self.getrf(dtype, n, n, a.at(k), a.ld, pivots + k * n * INT32_SIZE, info + k * INT32_SIZE, stream)

    def getrs_all(
        self, dtype: np.dtype, n: int, k: int, a: Matrices, pivots: int, b: Matrices, info: int, count: int, stream: int
    ) -> None:
        for i in range(count):
            rows = pivots + i * n * INT32_SIZE
            self.getrs(dtype, n, k, a.at(i), a.ld, rows, b.at(i), b.ld, info + i * INT32_SIZE, stream)

    def trsm_all(
        self, dtype: np.dtype, lower: bool, unit: bool, m: int, n: int, a: Matrices, b: Matrices, count: int,
        stream: int,
    ) -> None:  # fmt: skip
        for k in range(count):
            self.trsm(dtype, lower, unit, m, n, a.at(k), a.ld, b.at(k), b.ld, stream)


class Libraries(Batches, Protocol):
    """What both kinds of device do. Addresses and streams are ints, as those of a driver."""

    def gemm(self, gemm: Gemm, a: int, b: int, c: int, stream: int) -> None: ...  # Products of matrices.
    # One product, and the m elements of bias added to each of its columns, in the dtype of the result; whether
    # the library has that: if not, nothing is written.
    def gemm_with_bias(self, gemm: Gemm, a: int, b: int, bias: int, c: int, stream: int) -> bool: ...
    # Fourier transforms, from one memory to another.
    def fft(self, fft: Fft, source: int, to: int, stream: int) -> None: ...
