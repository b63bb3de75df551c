"""Products of matrices of any dtype: those of 16-bit floats as they are stored, where the processor multiplies pairs.

Elsewhere they are widened to float32, and what is computed of them is for the op to round.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ...kernels.compile.machine import pair_products
from ...kernels.cpu.dtypes.casting import cast
from ...kernels.cpu.dtypes.half_plans import by_pairs, run_in_memory
from ...kernels.cpu.movement.copies import contiguous
from ...kernels.cpu.plan import Plan, layout_of
from . import cpu_products, plans
from .cpu_products import contiguous_or_transposed, in_own_layout, ready_batch

Array = np.ndarray

BFLOAT16, FLOAT16, SINGLE = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)


def widened(array: Array) -> Array:
    """An array of 16-bit floats as float32, any other as it is."""
    return cast(array, SINGLE) if array.dtype in (BFLOAT16, FLOAT16) else array


def are_pairs(*arrays: Array) -> bool:
    return all(array.dtype == BFLOAT16 for array in arrays) and bool(pair_products())


def by_pairs_of(plan: Plan | None, *arrays: Array) -> Array | None:
    """The result of a plan, all of whose calls others stand for that multiply pairs; None for other plans."""
    if not plan or any(step.pairs is None for step in plan):
        return None
    return run_in_memory(by_pairs(plan, "T" * len(arrays)), *arrays)


def matmul2d_as_stored(a: Array, b: Array, row: Array | None = None) -> Array:
    """The product of two matrices, which may be transposed views; `row` is added to all rows."""
    rows = () if row is None else (row,)
    if are_pairs(a, b, *rows):
        arrays = (contiguous_or_transposed(a), contiguous_or_transposed(b), *map(contiguous, rows))
        layouts = [*map(layout_of, arrays), None][:3]
        result = by_pairs_of(plans.with_row(*layouts), *arrays)  # type: ignore[arg-type]
        if result is not None:
            return result
    return cpu_products.matmul2d(widened(a), widened(b), *map(widened, rows))


def matmul3d_as_stored(a: Array, b: Array) -> Array:
    """The product of two matrices for each item of a batch; all matrices may be transposed views."""
    if are_pairs(a, b):
        left, right = in_own_layout(a), ready_batch(b)
        result = by_pairs_of(plans.batch_products(layout_of(left), layout_of(right)), left, right)
        if result is not None:
            return result
    return cpu_products.matmul3d(widened(a), widened(b))
