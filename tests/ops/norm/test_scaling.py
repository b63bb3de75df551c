"""Layer, group, batch, instance and RMS norm where squares leave the range of the dtype, against 50 digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

import specgrad as sg

F = sg.nn.functional
CASES = [
    *[(sg.float32, scale, 1e-5) for scale in (1.0, 1e20, 3e37, 1e-30)],
    *[(sg.float64, scale, 1e-12) for scale in (1.0, 1e160, 3e307, 1e-200)],
    *[(sg.bfloat16, scale, 5e-2) for scale in (1.0, 1e20, 1e-30)],
    *[(sg.float16, scale, 1e-2) for scale in (1.0, 1e4, 1e-3)],
]
ROW = [1.0, -2.0, 3.0, 0.5, 0.25, -1.0, 2.0, 4.0]
GRAD = [1.0, 2.0, -1.0, 0.5, 3.0, -2.0, 1.0, 0.25]
WEIGHT = [2.0, 1.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0]


@pytest.fixture(autouse=True)
def digits() -> Any:
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 50, 10**6, -(10**6)
        yield


def mean_of(x: Sequence[Decimal]) -> Decimal:
    return sum(x, Decimal(0)) / len(x)


def standardized(x: Any, eps: float, centered: bool) -> tuple[list[Decimal], Decimal]:
    """(x - mean) / sqrt(var + eps), or x / sqrt(mean(x^2) + eps), and what it is divided by."""
    values = [Decimal(value) for value in x.detach().double().reshape(-1).tolist()]
    mean = mean_of(values) if centered else Decimal(0)
    away = [value - mean for value in values]
    scale = (mean_of([a * a for a in away]) + Decimal(eps)).sqrt()
    return [a / scale for a in away], scale


def gradient(
    units: Sequence[Decimal], scale: Decimal, weight: Sequence[float], centered: bool
) -> tuple[list[float], list[float]]:
    """Those of x and of the weight."""
    inner = [Decimal(g) * Decimal(w) for g, w in zip(GRAD, weight, strict=True)]
    moment = mean_of([g * u for g, u in zip(inner, units, strict=True)])
    center = mean_of(inner) if centered else Decimal(0)
    of_x = [float((g - center - u * moment) / scale) for g, u in zip(inner, units, strict=True)]
    return of_x, [float(Decimal(g) * u) for g, u in zip(GRAD, units, strict=True)]


def check(found: Any, right: Sequence[float], tolerance: float, dtype: Any) -> None:
    expected = np.array(right)
    smallest = {sg.float16: 1e-7}.get(dtype, 0.0)
    got = np.array(found.detach().double().reshape(-1).tolist())
    np.testing.assert_allclose(got, expected, 0, tolerance * np.abs(expected).max() + smallest)


LAYOUTS: dict[str, tuple[tuple[int, ...], Callable[..., Any]]] = {
    "layer": ((1, 8), lambda x, eps: F.layer_norm(x, (8,), None, None, eps)),
    "group": ((1, 4, 2), lambda x, eps: F.group_norm(x, 1, eps=eps)),
    "instance": ((1, 1, 8), lambda x, eps: F.instance_norm(x, eps=eps)),
    "batch, columns": ((8, 1), lambda x, eps: F.batch_norm(x, None, None, training=True, eps=eps)),
    "batch, segments": ((2, 1, 2, 2), lambda x, eps: F.batch_norm(x, None, None, training=True, eps=eps)),
    "rms": ((1, 8), lambda x, eps: F.rms_norm(x, (8,), None, eps)),
}


@pytest.mark.parametrize("eps", [1e-5, 0.0])
@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(("dtype", "scale", "tolerance"), CASES, ids=str)
def test_values_and_gradients(dtype: Any, scale: float, tolerance: float, name: str, eps: float) -> None:
    """What is scaled to the variance 1 does not depend on the scale, its gradient only by 1 / scale."""
    shape, function = LAYOUTS[name]
    x = sg.tensor(np.array(ROW).reshape(shape) * scale).to(dtype).requires_grad_()
    units, divisor = standardized(x, eps, name != "rms")
    result = function(x, eps)
    check(result, [float(u) for u in units], tolerance, dtype)
    (grad,) = sg.autograd.grad(result, x, sg.tensor(GRAD, dtype=dtype).reshape(shape))
    check(grad, gradient(units, divisor, [1.0] * 8, name != "rms")[0], tolerance, dtype)


@pytest.mark.parametrize("name", ["layer", "rms"])
@pytest.mark.parametrize(("dtype", "scale"), [(sg.float32, 1e25), (sg.float64, 1e200), (sg.bfloat16, 1e25)], ids=str)
def test_one_row_beside_ordinary_ones(dtype: Any, scale: float, name: str) -> None:
    """The gradient of the weight adds up those of all rows; the other rows' gradients are as they were."""
    tolerance = {sg.float32: 1e-5, sg.float64: 1e-12, sg.bfloat16: 5e-2}[dtype]
    x = sg.tensor([ROW, [value * scale for value in ROW], ROW[::-1]], dtype=sg.float64).to(dtype).requires_grad_()
    weight = sg.tensor(WEIGHT, dtype=dtype, requires_grad=True)
    result = F.layer_norm(x, (8,), weight) if name == "layer" else F.rms_norm(x, (8,), weight, 1e-5)
    of_x, of_weight = sg.autograd.grad(result, (x, weight), sg.tensor([GRAD] * 3, dtype=dtype))
    total = np.zeros(8)
    for k in range(3):
        units, divisor = standardized(x[k], 1e-5, name == "layer")
        right, share = gradient(units, divisor, WEIGHT, name == "layer")
        check(of_x[k], right, tolerance, dtype)
        total += share
    check(of_weight, list(total), tolerance, dtype)
