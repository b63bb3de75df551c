"""The cross-entropy kernels against their definition in float64."""

from typing import Any

import numpy as np
import pytest
from scipy import special

from specgrad.runtime.ops.loss import cpu as kernels

rng = np.random.default_rng(0)
IGNORED = 1


def definition(x: Any, target: Any, weight: Any, reduction: int, smoothing: float) -> Any:
    """The loss and its gradient by the input for a gradient of ones."""
    scores = special.log_softmax(np.moveaxis(x.astype(np.float64), 1, -1), -1)
    classes = scores.shape[-1]
    weights = np.ones(classes) if weight is None else weight.astype(np.float64)
    shares = (1 - smoothing) * np.eye(classes)[target] * weights + smoothing / classes * weights
    shares = shares * (target != IGNORED)[..., None]
    loss = -(shares * scores).sum(-1)
    derivatives = np.exp(scores) * shares.sum(-1, keepdims=True) - shares
    count = (weights[target] * (target != IGNORED)).sum() if reduction == 1 else 1
    return (loss if reduction == 0 else loss.sum() / count), np.moveaxis(derivatives / count, -1, 1)


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 2e-6), (np.float64, 1e-12)])
@pytest.mark.parametrize("shape", [(5, 3), (40, 1000), (2, 3, 4), (2, 5, 300), (2, 4, 20, 20), (3, 2, 0)])
@pytest.mark.parametrize("reduction", [0, 1, 2])
@pytest.mark.parametrize("weighted, smoothing", [(False, 0.0), (True, 0.0), (False, 0.2), (True, 1.0)])
def test_loss_and_gradient(dtype: Any, tolerance: float, shape: Any, reduction: int, weighted: Any, smoothing: float):
    """Rows and columns, with and without weights, with ignored targets, in both dtypes."""
    if reduction == 1 and 0 in shape:
        return
    x = (rng.standard_normal(shape) * 3).astype(dtype)
    target = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    weight = rng.uniform(0.5, 2, shape[1]).astype(dtype) if weighted else None
    loss, retained = kernels.cross_entropy(x, target, weight, reduction, IGNORED, smoothing)
    right, derivatives = definition(x, target, weight, reduction, smoothing)
    assert loss.dtype == dtype and loss.shape == np.shape(right)
    np.testing.assert_allclose(loss, right, rtol=tolerance * 10, atol=tolerance * 10)
    for layout in (x, np.asfortranarray(x)):
        found = kernels.cross_entropy_backward(
            np.ones_like(loss), layout, target, weight, retained, reduction, IGNORED, smoothing
        )
        assert found.shape == shape and found.dtype == dtype
        np.testing.assert_allclose(found, derivatives, rtol=tolerance * 10, atol=tolerance)


def test_extreme_scores_and_targets_that_do_not_count() -> None:
    """No overflow; the mean of nothing is nan, and its gradient zero."""
    x = np.array([[800.0, -800.0, 0.0], [np.inf, 0.0, 0.0], [-np.inf, 0.0, 0.0]])
    loss, _ = kernels.cross_entropy(x, np.array([1, 1, 1]), None, 0)
    assert loss[0] == 1600 and loss[1] == np.inf and loss[2] == pytest.approx(np.log(2))
    ignored = np.full(3, -100)
    loss, retained = kernels.cross_entropy(x, ignored)
    assert np.isnan(loss)
    assert not kernels.cross_entropy_backward(np.ones(()), x, ignored, None, retained, 1, -100, 0.0).any()
    single, _ = kernels.cross_entropy(np.zeros(4), np.array(2))
    assert single.shape == () and single == pytest.approx(np.log(4))


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4)])
@pytest.mark.parametrize("bad", [-1, 3])
def test_targets_that_are_no_class_are_refused(shape: Any, bad: int) -> None:
    """By an IndexError that names the first of them and the classes."""
    target = np.zeros((shape[0], *shape[2:]), np.int64)
    target.flat[-1] = bad
    with pytest.raises(IndexError, match=rf"Target {bad} is out of bounds: expected a class in \[0, 2\]"):
        kernels.cross_entropy(rng.standard_normal(shape), target)
