"""Element-wise ops with an argument that is a whole number: native code takes it as it takes other numbers.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import specgrad as sg
from specgrad.runtime.dispatch.elementwise.general import elementwise_ops

rng = np.random.default_rng(0)
VIEWS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "steps": lambda x: x[:, ::2],
    "empty": lambda x: x[:0],
    "one number": lambda x: x[1, 2],
}
TOLERANCE = {sg.float64: 1e-12, sg.float32: 2e-6, sg.bfloat16: 2e-2}


@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_values(dtype: Any, how: str) -> None:
    x = VIEWS[how](sg.tensor(rng.uniform(0.5, 4, (4, 6))).to(dtype))
    given = x.double().numpy()
    for number in (0, 1, 3, np.int64(2)):
        for _ in range(2):
            found = sg.polygamma(number, x)
            assert found.dtype is dtype
            expected = special.polygamma(int(number), given)
            np.testing.assert_allclose(found.double().numpy(), expected, rtol=TOLERANCE[dtype])
    for number in (2, 0, -1):
        for _ in range(2):
            found = sg.round(x * 10, decimals=number)
            expected = np.round((x * 10).double().numpy(), number)
            np.testing.assert_allclose(found.double().numpy(), expected, rtol=TOLERANCE[dtype])


def test_written() -> None:
    x = sg.tensor(rng.uniform(0.5, 4, (3, 5)))
    expected, out = special.polygamma(1, x.numpy()), sg.empty(3, 5, dtype=sg.float64)
    for _ in range(2):
        assert sg.polygamma(1, x, out=out) is out
        np.testing.assert_allclose(out.numpy(), expected, rtol=1e-12)
        changed = x.clone()
        assert changed.polygamma_(1) is changed
        np.testing.assert_allclose(changed.numpy(), expected, rtol=1e-12)
        rounded = x.clone().round_(decimals=1)
        np.testing.assert_allclose(rounded.numpy(), np.round(x.numpy(), 1), rtol=1e-12)


def test_gradients() -> None:
    x = sg.tensor(rng.uniform(0.5, 4, (3, 5)), requires_grad=True)
    for _ in range(2):
        x.grad = None
        sg.polygamma(1, x).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), special.polygamma(2, x.detach().numpy()), rtol=1e-12)
        x.grad = None
        (sg.round(x, decimals=1) * 3).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), np.zeros((3, 5)))


def test_what_native_code_takes() -> None:
    x = sg.tensor(rng.uniform(0.5, 4, (3, 5)))
    sg.polygamma(1, x)
    sg.round(x, decimals=1)
    assert elementwise_ops["polygamma"].launch(x, 1) is not None
    assert elementwise_ops["round_decimals"].launch(x, 1) is not None


@pytest.mark.parametrize("number", [-1, np.int64(-1), True, 1.5, "1", None])
def test_refused(number: Any) -> None:
    """A wrong number is refused also where the right ones have been found."""
    x = sg.ones(3)
    for _ in range(2):
        sg.polygamma(1, x)
        with pytest.raises((RuntimeError, TypeError), match="polygamma"):
            sg.polygamma(number, x)
