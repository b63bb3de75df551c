"""Kernels: arrays in, arrays out, in the dtype of the computation."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def _flow(rows: np.ndarray, conductivity: np.ndarray, out: np.ndarray) -> None:
    for r in range(rows.shape[0]):
        for i in range(rows.shape[1] - 1):
            heat = conductivity[i] * (rows[r, i + 1] - rows[r, i])
            out[r, i] += heat
            out[r, i + 1] -= heat


def heat_step(rods: np.ndarray, conductivity: np.ndarray) -> np.ndarray:
    """Heat flows between neighbours in a row by how much they differ; none leaves a rod."""
    rows = rods.reshape(math.prod(rods.shape[:-1]), rods.shape[-1])
    out = rows.copy()
    _flow(rows, conductivity, out)
    return out.reshape(rods.shape)
