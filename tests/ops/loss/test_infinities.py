"""Losses where a target, weight or probability of 0 meets an infinite logarithm: 0 log 0 is 0, as its limit is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import specgrad as sg

F = sg.nn.functional
INF, LOG2 = math.inf, math.log(2)
DTYPES = [sg.float16, sg.bfloat16, sg.float32, sg.float64]
TOLERANCE = {sg.float16: 2e-3, sg.bfloat16: 2e-2, sg.float32: 1e-6, sg.float64: 1e-12}


def leaf(values: Any, dtype: Any = sg.float64) -> Any:
    return sg.tensor(values, dtype=dtype, requires_grad=True)


def check(found: Any, right: Any) -> None:
    tolerance = TOLERANCE[found.dtype]
    np.testing.assert_allclose(found.detach().double().numpy(), right, tolerance, tolerance)


def grad(output: Any, x: Any) -> Any:
    return sg.autograd.grad(output.sum(), x, create_graph=True)[0]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_cross_entropy_of_masked_classes(dtype: Any) -> None:
    """A class of logit -inf and target 0 takes no part, in the loss, its gradient and that of the gradient."""
    x, target = leaf([[-INF, 0.0, 0.0], [LOG2, -INF, 0.0]], dtype), [[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]
    losses = F.cross_entropy(x, sg.tensor(target, dtype=dtype), reduction="none")
    check(losses, [LOG2, math.log(3) - LOG2 / 2])
    first = grad(losses, x)
    check(first, [[0, -0.5, 0.5], [1 / 6, 0, -1 / 6]])
    check(grad(first[0, 1], x)[0], [0, 0.25, -0.25])
    weight = sg.tensor([1.0, 2.0, 3.0], dtype=dtype)
    check(F.cross_entropy(x[:1], sg.tensor(target[:1], dtype=dtype), weight), 2 * LOG2)
    assert F.cross_entropy(x[:1], sg.tensor([[0.5, 0.5, 0.0]], dtype=dtype)).item() == INF


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 1)])
@pytest.mark.parametrize("loss", [F.cross_entropy, F.nll_loss])
def test_classes_of_weight_0(loss: Any, shape: tuple[int, ...]) -> None:
    """The infinite loss of a class of weight 0 is not counted."""
    rows = sg.tensor([[-INF, -LOG2, -LOG2], [-LOG2, -LOG2, -INF]], dtype=sg.float64)
    x, target = rows.reshape(shape).requires_grad_(), sg.tensor([0, 1]).reshape(2, *shape[2:])
    for reduction, right in (("mean", LOG2), ("sum", LOG2), ("none", [0, LOG2])):
        result = loss(x, target, weight=sg.tensor([0.0, 1.0, 1.0], dtype=sg.float64), reduction=reduction)
        check(result.reshape(-1), np.atleast_1d(right))
    assert grad(result, x).isfinite().all()


@pytest.mark.parametrize("offset", [0.0, 50.0, 1e4, -1e6])
@pytest.mark.parametrize("shape", [(1, 3), (1, 3, 2)])
def test_the_gradient_of_cross_entropy_far_from_zero(offset: float, shape: tuple[int, ...]) -> None:
    """It is the softmax less 1 at the target, although log(sum(exp(x))) is rounded."""
    row = sg.tensor([0.5, -0.5, 1.0]) + offset
    x = row.reshape(1, 3, *[1] * (len(shape) - 2)).expand(shape).contiguous().requires_grad_()
    target = sg.ones(1, *shape[2:], dtype=sg.int64)
    found = grad(F.cross_entropy(x, target, reduction="sum"), x).reshape(3, -1)[:, 0]
    values = row.double().numpy() - offset
    powers = np.exp(values)
    np.testing.assert_allclose(found.detach().numpy(), powers / powers.sum() - [0, 1, 0], 1e-5, 1e-7)


def test_kl_div_of_impossible_events() -> None:
    """Where neither distribution has an event there is no loss; where only the target has it, it is infinite."""
    logs, target = [-INF, -LOG2, -LOG2], [0.0, 0.25, 0.75]
    right = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    for log_target in (False, True):
        x = leaf(logs)
        goal = sg.tensor(target, dtype=sg.float64)
        goal = leaf((goal.log() if log_target else goal).tolist())
        loss = F.kl_div(x, goal, reduction="sum", log_target=log_target)
        check(loss, right)
        check(grad(loss, x), [0, -0.25, -0.75])
        assert grad(loss, goal).isfinite().all()
        impossible = F.kl_div(
            sg.tensor([-INF]), sg.tensor([-LOG2 if log_target else 0.5]), None, None, "none", log_target
        )
        assert impossible.tolist() == [INF]


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_bce_with_infinite_logits(dtype: Any, reduction: str) -> None:
    """Certain and right costs 0, certain and wrong is infinite, with derivatives sigmoid(x) - target."""
    x, target = leaf([INF, -INF], dtype), sg.tensor([1.0, 0.0], dtype=dtype)
    for weights in (
        {},
        {"pos_weight": sg.tensor([2.0, 3.0], dtype=dtype)},
        {"weight": sg.tensor([2.0, 3.0], dtype=dtype)},
    ):
        loss = F.binary_cross_entropy_with_logits(x, target, reduction=reduction, **weights)
        assert not loss.detach().double().numpy().any()
        first = grad(loss, x)
        assert first.tolist() == [0, 0]
        assert grad(first, x).tolist() == [0, 0]
    wrong = F.binary_cross_entropy_with_logits(x, 1 - target, reduction=reduction)
    assert (wrong == INF).all()
    half = F.binary_cross_entropy_with_logits(x, sg.full((2,), 0.5, dtype=dtype), reduction=reduction)
    assert (half == INF).all()


def test_margin_losses_of_infinite_scores() -> None:
    """As for binary cross-entropy, each class by itself."""
    x = leaf([[INF, -INF, 0.0]])
    loss = F.multilabel_soft_margin_loss(x, sg.tensor([[1.0, 0.0, 1.0]], dtype=sg.float64))
    check(loss, LOG2 / 3)
    check(grad(loss, x), [[0, 0, -0.5 / 3]])
    y = leaf([INF, -INF])
    check(F.soft_margin_loss(y, sg.tensor([1.0, -1.0], dtype=sg.float64)), 0)


def test_negative_log_likelihoods_at_the_ends() -> None:
    """Poisson of rate 0 and count 0, in both forms; a Gaussian of infinite variance; Huber's loss far out."""
    x = leaf([-INF, 0.0])
    loss = F.poisson_nll_loss(x, sg.tensor([0.0, 1.0], dtype=sg.float64), reduction="none")
    check(loss, [0, 1])
    check(grad(loss, x), [0, 0])
    rate = leaf([0.0])
    assert F.poisson_nll_loss(rate, sg.zeros(1, dtype=sg.float64), log_input=False, eps=0.0).item() == 0
    mean, variance = leaf([0.0]), leaf([INF])
    loss = F.gaussian_nll_loss(mean, sg.ones(1, dtype=sg.float64), variance)
    assert loss.item() == INF
    assert grad(loss, mean).tolist() == grad(loss, variance).tolist() == [0]
    for huber in (F.huber_loss, F.smooth_l1_loss):
        z = leaf([INF, -INF, 1e200])
        assert grad(huber(z, sg.zeros(3, dtype=sg.float64), reduction="none"), z).tolist() == [1, -1, 1]


def test_cosine_embedding_loss_of_any_scale() -> None:
    """The angle between vectors does not depend on their lengths."""
    for scale in (1e25, 1.0):
        pair = sg.tensor([[3 * scale, 4 * scale]]), sg.tensor([[scale, 0.0]])
        np.testing.assert_allclose(F.cosine_embedding_loss(*pair, sg.ones(1)).item(), 0.4, 1e-5)
