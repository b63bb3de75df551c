"""Gradients that are views of those that came: native code keeps their places, by layouts and what nodes keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.nodes import shape as nodes

CHAINS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "transpose": (lambda x: x.transpose(0, 2), lambda a: a.transpose(2, 1, 0)),
    "permute": (lambda x: x.permute(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    "view": (lambda x: x.view(6, 4), lambda a: a.reshape(6, 4)),
    "heads": (lambda x: x.view(2, 3, 2, 2).transpose(1, 2), lambda a: a.reshape(2, 3, 2, 2).swapaxes(1, 2)),
    "copied": (lambda x: x.transpose(0, 1).reshape(-1), lambda a: a.swapaxes(0, 1).reshape(-1)),
    "expanded": (lambda x: x.unsqueeze(1).expand(2, 5, 3, 4), lambda a: np.repeat(a[:, None], 5, 1)),
    "squeezed": (lambda x: x.unsqueeze(0).squeeze(0).flatten(1), lambda a: a.reshape(2, 12)),
}
VALUES = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("name", CHAINS)
def test_gradients(name: str) -> None:
    """Of a weighted sum: each weight goes back to where its element came from, in the first pass and in later ones."""
    view, numpy_view = CHAINS[name]
    weights = np.cos(np.arange(numpy_view(VALUES).size)).reshape(numpy_view(VALUES).shape)
    positions = numpy_view(np.arange(24).reshape(2, 3, 4))
    expected = np.bincount(positions.reshape(-1), weights.reshape(-1)).reshape(2, 3, 4)
    for layout in (weights, np.asfortranarray(weights)):
        x = sg.tensor(VALUES, requires_grad=True)
        given = sg.tensor(layout.T.copy()).permute(*range(weights.ndim)[::-1])
        for _ in range(3):
            x.grad = None
            view(x).backward(given)
            np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-15)


def test_nodes_do_not_come_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second pass on."""
    x = sg.tensor(VALUES, requires_grad=True)

    def gradient() -> Any:
        x.grad = None
        x.tanh().transpose(0, 1).reshape(6, 4).clone().t().sum().backward()
        return x.grad.numpy().copy()

    first = gradient()
    for name in ("TransposeBackward0", "ViewBackward0", "CloneBackward0", "TBackward0"):
        monkeypatch.setattr(getattr(nodes, name), "apply", None)
    np.testing.assert_array_equal(gradient(), first)


def test_recorded_passes() -> None:
    """Where gradients are differentiated in turn, their views are part of the graph."""
    x = sg.tensor(VALUES, requires_grad=True)
    for _ in range(2):
        y = (x**3).transpose(0, 1).reshape(-1).sum()
        y.backward(retain_graph=True)
        (g,) = sg.autograd.grad(y, x, create_graph=True)
        (h,) = sg.autograd.grad(g.sum(), x)
        np.testing.assert_allclose(h.numpy(), 6 * VALUES)


def test_gradients_of_another_dtype() -> None:
    """A gradient that has to be cast is no view."""
    x = sg.tensor(VALUES, dtype=sg.float32, requires_grad=True)
    for _ in range(2):
        x.grad = None
        x.view(6, 4).double().sum().backward()
        assert x.grad.dtype == sg.float32
        np.testing.assert_array_equal(x.grad.numpy(), np.ones((2, 3, 4)))
