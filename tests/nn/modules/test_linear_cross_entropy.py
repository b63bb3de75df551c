"""Scores and their cross-entropy in one, all rows at once or in chunks; and layers that older programs use."""

from typing import Any

import numpy as np
import pytest

from tests.examples import array, reals

OPTIONS: dict[str, dict[str, Any] | None] = {
    "at once": None,
    "in twos": {"batch_chunk_size": 2, "chunking_method": None},
    "by a rule": {"chunking_method": "aspect_ratio:2"},
}


def negative_logs(x: np.ndarray, matrix: np.ndarray, bias: Any, target: np.ndarray, weight: Any) -> tuple[Any, Any]:
    """The loss of each row, and its weight; class 3 does not count."""
    scores = x @ matrix.T + bias
    logs = scores - np.log(np.exp(scores).sum(-1, keepdims=True))
    factors = np.where(target == 3, 0, weight[target])
    return -logs[np.arange(len(x)), target] * factors, factors


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", OPTIONS)
def test_loss_of_a_linear_map(lib: Any, name: str, reduction: str) -> None:
    """The cross-entropy of its scores, with weights and a class that does not count, and gradients for any chunks."""
    x, matrix, bias = reals(lib, 5, 4), reals(lib, 7, 4, seed=1), reals(lib, 7, seed=2)
    weight, target = reals(lib, 7, seed=3).abs(), lib.tensor([1, 3, 6, 0, 5])
    losses, factors = negative_logs(*map(array, (x, matrix, bias, target, weight)))
    right = losses if reduction == "none" else losses.sum() / (factors.sum() if reduction == "mean" else 1)
    leaves = [t.requires_grad_() for t in (x, matrix, bias)]
    given = OPTIONS[name]
    found = [
        lib.nn.functional.linear_cross_entropy(
            x,
            matrix,
            target,
            linear_bias=bias,
            weight=weight,
            reduction=reduction,
            ignore_index=3,
            options=None if options is None else lib.nn.LinearCrossEntropyOptions(**options),
        )
        for options in (given, None)
    ]
    np.testing.assert_allclose(array(found[0]), right, rtol=1e-6)
    for one, other in zip(*[lib.autograd.grad(loss.sum(), leaves) for loss in found], strict=True):
        np.testing.assert_allclose(array(one), array(other), rtol=1e-6, atol=1e-9)


def test_loss_of_many_places(lib: Any) -> None:
    """Scores may have more dimensions, and targets may be probabilities; chunks are for classes of rows alone."""
    layer = lib.nn.LinearCrossEntropyLoss(3, 4, out_features=(2,), bias=True, label_smoothing=0.1, dtype=lib.float64)
    assert {name: tuple(p.shape) for name, p in layer.state_dict().items()} == {
        "linear.weight": (8, 3),
        "linear.bias": (8,),
    }
    x, target = reals(lib, 5, 3), lib.tensor([[0, 1], [2, 3], [1, 1], [3, 0], [2, 2]])
    scores = layer.linear(x).reshape(5, 4, 2)
    right = lib.nn.functional.cross_entropy(scores, target, label_smoothing=0.1)
    assert lib.allclose(layer(x, target), right)
    layer.options = lib.nn.LinearCrossEntropyOptions()
    with pytest.warns(UserWarning, match="linear_cross_entropy.*ignored"):
        assert lib.allclose(layer(x, target), right)
    layer.options = None
    shares = reals(lib, 5, 4, 2, seed=1).softmax(1)
    assert lib.allclose(layer(x, shares), lib.nn.functional.cross_entropy(scores, shares, label_smoothing=0.1))


def test_how_the_loss_is_printed(lib: Any) -> None:
    """All arguments, on one line."""
    assert str(lib.nn.LinearCrossEntropyLoss(5, 3, weight=lib.ones(3))).splitlines()[1].strip() == (
        "in_features=5, num_classes=3, out_features=(), bias=False, reduction=mean, ignore_index=None, "
        "label_smoothing=0.0, options=None"
    )


@pytest.mark.parametrize(
    ("shapes", "arguments"),
    [
        (((5, 4, 1), (7, 4)), {}),
        (((5, 4), (4,)), {}),
        (((5, 4), (7, 3)), {}),
        (((4,), (7, 2, 4)), {}),
        (((5, 4), (7, 4)), {"linear_bias": (6,)}),
    ],
    ids=str,
)
def test_shapes_that_do_not_fit(lib: Any, shapes: Any, arguments: dict[str, Any]) -> None:
    """Inputs, maps and biases of other sizes."""
    given = {name: lib.zeros(shape) for name, shape in arguments.items()}
    with pytest.raises(RuntimeError, match="expected|requires"):
        lib.nn.functional.linear_cross_entropy(*map(lib.zeros, shapes), lib.zeros(5, dtype=lib.int64), **given)


def test_arguments_that_do_not_fit(lib: Any) -> None:
    """A class beside probabilities, weights and smoothing of the loss, and unknown ways to divide rows."""
    with pytest.raises(RuntimeError, match="ignore_index cannot be specified"):
        lib.nn.functional.linear_cross_entropy(lib.zeros(2, 3), lib.zeros(4, 3), lib.zeros(2, 4), ignore_index=1)
    with pytest.raises(RuntimeError, match="expected weight shape"):
        lib.nn.LinearCrossEntropyLoss(3, 4, weight=lib.ones(3))
    with pytest.raises(RuntimeError, match="expected label_smoothing"):
        lib.nn.LinearCrossEntropyLoss(3, 4, label_smoothing=2.0)
    for wrong in ({"batch_chunk_size": 0}, {"chunking_method": "x"}, {"acc_policy": "x"}, {"acc_dtype": lib.int64}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            lib.nn.LinearCrossEntropyOptions(**wrong)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_neighbouring_channels(size: int) -> None:
    """As many on both sides. (PyTorch's never drops the first channel from its sums.)"""
    import specgrad as sg

    x = reals(sg, 2, 6, 3, 2)
    squares, side = array(x) ** 2, (size - 1) // 2
    sums = np.stack([squares[:, max(c - side, 0) : c + side + 1].sum(1) for c in range(6)], 1)
    right = array(x) / (1.2 + 0.3 / size * sums) ** 0.6
    np.testing.assert_allclose(array(sg.nn.CrossMapLRN2d(size, 0.3, 0.6, 1.2)(x)), right, rtol=1e-12)
    with pytest.raises(ValueError, match="Expected input to be 4D"):
        sg.nn.CrossMapLRN2d(size)(x[0])


def test_older_names(lib: Any) -> None:
    """They warn, and do what newer ones do."""
    with pytest.warns(FutureWarning, match="Container"):
        held = lib.nn.Container(first=lib.nn.ReLU(), second=lib.nn.Tanh())
    assert [name for name, _ in held.named_children()] == ["first", "second"]
    with pytest.warns(FutureWarning, match="NLLLoss2d"):
        loss = lib.nn.NLLLoss2d(reduction="sum")
    scores, target = reals(lib, 2, 3, 2, 2), lib.ones(2, 2, 2, dtype=lib.int64)
    assert lib.equal(loss(scores, target), lib.nn.functional.nll_loss(scores, target, reduction="sum"))
    assert str(lib.nn.CrossMapLRN2d(3)) == "CrossMapLRN2d(3, alpha=0.0001, beta=0.75, k=1)"
