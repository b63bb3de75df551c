"""Products of matrices and vectors in any layout and dtype: by plans, in loops of our own, or by NumPy's BLAS.

BLAS has small products of complex numbers, of whole batches and of two vectors, and what has no loops. 16-bit floats
are multiplied as stored where the processor multiplies pairs; else they are widened, and the op rounds the result.
"""

import ml_dtypes
import numpy as np

from ...compiler.passes.target import pair_products
from ...device.threads.parallel_for import shared
from ...kernels.cpu.casting import cast
from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.float16_plans import by_pairs, run_in_memory
from ...kernels.cpu.matvec import multiply_vectors
from ...kernels.cpu.plan import Array, Layout, Plan, layout_of, run
from . import plans

BLAS_THREAD_THRESHOLD = 9000  # elements of a matrix; for as few BLAS never uses a second thread


def has_loops(a: Array, b: Array) -> bool:
    return a.dtype is b.dtype and a.dtype.char in "fd"


def is_for_numpy(matrix: Array, vector: Array) -> bool:
    return matrix.size <= BLAS_THREAD_THRESHOLD or matrix.dtype is not vector.dtype or matrix.dtype.char not in "fdFD"


def product(a: Array, b: Array) -> Array:
    """NumPy's product. Inf and nan are results here, also for users who make NumPy's warnings errors."""
    try:
        return a.dot(b) if a.ndim < 3 else np.matmul(a, b)
    except (RuntimeWarning, FloatingPointError):
        with np.errstate(all="ignore"):
            return np.matmul(a, b)


def matmul2d(a: Array, b: Array, row: Array | None = None) -> Array:
    if has_loops(a, b):
        added = None if row is None else contiguous(row)
        return run(plans.with_row, contiguous_or_transposed(a), contiguous_or_transposed(b), added)[0]
    result = by_vectors(a, b) if len(a) == 1 or b.shape[1] == 1 else product(a, b)
    if row is not None:
        result += row
    return result


def contiguous_or_transposed(matrix: Array) -> Array:
    return matrix if matrix.flags.forc else np.ascontiguousarray(matrix)


def by_vectors(a: Array, b: Array) -> Array:
    y = matrix_vector(b.T, a[0]) if len(a) == 1 else matrix_vector(a, b[:, 0])
    return y.reshape(len(a), b.shape[1])


def matrix_vector(a: Array, x: Array) -> Array:
    if is_for_numpy(a, x) and not has_loops(a, x):
        return product(a, x)
    return run(plans.mv, contiguous_or_transposed(a), np.ascontiguousarray(x))[0]


def vector_vector(x: Array, y: Array) -> Array:
    return matrix_vector(x[None], y).reshape(()) if has_loops(x, y) else product(x, y)


def matmul3d(a: Array, b: Array) -> Array:
    if not a.size or not b.size or not has_loops(a, b):
        return row_by_matrices(a, b) if a.shape[1] == 1 else product(a, b)
    if plans.is_one(layout_of(b)):  # as its plan has it
        return matmul2d(a.reshape(-1, a.shape[2]), b[0]).reshape(*a.shape[:2], -1)
    return run(products_of_batches, in_own_layout(a), in_own_layout(b))[0]


def products_of_batches(a: Layout, b: Layout) -> Plan | None:
    return plans.batch_products(a, b) or None


def contiguous_batch(matrices: Array) -> tuple[Array, bool]:
    if matrices.flags.c_contiguous:
        return matrices, False
    swapped = matrices.swapaxes(1, 2)
    return (swapped, True) if swapped.flags.c_contiguous else (np.ascontiguousarray(matrices), False)


def in_own_layout(matrices: Array) -> Array:
    """A batch that is contiguous, or the transposes of one that is; others are copied."""
    matrix_layout, rotated = contiguous_batch(matrices)
    return matrix_layout.swapaxes(1, 2) if rotated else matrix_layout


def ready_batch(matrices: Array) -> Array:
    """A right operand as plans want it: all matrices may be one as well."""
    return matrices if plans.is_one(layout_of(matrices)) else in_own_layout(matrices)


def row_by_matrices(a: Array, b: Array) -> Array:
    if not len(a) or is_for_numpy(b[0], a[0]):
        return product(a, b)
    return matrices_vectors(b.swapaxes(1, 2), a[:, 0])[:, None]


def matrices_vectors(a: Array, x: Array) -> Array:
    matrices, transposed = contiguous_batch(a)
    y = np.empty(a.shape[:2], a.dtype)
    shared(multiply_vectors, (matrices, np.ascontiguousarray(x), y, transposed), len(y), a.size)
    return y


BFLOAT16, FLOAT16, SINGLE = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)


def widened(array: Array) -> Array:
    return cast(array, SINGLE) if array.dtype in (BFLOAT16, FLOAT16) else array


def are_pairs(*arrays: Array) -> bool:
    return all(array.dtype == BFLOAT16 for array in arrays) and bool(pair_products())


def by_pairs_of(plan: Plan | None, *arrays: Array) -> Array | None:
    """The result of a plan, all of whose calls others stand for that multiply pairs; None for other plans."""
    if not plan or any(step.pairs is None for step in plan):
        return None
    return run_in_memory(by_pairs(plan, "T" * len(arrays)), *arrays)


def matmul2d_as_stored(a: Array, b: Array, row: Array | None = None) -> Array:
    rows = () if row is None else (row,)
    if are_pairs(a, b, *rows):
        arrays = (contiguous_or_transposed(a), contiguous_or_transposed(b), *map(contiguous, rows))
        layouts = [*map(layout_of, arrays), None][:3]
        result = by_pairs_of(plans.with_row(*layouts), *arrays)  # type: ignore[arg-type]
        if result is not None:
            return result
    return matmul2d(widened(a), widened(b), *map(widened, rows))


def matmul3d_as_stored(a: Array, b: Array) -> Array:
    if are_pairs(a, b):
        left, right = in_own_layout(a), ready_batch(b)
        result = by_pairs_of(plans.batch_products(layout_of(left), layout_of(right)), left, right)
        if result is not None:
            return result
    return matmul3d(widened(a), widened(b))
