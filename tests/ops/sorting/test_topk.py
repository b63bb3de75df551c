"""The few greatest of long rows against a stable sort in NumPy: equal elements, nan, signs of zero, rows in order."""

import numpy as np
import pytest

from specgrad.runtime.ops.sorting import cpu
from specgrad.runtime.ops.sorting.cpu_topk import LONG

rng = np.random.default_rng(0)


def rows_of(kind, count):
    """Numbers that a search by blocks might get wrong."""
    a = rng.normal(size=count) * 1e3
    if kind == "ties":
        return np.rint(a / 500)
    if kind == "few values":
        return np.rint(a / 3e3)
    if kind == "zeros":
        return np.where(np.arange(count) % 2, 0.0, -0.0)
    if kind == "clustered":  # the greatest in one group, and more of them than are compared with each other
        a[::128] += 1e4
        a[: count // 3] += 1e5
    if kind in ("up", "down"):
        return np.sort(a) if kind == "up" else -np.sort(a)
    if kind == "nan":
        a[rng.integers(0, count, min(50, count // 8))] = np.nan
        a[rng.integers(0, count, min(50, count // 8))] = -np.nan
        a[7] = np.inf
    return a


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("kind", ["any", "ties", "few values", "zeros", "clustered", "up", "down", "nan"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_topk_of_rows(dtype, kind, largest):
    """nan is the greatest; of equal elements the first ones are taken, in their order; no row is too long or too short
    for the search by groups."""
    for count in (65, 127, 128, 129, 255, 256, 300, 1000, 1448, LONG, 5 * LONG + 3):
        a = np.stack([rows_of(kind, count) for _ in range(2)]).astype(dtype)
        wide = a.astype(np.float64)
        keys = np.where(np.isnan(wide), 1e300, np.where(np.isinf(wide), 1e299, wide))
        order = np.argsort(-keys if largest else keys, 1, kind="stable")
        for k in (0, 1, 7, 20, 32, 33, 64, min(count, 100)):
            values, indices = cpu.topk(a, k, 1, largest, True)
            np.testing.assert_array_equal(indices, order[:, :k])
            np.testing.assert_array_equal(values, np.take_along_axis(a, order[:, :k], 1))


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32, np.float64])
def test_argsort_of_few(dtype, descending):
    """Few numbers are sorted by comparisons, as stable as others."""
    for shape in ((3, 0), (1, 1), (2, 16), (1, 32), (3, 11)):
        a = rng.integers(-3, 3, shape).astype(dtype)
        keys = -a.astype(np.float64) if descending else a
        np.testing.assert_array_equal(cpu.argsort(a, 1, descending, True), np.argsort(keys, 1, kind="stable"))
