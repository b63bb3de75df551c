"""Products with matrices that are given by coordinates: number k stands in row row[k] and column column[k]."""

import numpy as np

from ...kernels.cpu.contiguous_copy import contiguous
from ...kernels.cpu.plan import run_if_planned
from . import plans
from .cpu_products import has_loops

CHUNK = 1 << 20  # numbers of each factor that are gathered at a time


def coordinate_mm(input: np.ndarray, row: np.ndarray, column: np.ndarray, count: int, mat2: np.ndarray) -> np.ndarray:
    """The matrix of `count` rows times `mat2`, by SciPy where there is no plan; numbers at one place add up."""
    _require_inside("coordinate_mm", "row", row, count)
    _require_inside("coordinate_mm", "column", column, len(mat2))
    if has_loops(input, mat2):
        result = run_if_planned(plans.coordinate_mm, *map(contiguous, (input, row, column)), count, contiguous(mat2))
        if result is not None:
            return result[0]
    from scipy.sparse import coo_array  # loaded with the first product that needs it

    matrix = coo_array((input, (row, column)), (count, len(mat2))).tocsr()
    return np.ascontiguousarray((matrix @ mat2).astype(input.dtype, copy=False))


def coordinate_sampled(input: np.ndarray, row: np.ndarray, mat2: np.ndarray, column: np.ndarray) -> np.ndarray:
    _require_inside("coordinate_sampled", "row", row, len(input))
    _require_inside("coordinate_sampled", "column", column, len(mat2))
    result = np.empty(row.size, input.dtype)
    step = max(CHUNK // max(input.shape[1], 1), 1)
    for first in range(0, row.size, step):
        part = slice(first, first + step)
        np.einsum("ij,ij->i", input[row[part]], mat2[column[part]], out=result[part])
    return result


def _require_inside(op: str, name: str, index: np.ndarray, size: int) -> None:
    if index.size and (index.min() < 0 or index.max() >= size):
        raise IndexError(
            f"{op}(): index out of range: expected {name} in [0, {size}), but got {index.min()} to {index.max()}"
        )
