"""Ops that have no gradient: their results are in the graph, and only who asks for the gradient gets an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg

OPS: dict[str, Callable[[sg.Tensor], sg.Tensor]] = {
    "heaviside": lambda x: sg.heaviside(x, sg.ones(2)),
    "nextafter": lambda x: sg.nextafter(x, sg.zeros(2)),
    "heaviside_": lambda x: (x * 1).heaviside_(sg.ones(2)),
    "nextafter_": lambda x: (x * 1)[:1].nextafter_(sg.zeros(1)),
    "ldl_packed": lambda x: sg.linalg.ldl_factor(sg.diag(x)).LD,
    "ldl_solve_matrices": lambda x: sg.linalg.ldl_solve(sg.eye(2), sg.tensor([1, 2], dtype=sg.int32), x.unsqueeze(-1)),
}


@pytest.mark.parametrize("name", OPS)
def test_gradients_are_refused_when_asked_for(name: str) -> None:
    """The op computes; backward through it is an error that names it; what does not lead through it has gradients."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    result = OPS[name](x)
    assert result.requires_grad and result.grad_fn is not None
    with pytest.raises(RuntimeError, match=rf"{name}\(\): the derivative is not implemented: "):
        result.sum().backward()
    assert sg.autograd.grad((OPS[name](x).detach() * x).sum(), x)[0].shape == (2,)
    with sg.no_grad():
        assert not OPS[name](x).requires_grad


def test_forward_mode_is_refused_at_once() -> None:
    """A tangent has nowhere to wait."""
    step: Any = OPS["heaviside"]
    with pytest.raises(RuntimeError, match=r"heaviside\(\): the derivative is not implemented: the step"):
        sg.func.jvp(step, (sg.ones(2),), (sg.ones(2),))
