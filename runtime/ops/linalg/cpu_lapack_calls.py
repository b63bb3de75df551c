"""What SciPy offers of BLAS and LAPACK: routines, their addresses as functions of C, how many threads they use.

SciPy is loaded by the first call. Loops call gelsy for least squares, a QR decomposition with exchanges of columns
whose rank is estimated on the way, and syevd for small symmetric matrices, which has signs that programs know.
"""

import ctypes
import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import choose
from ...kernels.cpu.matmul import transpose_at
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import address, call_c, empty_row, item_size, part_of
from .cpu_cholesky import BLOCK


@jit
def all_finite(row: Array) -> bool:
    total = row.dtype.type(0)
    for i in range(row.size):
        total += 0 * row[i]
    return total == 0


@jit
def lstsq_batched(
    a: Array, b: Array, out: Array, ranks: Array, rcond: float, rows: int, columns: int, wide: int, single: int,
    double: int, first: int, last: int,
) -> None:  # fmt: skip
    """The shortest X with the least |A X - B|, and the ranks of A; `single` and `double` are the addresses of gelsy."""
    like = out.dtype.type(0)
    size, min_size, max_size = item_size(like), min(rows, columns), max(rows, columns)
    factors, right = empty_row(like, rows * columns), empty_row(like, max_size * wide)
    workspace_size = max(min_size + 2 * columns + BLOCK * (columns + 1), 2 * min_size + BLOCK * wide)
    work, limit, ints = empty_row(like, workspace_size), empty_row(like, 1), empty_row(np.int32(0), 7 + columns)
    at, limit[0] = address(ints), rcond
    for m in range(first, last):
        matrix = part_of(a, m * rows * columns, rows * columns)
        if not all_finite(matrix):
            raise ValueError
        transpose_at(like, address(matrix), columns * size, rows, columns, address(factors), rows * size)
        value = address(b) + m * rows * wide * size
        transpose_at(like, value, wide * size, rows, wide, address(right), max_size * size)
        ints[0], ints[1], ints[2], ints[3], ints[4] = rows, columns, wide, max_size, workspace_size
        for j in range(columns):
            ints[7 + j] = 0
        operands = at, at + 4, at + 8, address(factors), at, address(right), at + 12, at + 28, address(limit)
        call_c(choose(like, single, double), operands + (at + 20, address(work), at + 16, at + 24))
        ranks[m], to = ints[5], address(out) + m * columns * wide * size
        transpose_at(like, address(right), max_size * size, wide, columns, to, wide * size)


SINGLE = 32  # rows: from so many on LAPACK's float32 makes up for calls by Python, matrix by matrix


@functools.cache
def routine(name: str, char: str) -> Callable[..., Any]:
    """The routine of LAPACK, or trsm of BLAS, for a dtype: dgetrf for getrf and "d"."""
    from scipy.linalg import get_blas_funcs, get_lapack_funcs

    find = get_blas_funcs if name == "trsm" else get_lapack_funcs
    return find((name,), (np.empty(0, char),))[0]


@functools.cache
def c_address(name: str, char: str) -> int:
    """The address of LAPACK's routine as a function of C whose ints have 32 bits; 0 where SciPy does not have it."""
    functions = importlib.import_module("scipy.linalg.cython_lapack").__pyx_capi__
    capsule = functions.get({"f": "s", "d": "d"}[char] + name)
    if capsule is None:
        return 0
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    signature = name_of(capsule)
    return (pointer_of(capsule, signature) or 0) if b" int *" in signature else 0


@functools.cache
def _blas_threads() -> tuple[Any, Any] | None:
    """SciPy's functions that tell and set the number of BLAS's threads, where it is OpenBLAS."""
    library = ctypes.PyDLL(importlib.import_module("scipy.linalg._flapack").__file__)
    for prefix in ("scipy_openblas", "openblas"):
        if hasattr(library, f"{prefix}_set_num_threads"):
            return library[f"{prefix}_get_num_threads"], library[f"{prefix}_set_num_threads"]
    return None


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS computes in this thread alone: in decompositions its others cost more than they do, and change last bits."""
    known = _blas_threads()
    number = known[0]() if known else 1
    if known is None or number == 1:
        yield
        return
    known[1](1)
    try:
        yield
    finally:
        known[1](number)


LAPACK_JOBZ_UPLO = ord("V") + 256 * ord("L")  # eigenvectors are wanted, lower triangles are given


@jit
def has_finite_triangle(matrix: Array, n: int) -> bool:
    finite = True
    for i in range(n):
        finite = finite and all_finite(part_of(matrix, i * n, i + 1))
    return finite


@jit
def small_eigen_each(
    a: Array, values: Array, vectors: Array, info: Array, n: int, single: int, double: int, first: int, last: int
) -> None:
    """`eigen_each` of matrices of few rows; `single` and `double` are the addresses of syevd for both dtypes."""
    like, size = a.dtype.type(0), item_size(a.dtype.type(0))
    columns, work = empty_row(like, n * n), empty_row(like, 1 + 6 * n + 2 * n * n)
    ints = empty_row(np.int32(0), 8 + 5 * n)
    at = address(ints)
    for i in range(first, last):
        matrix, value = part_of(a, i * n * n, n * n), address(a) + i * n * n * size
        transpose_at(like, value, n * size, n, n, address(columns), n * size)
        ints[0], ints[1], ints[2], ints[3], ints[4] = LAPACK_JOBZ_UPLO, n, work.size, 3 + 5 * n, 0
        if has_finite_triangle(matrix, n):
            operands = at, at + 1, at + 4, address(columns), at + 4, address(values) + i * n * size, address(work)
            call_c(choose(like, single, double), operands + (at + 8, at + 20, at + 12, at + 16))
            info[i] = ints[4]
        else:
            info[i] = 1
        transpose_at(like, address(columns), n * size, n, n, address(vectors) + i * n * n * size, n * size)
