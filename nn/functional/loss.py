"""Losses of values against targets of the same shape."""

from __future__ import annotations

import warnings

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import checks
from ...runtime.errors import ShapeError
from ...runtime.tensor.shapes import broadcast_shapes
from .reduction import reduction_code


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The mean of weight * (input - target)^2.

    Args:
        input: predictions.
        target: what they should be.
        reduction: 'mean' (with a weight: over the sum of the weights), 'sum' or 'none'.
        weight: one factor per value.
        size_average, reduce: older ways to say reduction.

    Shape:
        Input, target and weight the same; the output is a scalar, or of that shape with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: shapes that do not broadcast (those that do, but differ, give a warning).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.mse_loss(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 4.0]))
        tensor(2.)
    """
    code = reduction_code("mse_loss", size_average, reduce, reduction)
    input, target = _expanded("mse_loss", input, target)
    if weight is None:
        return ops.mse_loss(input, target, code)
    return _weighted("mse_loss", ops.mse_loss(input, target, 0), weight, code)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean of -weight * (target * log(input) + (1 - target) * log(1 - input)), logarithms at least -100.

    Args:
        input: probabilities.
        target: probabilities.
        weight: a factor for each value, broadcast.
        reduction: 'mean', 'sum' or 'none'.
        size_average, reduce: older ways to say reduction.

    Shape:
        Input and target the same; the output is a scalar, or of that shape with reduction='none'.

    Raises:
        ValueError: input and target differ in shape.
        RuntimeError: a value outside [0, 1].

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.binary_cross_entropy(sg.tensor([0.5]), sg.tensor([1.0]))
        tensor(0.6931)
    """
    code = reduction_code("binary_cross_entropy", size_average, reduce, reduction)
    return ops.binary_cross_entropy(input, target, weight, code)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The mean of -weight * (pos_weight * target * log(p) + (1 - target) * log(1 - p)) with p = sigmoid(input).

    Computed without p, so that nothing overflows or loses precision.

    Args:
        input: logits, any real numbers.
        target: probabilities.
        weight: a factor for each value, broadcast.
        reduction: 'mean', 'sum' or 'none'.
        pos_weight: a factor for the positive part of each value, broadcast; usually one per class.
        size_average, reduce: older ways to say reduction.

    Shape:
        Input and target the same; the output is a scalar, or of that shape with reduction='none'.

    Raises:
        ValueError: input and target differ in shape.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.binary_cross_entropy_with_logits(sg.tensor([0.0]), sg.tensor([1.0]))
        tensor(0.6931)
    """
    code = reduction_code("binary_cross_entropy_with_logits", size_average, reduce, reduction)
    return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)


def _expanded(op: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in their common shape, with PyTorch's warning if that is not their own."""
    checks.tensor(op, "input", input)
    checks.tensor(op, "target", target)
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({list(target.shape)}) that is different to the input size "
        f"({list(input.shape)}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=3,
    )
    shape = broadcast_shapes(op, input.shape, target.shape)
    return input.expand(shape), target.expand(shape)


def _weighted(op: str, loss: Tensor, weight: Tensor, code: int) -> Tensor:
    if checks.tensor(op, "weight", weight).shape != loss.shape:
        raise ShapeError(f"{op}(): expected weight of shape {list(loss.shape)}, got {list(weight.shape)}")
    loss = loss * weight
    return loss.sum() / weight.sum() if code == 1 else loss.sum() if code == 2 else loss
