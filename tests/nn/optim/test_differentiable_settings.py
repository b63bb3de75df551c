"""Gradients flow through steps to all hyperparameters that are tensors, as central differences say."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

GRADIENTS = ([0.5, -0.5], [0.1, 0.3], [0.7, 0.2])
START = [0.1, 0.9, 0.99, 0.1, 1.0, 2.0]  # lr, betas, weight decay, parameters


def steps(name: str, options: dict[str, Any], settings: Any, differentiable: bool) -> Any:
    """A weighted sum of the parameters after three steps."""
    lr, beta1, beta2, decay = (settings[i] if differentiable else settings[i].item() for i in range(4))
    param = settings[4:].clone() if differentiable else settings[4:].clone().requires_grad_()
    named = {"lr": lr, "betas": (beta1, beta2), "weight_decay": decay, "differentiable": differentiable}
    optimizer = getattr(sg.optim, name)([param], **named, **options)
    for gradient in GRADIENTS:
        param.grad = sg.tensor(gradient, dtype=sg.float64)
        optimizer.step()
    return (param * sg.tensor([1.0, 2.0], dtype=sg.float64)).sum()


@pytest.mark.cpu("the rule in tensor operations")
@pytest.mark.parametrize(
    ("name", "options"),
    [("Adam", {}), ("Adam", {"amsgrad": True}), ("AdamW", {}), ("AdamW", {"amsgrad": True}), ("NAdam", {})],
)
def test_hyperparameters_have_gradients(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The step size, both betas, the weight decay, and the parameters before."""
    monkeypatch.setattr("specgrad.nn.optim.rule.scalar_dtype", lambda group=None: sg.float64)  # of mu_product
    settings = sg.tensor(START, dtype=sg.float64, requires_grad=True)
    steps(name, options, settings, True).backward()
    for i, gradient in enumerate(settings.grad.tolist()):
        moved = [np.array(START) + side * 1e-6 * (np.arange(6) == i) for side in (1, -1)]
        above, below = (steps(name, options, sg.tensor(values), False).item() for values in moved)
        assert gradient == pytest.approx((above - below) / 2e-6, rel=1e-6, abs=1e-8), i
