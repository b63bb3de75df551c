"""Forward mode through backward: the tangent of a gradient is a Hessian-vector product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd import forward_ad

F = sg.nn.functional


def with_element(x: Any) -> Any:
    """x after a write of a constant, and one through a view."""
    x[0, 1] = 0.7
    x[1:].mul_(x[0].clone())
    return x


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda x: x.exp().sum(),
    "fused with a saved output": lambda x: (x.tanh() * x.sigmoid()).sum(),
    "softmax saves its output": lambda x: (F.softmax(x, 1) * F.softmax(x, 1)).sum(),
    "log_softmax": lambda x: (F.log_softmax(x, 1) ** 2).sum(),
    "matmul": lambda x: (x @ x.t()).tanh().sum(),
    "views": lambda x: (x[0] * x.reshape(-1)[1:4] * x.t()[:, 1]).sum(),
    "layer_norm": lambda x: (F.layer_norm(x, (3,)) ** 3).sum(),
    "a product in place": lambda x: (x * 1).mul_(x).mul_(x).exp().sum(),
    "an element in place": lambda x: with_element(x.clone()).std() * x.sum(),
    "a view in place": lambda x: (x * 1).view(-1)[1:].mul_(x.sum()).norm() + with_element(x * 1).logsumexp(1).sum(),
    "reductions": lambda x: x.logsumexp(1).sum() * x.var() + x.prod(0).sum(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tangent_of_the_gradient_is_the_hessian_times_the_direction(name: str) -> None:
    """Compared with central differences of the gradient along the direction."""
    rng = np.random.default_rng(3)
    values, direction = rng.uniform(0.3, 1.5, (2, 3)), rng.standard_normal((2, 3))
    with forward_ad.dual_level():
        x = forward_ad.make_dual(sg.tensor(values), sg.tensor(direction)).requires_grad_()
        (gradient,) = sg.autograd.grad(FUNCTIONS[name](x), x)
        tangent = forward_ad.unpack_dual(gradient).tangent
    assert tangent is not None
    step = 1e-5
    derivative = (gradient_at(name, values + step * direction) - gradient_at(name, values - step * direction)) / (
        2 * step
    )
    np.testing.assert_allclose(tangent.numpy(), derivative, rtol=1e-6, atol=1e-8)


def gradient_at(name: str, values: np.ndarray) -> np.ndarray:
    """The gradient of a function, by backward alone."""
    x = sg.tensor(values, requires_grad=True)
    return sg.autograd.grad(FUNCTIONS[name](x), x)[0].numpy()
