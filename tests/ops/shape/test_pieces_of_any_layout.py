"""Pieces that are put together as they lie, by plans from the second call on: of any layout, and of no elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x.clone(),
    "columns": lambda x: sg.cat([x, x], -1)[..., : x.shape[-1]],
    "every second row": lambda x: sg.stack([x, x], -2).flatten(-3, -2)[..., ::2, :],
    "every second column": lambda x: sg.stack([x, x], -1).flatten(-2)[..., ::2],
    "transposed": lambda x: x.mT.contiguous().mT,
    "expanded": lambda x: x[:1].expand(x.shape),
}
SHAPES = [(3, 4), (5, 0), (0, 4), (2, 0, 3), (40, 64), (2, 30, 50), (300, 200)]


@pytest.mark.parametrize("dtype", [sg.float32, sg.bool, sg.int64, sg.bfloat16])
@pytest.mark.parametrize("how", LAYOUTS)
def test_values(how: str, dtype: Any) -> None:
    """Of two pieces and of three, along each dimension, beside a contiguous one."""
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        x, y = (sg.tensor(rng.integers(-9, 9, shape)).to(dtype) for _ in range(2))
        x = LAYOUTS[how](x)
        a, b = (each.to(sg.float64).numpy() for each in (x, y))
        for dim in range(len(shape)):
            for given, arrays in (([x, x], [a, a]), ([x, y, x], [a, b, a])):
                for _ in range(2):
                    concatenated, stacked = sg.cat(given, dim), sg.stack(given, dim)
                    np.testing.assert_array_equal(concatenated.to(sg.float64).numpy(), np.concatenate(arrays, dim))
                    np.testing.assert_array_equal(stacked.to(sg.float64).numpy(), np.stack(arrays, dim))


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.float16, sg.int64, sg.uint8, sg.bool])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_rows_of_one_number_of_each(count: int, dtype: Any) -> None:
    """Stacked along a new last dimension, or joined as columns; and gradients, taken apart again."""
    rng = np.random.default_rng(0)
    for shape in [(), (1,), (7,), (0,), (5, 13), (70_001,)]:
        arrays = [rng.integers(0, 2, shape) for _ in range(count)]
        tensors = [sg.tensor(a).to(dtype) for a in arrays]
        for _ in range(2):
            concatenated = sg.cat([t[..., None] for t in tensors], -1)
            for found in (sg.stack(tensors, -1), concatenated):
                assert found.dtype is dtype
                np.testing.assert_array_equal(found.to(sg.float64).numpy(), np.stack(arrays, -1))
        if not dtype.is_floating_point:
            continue
        given = rng.integers(-9, 9, (*shape, count))
        for t in tensors:
            t.requires_grad_()
        for _ in range(2):
            grads = sg.autograd.grad(sg.stack(tensors, -1), tensors, sg.tensor(given).to(dtype))
            for i, grad in enumerate(grads):
                np.testing.assert_array_equal(grad.to(sg.float64).numpy(), given[..., i])
