"""Modules as functions of their tensors, as `functorch` has them."""

from typing import Any

import pytest

import specgrad as sg
from specgrad import functorch


def _model() -> Any:
    return sg.nn.Sequential(sg.nn.Linear(3, 4), sg.nn.BatchNorm1d(4), sg.nn.Linear(4, 2)).eval()


def test_make_functional() -> None:
    """The function of a module's own tensors gives what the module gives; of others, what a module with these gives."""
    model, x = _model(), sg.randn(5, 3)
    func, params, buffers = functorch.make_functional_with_buffers(model)
    assert sg.equal(func(params, buffers, x), model(x)) and all(p.requires_grad for p in params)
    assert all(p is not q for p, q in zip(params, model.parameters(), strict=True))
    with pytest.raises(RuntimeError, match="has buffers"):
        functorch.make_functional(model)
    linear = sg.nn.Linear(3, 2)
    plain, weights = functorch.make_functional(linear, disable_autograd_tracking=True)
    assert sg.equal(plain(weights, x), linear(x)) and not any(p.requires_grad for p in weights)


def test_gradients_by_sample() -> None:
    """The sum of gradients by sample is the gradient of the sum."""
    linear, x = sg.nn.Linear(3, 2), sg.randn(5, 3)
    func, params = functorch.make_functional(linear)
    per_sample = functorch.vmap(functorch.grad(lambda p, row: func(p, row).square().sum()), (None, 0))(params, x)
    linear(x).square().sum().backward()
    for each, parameter in zip(per_sample, linear.parameters(), strict=True):
        assert sg.allclose(each.sum(0), parameter.grad, atol=1e-5)


def test_ensembles() -> None:
    """An ensemble under vmap gives each model's outputs; models must be alike."""
    models, x = [_model() for _ in range(3)], sg.randn(5, 3)
    func, params, buffers = functorch.combine_state_for_ensemble(models)
    outputs = functorch.vmap(func, in_dims=(0, 0, None))(params, buffers, x)
    assert sg.allclose(outputs, sg.stack([model(x) for model in models]), atol=1e-6)
    with pytest.raises(RuntimeError, match="same training"):
        functorch.combine_state_for_ensemble([models[0], _model().train()])
    with pytest.raises(RuntimeError, match="at least one"):
        functorch.combine_state_for_ensemble([])


def test_batch_norms_without_estimates() -> None:
    """What keeps no estimates normalises by the batch, and can be called under vmap while training."""
    model = functorch.replace_all_batch_norm_modules_(_model().train())
    x = sg.randn(4, 6, 3)
    outputs = functorch.vmap(model)(x)
    assert sg.allclose(outputs, sg.stack([model(batch) for batch in x]), atol=1e-5)
    assert sg.func.functionalize(model) is model
    with pytest.raises(RuntimeError, match="invalid argument"):
        sg.func.functionalize(model, remove="all")
