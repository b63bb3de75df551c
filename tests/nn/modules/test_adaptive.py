"""The adaptive softmax, against a softmax over all classes that is written out in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import nn
from specgrad.autograd import gradcheck


def layer(**options: Any) -> Any:
    """Five frequent classes, and clusters of 5 and 10 rare ones."""
    sg.manual_seed(3)
    return nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10], div_value=2.0, dtype=sg.float64, **options)


def log_softmax(x: np.ndarray) -> np.ndarray:
    """Over the last dimension, by the definition."""
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def all_classes(of: Any, x: np.ndarray) -> np.ndarray:
    """The log probabilities of all classes: those of the head, then those within clusters below the cluster's own."""
    bias = of.head.bias.detach().numpy() if of.head_bias else 0
    head = log_softmax(x @ of.head.weight.detach().numpy().T + bias)
    parts = [head[:, :5]]
    for i, cluster in enumerate(of.tail):
        inner, outer = (linear.weight.detach().numpy() for linear in cluster)
        parts.append(head[:, 5 + i, None] + log_softmax(x @ inner.T @ outer.T))
    return np.concatenate(parts, 1)


X = np.random.default_rng(0).standard_normal((7, 8))
Y = np.array([0, 4, 5, 9, 10, 19, 12])


@pytest.mark.parametrize("head_bias", [False, True])
def test_log_probabilities(head_bias: bool) -> None:
    """Of the targets, of all classes, and the loss; the most probable class."""
    model = layer(head_bias=head_bias)
    expected = all_classes(model, X)
    found = model(sg.tensor(X), sg.tensor(Y))
    np.testing.assert_allclose(found.output.detach().numpy(), expected[np.arange(7), Y], rtol=1e-12)
    np.testing.assert_allclose(found.loss.item(), -expected[np.arange(7), Y].mean(), rtol=1e-12)
    np.testing.assert_allclose(model.log_prob(sg.tensor(X)).detach().numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(np.exp(expected).sum(1), 1, rtol=1e-12)


def test_prediction() -> None:
    """The best of the head, or where that is a cluster, the best of all classes."""
    model = layer()
    rows = np.random.default_rng(1).standard_normal((40, 8))
    head = (rows @ model.head.weight.detach().numpy().T).argmax(1)
    expected = np.where(head < 5, head, all_classes(model, rows).argmax(1))
    assert model.predict(sg.tensor(rows)).tolist() == expected.tolist()
    assert set(head < 5) == {True, False}


def test_one_row_and_no_rows() -> None:
    """A row alone gives a number; no rows give none, and a loss of nan."""
    model = layer()
    one = model(sg.tensor(X[0]), sg.tensor(Y[4]))
    assert one.output.shape == () and one.loss.item() == -one.output.item()
    none = model(sg.zeros(0, 8, dtype=sg.float64), sg.zeros(0, dtype=sg.int64))
    assert none.output.shape == (0,) and none.loss.isnan()


@pytest.mark.cpu("so many launches take minutes on a simulated device")
def test_gradients() -> None:
    """Of the input and of all weights."""
    model, target = layer(), sg.tensor(Y)
    x = sg.tensor(X, requires_grad=True)
    assert gradcheck(lambda x, *weights: model(x, target).loss, (x, *model.parameters()))


def test_state_and_shapes() -> None:
    """Names and shapes of weights are PyTorch's; a cluster far down may have no features left."""
    model = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10])
    shapes = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    tail = {"tail.0.0.weight": (2, 8), "tail.0.1.weight": (6, 2), "tail.1.0.weight": (0, 8), "tail.1.1.weight": (10, 0)}
    assert shapes == {"head.weight": (6, 8)} | tail


MISTAKES = [
    (ValueError, "unique, positive integers", lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [10, 5])),
    (ValueError, "between 1 and n_classes-1", lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 20])),
    (ValueError, "length larger than 0", lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [])),
    (RuntimeError, "multi-target", lambda: layer()(sg.tensor(X), sg.zeros(7, 1, dtype=sg.int64))),
    (RuntimeError, "same size in the batch", lambda: layer()(sg.tensor(X), sg.tensor(Y[:3]))),
    (RuntimeError, r"in \[0, 19\]", lambda: layer()(sg.tensor(X), sg.tensor(Y + 5))),
]


@pytest.mark.parametrize(("error", "message", "call"), MISTAKES)
def test_mistakes(error: type[Exception], message: str, call: Any) -> None:
    """What does not fit is said."""
    with pytest.raises(error, match=message):
        call()
