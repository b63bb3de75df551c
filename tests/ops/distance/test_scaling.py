"""Distances whose powers leave the range of the dtype on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

F = sg.nn.functional


@pytest.mark.parametrize("p", [1, 2, 3, 1.5, 0.5, sg.inf])
@pytest.mark.parametrize(
    ("dtype", "scale"), [(sg.float32, 1e20), (sg.float32, 1e-30), (sg.float64, 1e160), (sg.float64, 1e-200)], ids=str
)
def test_distances_of_any_scale(dtype: Any, scale: float, p: float) -> None:
    """cdist, pdist and pairwise_distance of (3, 4) and 0, times the scale, and the gradients, which have none."""
    norm = 4.0 if p == sg.inf else (3.0**p + 4.0**p) ** (1 / p)
    right = [0.0, 1.0] if p == sg.inf else [(3 / norm) ** (p - 1), (4 / norm) ** (p - 1)]
    x, zero = sg.tensor([[3 * scale, 4 * scale]], dtype=dtype, requires_grad=True), sg.zeros(1, 2, dtype=dtype)
    for distance in (
        sg.cdist(x, zero, p),
        sg.cdist(x.expand(30, 2), zero.expand(30, 2), p)[:1, :1],
        F.pdist(sg.cat([x, zero]), p),
        F.pairwise_distance(x, zero, p, eps=0.0),
        sg.dist(x, zero, p),
    ):
        np.testing.assert_allclose(distance.detach().double().reshape(-1).tolist(), [norm * scale], 2e-6)
        (grad,) = sg.autograd.grad(distance.sum(), x)
        np.testing.assert_allclose(grad.double().tolist(), [right], 1e-5)
