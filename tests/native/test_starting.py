"""A backward pass from one number that native code begins: the same gradients, modes and errors as Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.autograd.engine import run
from specgrad.runtime.modes.thread_state import mode

VALUES = np.array([0.5, -1.5, 2.0])


def _leaf(dtype: Any = sg.float64) -> Any:
    return sg.tensor(VALUES, dtype=dtype).requires_grad_()


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.float16])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_the_first_gradient_is_one(dtype: Any, shape: tuple[int, ...]) -> None:
    """In the dtype of the loss, and in its shape."""
    x = _leaf(dtype)
    for _ in range(2):
        x.grad = None
        (x * x).sum().reshape(shape).backward()
        np.testing.assert_array_equal(x.grad.double().numpy(), 2 * VALUES)


def test_python_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once native code is there; what it leaves to Python is still run by it."""

    class Doubled(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            assert not sg.is_grad_enabled() and mode.depth == 1
            return 2 * grad

    x = _leaf()
    x.sum().backward()
    monkeypatch.setattr(run, "run", None)
    x.grad = None
    Doubled.apply(x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 4 * VALUES)


def test_an_error_leaves_the_mode_as_it_was() -> None:
    """Whether a node raises or a hook does."""

    def refuse(grad: Any) -> None:
        raise ValueError("not today")

    x = _leaf()
    y = x * x
    y.register_hook(refuse)
    for _ in range(2):
        with pytest.raises(ValueError, match="not today"):
            y.sum().backward()
        assert sg.is_grad_enabled() and mode.depth == 0 and x.grad is None
    with sg.no_grad(), pytest.raises(RuntimeError, match="does not require grad"):
        (x * x).sum().backward()


def test_graphs_are_released_or_retained() -> None:
    """As `retain_graph` says."""
    x = _leaf()
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 4 * VALUES)
    with pytest.raises(RuntimeError, match="a second time"):
        loss.backward()


def test_passes_within_passes() -> None:
    """A hook runs a pass of its own, under the mode that it had."""
    x, z = _leaf(), _leaf()
    depths = []

    def inner(grad: Any) -> None:
        with sg.enable_grad():
            (z * z).sum().backward()
        depths.append(mode.depth)

    y = x * x
    y.register_hook(inner)
    y.sum().backward()
    assert depths == [1] and mode.depth == 0
    np.testing.assert_array_equal(z.grad.numpy(), 2 * VALUES)
    np.testing.assert_array_equal(x.grad.numpy(), 2 * VALUES)


def test_leaves_and_numbers_without_graph() -> None:
    """A leaf is its own gradient's place; what needs no gradient is an error; more than one element is too."""
    one = sg.tensor(3.0, requires_grad=True)
    one.backward()
    assert one.grad.item() == 1.0
    with pytest.raises(RuntimeError, match="does not require grad"):
        sg.tensor(3.0).backward()
    with pytest.raises(RuntimeError, match="scalar outputs"):
        (_leaf() * 2).backward()
