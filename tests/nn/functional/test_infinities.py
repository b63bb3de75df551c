"""Layers that select: what is dropped, or of weight 0, is 0, whatever it was."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg

F = sg.nn.functional
INF = math.inf
DROPOUTS = {
    "dropout": (F.dropout, (40, 8, 4)),
    "dropout1d": (F.dropout1d, (40, 8, 4)),
    "dropout2d": (F.dropout2d, (40, 8, 2, 2)),
    "dropout3d": (F.dropout3d, (40, 8, 1, 2, 2)),
}


@pytest.mark.parametrize("inplace", [False, True])
@pytest.mark.parametrize("value", [INF, -INF, math.nan])
@pytest.mark.parametrize("name", DROPOUTS)
def test_what_is_dropped_is_zero(name: str, value: float, inplace: bool) -> None:
    """Of infinities and nan too, and so are gradients; with p = 1 all is."""
    function, shape = DROPOUTS[name]
    sg.manual_seed(0)
    result = function(sg.full(shape, value), 0.5, True, inplace)
    assert 0.3 < (result == 0).double().mean().item() < 0.7
    assert (function(sg.full(shape, value), 1.0, True, inplace) == 0).all()
    for p, retained in ((0.5, 2.0), (1.0, 0.0)):
        x = sg.ones(shape, requires_grad=True)
        result = function(x, p, True)
        (grad,) = sg.autograd.grad(result.sum(), x)
        assert (grad == sg.where(result == 0, 0.0, retained)).all()
        (grad,) = sg.autograd.grad(function(x, p, True), x, sg.full(shape, value))
        assert ((grad == 0).double().mean() > 0.3).item()


def test_dropout_under_other_names() -> None:
    """torch.dropout and its like select, too."""
    sg.manual_seed(0)
    x = sg.full((40, 8, 4), INF)
    for function in (sg.dropout, sg.feature_dropout, lambda *args: sg.native_dropout(*args)[0]):
        assert 0.3 < (function(x, 0.5, True) == 0).double().mean().item() < 0.7
    assert not sg.feature_dropout_(x, 0.5, True).isnan().any()


@pytest.mark.parametrize("function", [F.alpha_dropout, F.feature_alpha_dropout])
def test_alpha_dropout_of_infinities(function: Any) -> None:
    """What is dropped is a finite constant."""
    sg.manual_seed(0)
    assert 0.3 < function(sg.full((40, 8, 4), INF), 0.5, True).isfinite().double().mean().item() < 0.7
    assert (function(sg.full((40, 8, 4), INF), 1.0, True) == 0).all()


@pytest.mark.parametrize("p", [2, 3, 4.0])
def test_lp_pooling_of_zeros_has_gradient_zero(p: float) -> None:
    """A window of zeros has the value 0 with gradient 0, and so has its gradient; other windows are as they were."""
    x = sg.tensor([[[0.0, 0.0, 3.0, 4.0]]], dtype=sg.float64, requires_grad=True)
    result = F.lp_pool1d(x, p, 2)
    norm = (3**p + 4**p) ** (1 / p)
    np.testing.assert_allclose(result.tolist(), [[[0, norm]]])
    (grad,) = sg.autograd.grad(result.sum(), x, create_graph=True)
    np.testing.assert_allclose(grad.tolist(), [[[0, 0, (3 / norm) ** (p - 1), (4 / norm) ** (p - 1)]]])
    assert sg.autograd.grad(grad.sum(), x)[0].isfinite().all()


def test_gumbel_softmax_of_masked_classes() -> None:
    """A class of logit -inf is never chosen."""
    sg.manual_seed(0)
    x = sg.tensor([[-INF, 0.0, 0.0]] * 50, requires_grad=True)
    chosen = F.gumbel_softmax(x, hard=True)
    assert not chosen[:, 0].any()
    assert sg.autograd.grad((chosen * sg.tensor([1.0, 2.0, 3.0])).sum(), x)[0].isfinite().all()


ROWS = [[math.inf, 0.0, 1.0], [-math.inf, 2.0, math.inf], [math.inf, 1.0, math.inf], [0.5, -math.inf, 2.0]]


def shares(row: Any) -> np.ndarray:
    """The softmax; beside infinities its limit, where they grow alike."""
    with np.errstate(invalid="ignore"):
        difference = np.where(np.array(row) == math.inf, 0.0, np.array(row) - max(row))
    powers = np.exp(difference)
    return powers / powers.sum()


@pytest.mark.parametrize("dtype", [sg.float16, sg.float32, sg.float64])
@pytest.mark.parametrize("dim", [0, 1])
def test_shares_beside_infinity(dim: int, dtype: Any) -> None:
    """An infinite score has all of softmax and of the gradient of logsumexp; none has a gradient through softmax."""
    expected = np.array([shares(row) for row in ROWS])
    x = sg.tensor(ROWS if dim else np.array(ROWS).T.tolist(), dtype=dtype, requires_grad=True)
    tolerance = {"rtol": 2e-3} if dtype is sg.float16 else {"rtol": 1e-6}

    def rows(t: Any) -> np.ndarray:
        return (t if dim else t.t()).detach().double().numpy()

    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(rows(x.log_softmax(dim)), np.log(expected), **tolerance)
    np.testing.assert_allclose(rows(x.softmax(dim)), expected, **tolerance)
    (share,) = sg.autograd.grad(x.logsumexp(dim).sum(), x, create_graph=True)
    np.testing.assert_allclose(rows(share), expected, **tolerance)
    assert rows(sg.autograd.grad(share[0].sum() + share[1].sum(), x)[0])[:2].tolist() == [[0.0] * 3] * 2
    for function in (sg.logsumexp, lambda t, dim: t.logcumsumexp(dim).select(dim, -1)):
        tangent = sg.func.jvp(lambda t, f=function: f(t, dim), (x.detach(),), (sg.ones_like(x),))[1]
        np.testing.assert_allclose(tangent.double().numpy(), 1.0, **tolerance)
        (gradient,) = sg.autograd.grad(function(x, dim).sum(), x)
        np.testing.assert_allclose(rows(gradient), expected, **tolerance)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 0.0]])
@pytest.mark.parametrize("positions", [1, 5])
def test_cross_entropy_beside_infinity(positions: int, weight: Any, smoothing: float) -> None:
    """The likelihood of an infinite score is 1, of others 0; classes of weight 0 do not count."""
    weights = np.array(weight or [1.0] * 3)
    for row, target in itertools.product([ROWS[0], ROWS[1], ROWS[3]], range(3)):
        chances, truth = shares(row), smoothing / 3 * weights
        truth[target] += (1 - smoothing) * weights[target]
        loss = sum(-t * math.log(p) if p else math.inf for t, p in zip(truth, chances, strict=True) if t)
        x = sg.tensor(row).reshape(1, 3, 1).repeat(1, 1, positions).squeeze(-1).requires_grad_()
        y = sg.nn.functional.cross_entropy(
            x,
            sg.full((1, positions), target).squeeze(-1),
            weight=None if weight is None else sg.tensor(weight),
            reduction="none",
            label_smoothing=smoothing,
        )
        y.sum().backward()
        np.testing.assert_allclose(y.detach().numpy().ravel(), [loss] * positions, rtol=1e-5)
        gradient = np.repeat((chances * truth.sum() - truth)[None, :, None], positions, 2).reshape(x.shape)
        np.testing.assert_allclose(x.grad.numpy(), gradient, rtol=1e-5, atol=1e-7)


def test_divergence_of_log_targets_far_out() -> None:
    """e^t (t - x) is finite where e^t alone underflows, and infinite where x is."""
    for x, t in ((-1e30, -110.0), (-1e30, -150.0), (-2.0, -1.0)):
        rise = sg.tensor(t, requires_grad=True)
        loss = sg.nn.functional.kl_div(sg.tensor(x), rise, reduction="sum", log_target=True)
        loss.backward()
        assert loss.item() == pytest.approx(math.exp(t) * (t - x), rel=1e-5, abs=0)
        assert rise.grad.item() == pytest.approx(math.exp(t) * (t - x + 1), rel=1e-5, abs=0)
    for x, t, right in ((-math.inf, -800.0, math.inf), (-math.inf, -math.inf, 0.0), (1.0, -math.inf, 0.0)):
        assert sg.nn.functional.kl_div(sg.tensor(x), sg.tensor(t), reduction="sum", log_target=True).item() == right
