"""The elements of square matrices above their diagonals."""

import numpy as np

Array = np.ndarray


def above_diagonal(x: Array) -> Array:
    rows = x.shape[-1]
    return x.reshape(*x.shape[:-2], rows * rows)[..., upper_triangle_indices(rows)]


def upper_triangle_indices(rows: int) -> Array:
    return np.flatnonzero(~np.tri(rows, dtype=bool))
