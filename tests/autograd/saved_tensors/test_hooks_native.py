"""While hooks on saved tensors are in force ops still run natively, and what their nodes keep is packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.autograd.saved_tensors import Packed

VALUES = np.array([0.5, -1.5, 2.0])


def _loss(x: Any, weight: Any) -> Any:
    return (sg.tanh(x @ weight) * x).t().sum()


def test_all_that_nodes_keep_is_packed() -> None:
    """Each tensor once, in every pass, and backward gets back what the hook gives."""
    x = sg.tensor(VALUES[None] * np.ones((3, 1)), requires_grad=True)
    weight = sg.tensor(np.cos(np.arange(9.0)).reshape(3, 3), requires_grad=True)
    _loss(x, weight).backward()
    expected, x.grad = x.grad, None
    counts = []
    for _ in range(3):
        packed: list[Any] = []
        with sg.autograd.graph.saved_tensors_hooks(
            lambda t, retained=packed: retained.append(t.clone()) or len(retained) - 1, packed.__getitem__
        ):
            loss = _loss(x, weight)
        counts.append(len(packed))
        loss.backward()
        np.testing.assert_array_equal(x.grad.numpy(), expected.numpy())
        x.grad = None
    assert counts == [5, 5, 5]  # both factors of the product, tanh's result, both factors again


def test_kept_values_are_packed_ones() -> None:
    """Of an op that native code runs."""
    x = sg.tensor(VALUES, requires_grad=True)
    x.exp()
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * x
    assert type(y.grad_fn.kept_self) is Packed
    assert type((x * x).grad_fn.kept_self) is not Packed


def test_an_error_of_a_hook_comes_out_of_the_op() -> None:
    """And the next op is as usual."""

    def refuse(tensor: Any) -> None:
        raise ValueError("no room")

    x = sg.tensor(VALUES, requires_grad=True)
    _ = x * x
    with sg.autograd.graph.saved_tensors_hooks(refuse, refuse):
        for _ in range(2):
            with pytest.raises(ValueError, match="no room"):
                _ = x * x
        assert (x + x).requires_grad  # keeps nothing
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * VALUES)


def test_writes_are_noticed() -> None:
    """What was packed as it is, and written to, is an error of backward only where the hook gives it as it was."""
    x = sg.tensor(VALUES, requires_grad=True)
    y = x * 1
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        z = y * y
    with sg.no_grad():
        y.mul_(0)
    z.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * VALUES)
