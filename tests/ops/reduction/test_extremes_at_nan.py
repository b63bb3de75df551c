"""Gradients of extrema that are nan: shared by the elements that are nan, as PyTorch's max and min have it."""

import math
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg

CALLS: dict[str, Callable[[Any], Any]] = {
    "max": sg.max,
    "min": sg.min,
    "amax": lambda x: x.amax(),
    "amin": lambda x: x.amin(0),
    "columns": lambda x: sg.stack([x, x], 1).amax(0).mean(),
}


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.float16])
@pytest.mark.parametrize("name", CALLS)
def test_nan_shares_the_gradient(name: str, dtype: Any) -> None:
    """By the kernel, by the formula, and in forward mode."""
    x = sg.tensor([1.0, math.nan, 3.0, math.nan], dtype=dtype, requires_grad=True)
    expected = [0.0, 0.5, 0.0, 0.5]
    for create in (False, True):
        (gradient,) = sg.autograd.grad(CALLS[name](x), x, create_graph=create)
        assert gradient.tolist() == expected
    _, tangent = sg.func.jvp(CALLS[name], (x.detach(),), (sg.tensor([8.0, 2.0, 8.0, 4.0], dtype=dtype),))
    assert tangent.item() == 3.0


def test_power_at_poles() -> None:
    """Limits of the derivatives of 0^e and of x^0 by the exponent, and by a base that is nan."""
    zero, exponents = sg.zeros(4), sg.tensor([-1.0, 0.0, 0.5, 2.0], requires_grad=True)
    for power in (zero**exponents, 0.0**exponents):
        (slopes,) = sg.autograd.grad(power.sum(), exponents)
        assert slopes.tolist() == [-math.inf, 0.0, 0.0, 0.0]
    x, e = sg.tensor([math.nan, 2.0], requires_grad=True), sg.zeros(2, requires_grad=True)
    (first,) = sg.autograd.grad((x**e).sum(), x, create_graph=True)
    assert first.tolist() == [0.0, 0.0]
    assert sg.autograd.grad(first[1], e)[0].tolist() == [0.0, 0.5]  # x^(e - 1) (1 + e ln x)
