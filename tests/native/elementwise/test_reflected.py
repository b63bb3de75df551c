"""A number in front of a tensor, divided by it: as NumPy computes it, in the tensor's dtype.

Each call is made thrice: before and after its rows have been found.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)
OPERATORS = {"/": operator.truediv, "//": operator.floordiv, "%": operator.mod}
NUMBERS = [5.0, 1, -3, 0.0, -0.0, 0, 2**40, True, np.inf, -np.inf, np.nan, 1e300, 2**80]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "steps": lambda x: x[:, ::2],
    "empty": lambda x: x[:0],
    "no dimensions": lambda x: x[1, 2],
}


@pytest.mark.parametrize("number", NUMBERS, ids=str)
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("symbol", OPERATORS)
def test_values(symbol: str, how: str, number: Any) -> None:
    """Zeros keep their signs; a number that the dtype has not is refused."""
    apply, x = OPERATORS[symbol], rng.uniform(-4, 4, (4, 6))
    x[1, 2], x[0, 0], x[2, 3] = 2.0, 0.0, -0.0
    for dtype, own in ((sg.float32, np.float32), (sg.float64, np.float64)):
        given = VIEWS[how](sg.tensor(x).to(dtype))
        if dtype is sg.float32 and number == 1e300:
            with pytest.raises(RuntimeError, match="overflow"):
                apply(number, given)
            continue
        with np.errstate(all="ignore"):
            expected = apply(own(number), given.numpy())
            if symbol == "//":  # NumPy gives nan for what is divided by 0
                expected = np.where(given.numpy() == 0, own(number) / given.numpy(), expected)
        for _ in range(3):
            found = apply(number, given)
            assert found.dtype is dtype and found.shape == given.shape
            np.testing.assert_allclose(found.numpy(), expected, rtol=2e-6)
            np.testing.assert_array_equal(np.signbit(found.numpy()), np.signbit(expected)) if symbol == "/" else None


@pytest.mark.parametrize("symbol", OPERATORS)
def test_other_dtypes(symbol: str) -> None:
    """Integers, halves, bools and complex numbers are promoted as ever."""
    apply = OPERATORS[symbol]
    for _ in range(3):
        assert apply(5, sg.tensor([2, 3])).tolist() == pytest.approx([apply(5, 2), apply(5, 3)])
        assert apply(5.5, sg.tensor([2, 3])).dtype is sg.float32
        assert apply(5.0, sg.ones(2, dtype=sg.bfloat16)).dtype is sg.bfloat16
        assert apply(5, sg.ones(2, dtype=sg.int8)).dtype is (sg.float32 if symbol == "/" else sg.int8)
    assert (5 / sg.tensor([2j])).tolist() == [-2.5j]
    with pytest.raises(TypeError):
        apply([5], sg.ones(2))


def test_gradients() -> None:
    """The number has none; those of the tensor are differentiable."""
    x = sg.tensor(rng.uniform(1, 4, (3, 5)), requires_grad=True)
    for _ in range(3):
        x.grad = None
        (6.0 / x).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), -6 / x.detach().numpy() ** 2)
        x.grad = None
        (7.5 % x).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), -np.floor(7.5 / x.detach().numpy()))
    assert sg.autograd.gradcheck(lambda y: 6 / y, (x,)) and sg.autograd.gradgradcheck(lambda y: 6 / y, (x,))
    _, tangent = sg.func.jvp(lambda y: 6 / y, (x.detach(),), (sg.ones_like(x),))
    np.testing.assert_allclose(tangent.numpy(), -6 / x.detach().numpy() ** 2)
    batch = sg.vmap(lambda y: 6 / y)(x.detach())
    np.testing.assert_allclose(batch.numpy(), 6 / x.detach().numpy())
