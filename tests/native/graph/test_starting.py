"""A backward pass from one number that native code begins: the same gradients, modes and errors as Python's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.autograd import engine
from specgrad.runtime.thread_state import mode

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
    monkeypatch.setattr(engine, "run", None)
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


def test_gradients_that_are_asked_for() -> None:
    """Of leaves and of what lies between, recorded or not, without those of others."""
    x, z = _leaf(), _leaf()
    for create in (False, True):
        y = x * z
        loss = (y * y * y).sum()
        gx, gy = sg.autograd.grad(loss, (x, y), create_graph=create)
        np.testing.assert_allclose(gy.detach().numpy(), 3 * VALUES**4, rtol=1e-14)
        np.testing.assert_allclose(gx.detach().numpy(), 3 * VALUES**5, rtol=1e-14)
        assert gx.requires_grad is create and x.grad is None and z.grad is None
        assert mode.captures == mode.depth == 0 and sg.is_grad_enabled()
    (second,) = sg.autograd.grad(gx.sum(), x)
    np.testing.assert_allclose(second.numpy(), 6 * VALUES**4, rtol=1e-14)
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        sg.autograd.grad((x * x).sum(), z)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.float16])
def test_gradients_that_meet_are_added(dtype: Any) -> None:
    """Those for one node, in its dtype, without a trace in either of them."""
    x = _leaf(dtype)
    for _ in range(3):
        x.grad = None
        y = x * 2
        retained = y * y
        retained.retain_grad()
        (retained + y * 3 + y.exp()).sum().backward()
        assert retained.grad.double().numpy().tolist() == [1.0, 1.0, 1.0]
        expected = 2 * (4 * VALUES + 3 + np.exp(2 * VALUES))
        tolerance = {sg.float64: 1e-14, sg.float32: 1e-6, sg.float16: 4e-3, sg.bfloat16: 3e-2}[dtype]
        np.testing.assert_allclose(x.grad.double().numpy(), expected, rtol=tolerance, atol=tolerance)
