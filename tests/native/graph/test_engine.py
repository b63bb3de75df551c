"""Native code goes through whole graphs: nodes with several outputs, branches, leaves that are reached many times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.nodes import arithmetic, recurrent
from specgrad.runtime.native.check_mode import native_alone

STEPS, BATCH, SIZE = 5, 3, 4
CELLS = {
    "RNNCell": recurrent.RnnLayerBackward0,
    "LSTMCell": recurrent.LstmLayerBackward0,
    "GRUCell": recurrent.GruLayerBackward0,
}


def no_python(*_: Any) -> Any:
    raise AssertionError("a node came to Python")


@pytest.mark.parametrize("name", CELLS)
def test_steps_of_a_cell_do_not_come_to_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the first pass has found the plans; both passes give the same gradients."""
    cell = getattr(sg.nn, name)(SIZE, SIZE).double()
    inputs = sg.randn(STEPS, BATCH, SIZE, dtype=sg.float64)

    def gradients() -> list[np.ndarray]:
        cell.zero_grad()
        first = sg.zeros(BATCH, SIZE, dtype=sg.float64)
        state: Any = (first, first) if name == "LSTMCell" else first
        for x in inputs:
            state = cell(x, state)
        (sum(part.sin().sum() for part in state) if name == "LSTMCell" else state.sin().sum()).backward()
        return [p.grad.numpy().copy() for p in cell.parameters()]

    with native_alone():
        for _ in range(2):
            expected = gradients()
        monkeypatch.setattr(CELLS[name], "apply", no_python)
        found = gradients()
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_branches_do_not_come_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that wait for another branch are taken from the heap in native code."""
    x = sg.randn(SIZE, dtype=sg.float64, requires_grad=True)

    def gradient() -> np.ndarray:
        x.grad = None
        y = x.sin()
        (y.exp() * y.cos() + y.tanh() * y).sum().backward()
        return x.grad.numpy().copy()

    with native_alone():
        gradient()
        monkeypatch.setattr(arithmetic.MulBackward0, "apply", no_python)
        found = gradient()
    s, c = np.sin(x.detach().numpy()), np.cos(x.detach().numpy())
    derivative = np.exp(s) * (np.cos(s) - np.sin(s)) + np.tanh(s) + s / np.cosh(s) ** 2
    np.testing.assert_allclose(found, derivative * c, rtol=1e-12)


def test_a_sum_at_a_leaf_counts_writes() -> None:
    """What is added to `.grad` in place is a write by "backward", and goes to the tensor that somebody may hold."""
    x = sg.ones(SIZE, requires_grad=True)
    (x * 2).sum().backward()
    held = x.grad
    (x * 3).sum().backward()
    assert x.grad is held
    np.testing.assert_array_equal(held.numpy(), np.full(SIZE, 5.0, np.float32))
    assert held._version == 1


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64])
def test_a_leaf_with_a_gradient_of_another_shape_or_dtype(dtype: Any) -> None:
    """Such a sum is for the general path."""
    x = sg.ones(SIZE, dtype=sg.float32, requires_grad=True)
    x.grad = sg.ones(SIZE)
    (x.to(dtype) * sg.arange(SIZE, dtype=dtype)).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 1 + np.arange(SIZE, dtype=np.float32))
