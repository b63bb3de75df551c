"""The total norm of gradients of any scale."""

from __future__ import annotations

import math
from typing import Any

import pytest

import specgrad as sg

utils = sg.nn.utils


@pytest.mark.parametrize("order", [2.0, 3.0, 1.0, math.inf])
@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(sg.float32, 1e20), (sg.float32, 1e-30), (sg.float64, 1e200), (sg.float64, 1e-200), (sg.bfloat16, 1e20)],
    ids=str,
)
def test_of_several_tensors(dtype: Any, scale: float, order: float) -> None:
    """(3, 0) and (4) have the norm of (3, 4), and are brought down to the bound."""
    first, second = sg.zeros(2, dtype=dtype, requires_grad=True), sg.zeros(1, dtype=dtype, requires_grad=True)
    first.grad, second.grad = sg.tensor([3 * scale, 0], dtype=dtype), sg.tensor([4 * scale], dtype=dtype)
    tolerance = 2e-2 if dtype is sg.bfloat16 else 1e-5
    norm = 4.0 if order == math.inf else (3**order + 4**order) ** (1 / order)
    assert utils.get_total_norm([first.grad, second.grad], order).item() == pytest.approx(norm * scale, tolerance)
    assert utils.clip_grad_norm_([first, second], 1.0, order).item() == pytest.approx(norm * scale, tolerance)
    if scale > 1:
        assert first.grad[0].item() == pytest.approx(3 / norm, tolerance)
