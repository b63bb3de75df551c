"""Slices along one dimension by a tensor of indices, of operands in any layout: they are read as they lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

BASE = sg.tensor(np.random.default_rng(0).standard_normal((6, 8, 10, 12)))
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "columns": lambda x: x[..., :7],
    "every second row": lambda x: x[:, ::2],
    "transposed": lambda x: x.mT,
    "every third column": lambda x: x[..., ::3],
    "permuted": lambda x: x.permute(1, 0, 2, 3),
    "reversed": lambda x: x.permute(3, 2, 1, 0),
    "expanded": lambda x: x[:1].expand(6, 8, 10, 12),
    "expanded within": lambda x: x[:, :, :1].expand(6, 8, 10, 12),
    "matrix": lambda x: x[0, 0],
    "line apart": lambda x: x[:, 0, 0, 2],
}


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.int64])
@pytest.mark.parametrize("how", VIEWS)
def test_values(how: str, dtype: Any) -> None:
    """x[:, ..., i] and index_select; the second call is native code's."""
    x, index = VIEWS[how]((BASE * 100).to(dtype)), sg.tensor([0, 2, 1, -1])
    values, positions = x.to(sg.float64).numpy(), index.numpy()
    for dim in range(x.ndim):
        for _ in range(2):
            found = x[(slice(None),) * dim + (index,)]
            np.testing.assert_array_equal(found.to(sg.float64).numpy(), values.take(positions, dim))
            found = x.index_select(dim, index.abs())
            np.testing.assert_array_equal(found.to(sg.float64).numpy(), values.take(abs(positions), dim))


@pytest.mark.parametrize("how", VIEWS)
def test_errors(how: str) -> None:
    x = VIEWS[how](BASE)
    for dim in range(x.ndim):
        for _ in range(2):
            with pytest.raises(IndexError, match=f"out of bounds for dimension {dim} with size {x.shape[dim]}"):
                x[(slice(None),) * dim + (sg.tensor([x.shape[dim]]),)]
