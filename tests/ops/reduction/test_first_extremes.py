"""Where extremes first are, and running ones, against NumPy: rows and columns around the sizes of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)
SHAPES = [
    (1,),
    (31,),
    (63,),
    (64,),
    (65,),
    (1000,),
    (5, 8),
    (40, 9),
    (3, 31),
    (20, 33),
    (2, 5, 17),
    (4, 300),
    (70, 12, 2),
]
DTYPES = [sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.bool]


def numbers(shape: tuple[int, ...], missing: float, dtype: Any) -> tuple[Any, np.ndarray]:
    """A tensor in which some are equal, with both zeros and infinities and some nan, and its numbers."""
    a = np.rint(rng.normal(size=shape) * 3) * rng.choice([1.0, -1.0], shape)
    if dtype.is_floating_point:
        a[rng.random(shape) < 0.02] = np.inf
        a[rng.random(shape) < missing] = np.nan
    x = sg.tensor(a).to(dtype)
    return x, x.double().numpy()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("missing", [0, 0.02, 0.5])
def test_first(dtype: Any, missing: float) -> None:
    """The first of equal ones, and the first nan."""
    for shape in SHAPES:
        x, a = numbers(shape, missing, dtype)
        for name in ("argmax", "argmin"):
            for dim in (None, *range(len(shape))):
                expected = getattr(np, name)(a, dim)
                for _ in range(2):
                    np.testing.assert_array_equal(getattr(sg, name)(x, dim).numpy(), expected)
                if dim is not None:
                    values, positions = getattr(sg, name[3:])(x, dim)
                    np.testing.assert_array_equal(positions.numpy(), expected)
                    np.testing.assert_array_equal(values.double().numpy(), getattr(np, name[3:])(a, dim))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("missing", [0, 0.02])
def test_running(dtype: Any, missing: float) -> None:
    """The last of equal ones; from the first nan on each nan, in lines side by side and in lines of neighbours."""
    for shape in SHAPES:
        x, a = numbers(shape, missing, dtype)
        for name, find in (("cummax", np.maximum), ("cummin", np.minimum)):
            for dim in range(len(shape)):
                expected = find.accumulate(a, dim)
                for _ in range(2):
                    values, positions = getattr(sg, name)(x, dim)
                    np.testing.assert_array_equal(values.double().numpy(), expected)
                at = np.arange(shape[dim]).reshape([-1 if d == dim else 1 for d in range(len(shape))])
                extreme = np.where(np.isnan(expected), np.isnan(a), a == expected)
                last = np.maximum.accumulate(np.where(extreme, at, -1), dim)
                np.testing.assert_array_equal(positions.numpy(), last)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
def test_running_products(dtype: Any) -> None:
    """In double precision, or in 64 bits; eight tiny ones behind a huge product do not vanish together."""
    for shape in SHAPES:
        a = (rng.normal(size=shape) * (1 if np.dtype(dtype).kind == "f" else 4)).astype(dtype)
        for dim in range(len(shape)):
            expected = np.cumprod(a.astype(float if np.dtype(dtype).kind == "f" else np.int64), dim)
            for _ in range(2):
                found = sg.cumprod(sg.tensor(a), dim).numpy()
                np.testing.assert_allclose(found, expected.astype(found.dtype), 2e-7, 1e-44)
    line = np.array([1e38] * 8 + [1e-45] * 8 + [1e38] * 2, np.float32)
    np.testing.assert_allclose(sg.cumprod(sg.tensor(line), 0).numpy()[-1], np.prod(line.astype(np.longdouble)), 2e-7)
