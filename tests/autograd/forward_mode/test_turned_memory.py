"""Forward mode over reverse mode for tensors whose dimensions lie in memory in another order: closed forms in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.func import grad, jvp

RNG = np.random.default_rng(5)
NUMBERS, DIRECTION = RNG.standard_normal((2, 1, 3)), RNG.standard_normal((2, 1, 3))


def changed(x: Any, change: Callable[[Any], Any]) -> Any:
    """A copy that lies in memory as x does, changed in place."""
    y = x.clone()
    change(y)
    return y


# A function, and the second derivative of the sum of its results along a direction.
CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    "sine": (lambda x: x.sin(), lambda x, v: -np.sin(x) * v),
    "cube of a copy": (lambda x: x.clone() ** 3, lambda x, v: 6 * x * v),
    "written whole": (lambda x: changed(x, lambda y: y.mul_(x)) ** 2, lambda x, v: 12 * x**2 * v),
    "a row written": (
        lambda x: changed(x, lambda y: y.select(0, 0).copy_(x.select(0, 0) ** 2)) ** 2,
        lambda x, v: np.concatenate([12 * x[:1] ** 2, np.full_like(x[1:], 2.0)]) * v,
    ),
}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str, order: tuple[int, ...]) -> None:
    """What a node has saved of its input keeps the input's tangents, and a view's tangent is a view of the whole's."""
    function, expected = CASES[name]
    x = sg.tensor(np.ascontiguousarray(NUMBERS.transpose(order))).permute(*np.argsort(order).tolist())
    _, found = jvp(grad(lambda x: function(x).sum()), (x,), (sg.tensor(DIRECTION),))
    np.testing.assert_allclose(found.numpy(), expected(NUMBERS, DIRECTION), rtol=1e-12)
