"""Losses of values against targets of the same shape, of class scores, and of triplets for any distance."""

from collections.abc import Callable

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import DtypeError, ShapeError
from ...runtime.ops.loss.checks import expanded, reduction_word, triplet
from ...runtime.tensor.observers import autocast_as, interceptable
from ...runtime.tensor.overrides import NOT_HANDLED, overridden_in, plain
from ...runtime.tracebacks import hide_internal_frames
from ..docstrings import completed_from


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

    Shape: Input, target and weight the same; the output is a scalar, or of that shape with reduction='none'.

    Raises:
        ValueError: an unknown reduction.
        RuntimeError: shapes that do not broadcast (those that do, but differ, give a warning).

    Example:
        >>> sg.nn.functional.mse_loss(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 4.0]))
        tensor(2.)
    """
    try:
        if (input.__class__ not in plain or target.__class__ not in plain or weight.__class__ not in plain) and (
            result := overridden_in(mse_loss, locals())
        ) is not NOT_HANDLED:
            return result
        code = reduction_code("mse_loss", size_average, reduce, reduction)
        argument_checks.tensor("mse_loss", "input", input)
        argument_checks.tensor("mse_loss", "target", target)
        input, target = expanded("mse_loss", input, target, stacklevel=3)
        if weight is None:
            return ops.mse_loss(input, target, code)
        return _weighted("mse_loss", ops.mse_loss(input, target, 0), weight, code)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(mse_loss)
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

    Shape: Input and target the same; the output is a scalar, or of that shape with reduction='none'.

    Raises:
        ValueError: input and target differ in shape.
        RuntimeError: a value outside [0, 1].

    Example:
        >>> sg.nn.functional.binary_cross_entropy(sg.tensor([0.5]), sg.tensor([1.0]))
        tensor(0.6931)
    """
    try:
        if (input.__class__ not in plain or target.__class__ not in plain or weight.__class__ not in plain) and (
            result := overridden_in(binary_cross_entropy, locals())
        ) is not NOT_HANDLED:
            return result
        code = reduction_code("binary_cross_entropy", size_average, reduce, reduction)
        return ops.binary_cross_entropy(input, target, weight, code)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(binary_cross_entropy)
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
        pos_weight: a factor for the positive part of each value, broadcast; usually one per class.

    Raises: ValueError: input and target differ in shape.

    Example:
        >>> sg.nn.functional.binary_cross_entropy_with_logits(sg.tensor([0.0]), sg.tensor([1.0]))
        tensor(0.6931)
    """
    try:
        if (
            input.__class__ not in plain
            or target.__class__ not in plain
            or weight.__class__ not in plain
            or pos_weight.__class__ not in plain
        ) and (result := overridden_in(binary_cross_entropy_with_logits, locals())) is not NOT_HANDLED:
            return result
        code = reduction_code("binary_cross_entropy_with_logits", size_average, reduce, reduction)
        return ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)
    except Exception as error:
        hide_internal_frames(error)
        raise


def _weighted(op: str, loss: Tensor, weight: Tensor, code: int) -> Tensor:
    if argument_checks.tensor(op, "weight", weight).shape != loss.shape:
        raise ShapeError(f"{op}(): expected weight of shape {list(loss.shape)}, got {list(weight.shape)}")
    loss = loss * weight
    return loss.sum() / weight.sum() if code == 1 else loss.sum() if code == 2 else loss


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean of -weight[target] * input[target], over the sum of these weights.

    Args:
        input: log-probabilities.
        target: classes, int64.
        weight: one factor per class.
        ignore_index: targets of this value count for nothing.
        reduction: 'mean', 'sum' or 'none'.
        size_average, reduce: older ways to say reduction.

    Shape:
        Input (C), (N, C) or (N, C, d1, ...); target (), (N) or (N, d1, ...); the output is a scalar, or of
        target's shape with reduction='none'.

    Raises:
        ValueError: input and target differ in batch size.
        IndexError: a target that is no class.

    Example:
        >>> sg.nn.functional.nll_loss(sg.tensor([[-0.5, -1.0]]), sg.tensor([1]))
        tensor(1.)
    """
    try:
        if (input.__class__ not in plain or target.__class__ not in plain or weight.__class__ not in plain) and (
            result := overridden_in(nll_loss, locals())
        ) is not NOT_HANDLED:
            return result
        code = reduction_code("nll_loss", size_average, reduce, reduction)
        return ops.nll_loss(input, target, weight, code, ignore_index)[0]
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(nll_loss)
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """`nll_loss` of `log_softmax(input)`; targets are classes, or a probability for every class.

    Args:
        input: scores, any real numbers.
        target: classes (int64), or probabilities of input's dtype and shape.
        ignore_index: class targets of this value count for nothing.
        label_smoothing: the part of each target that is spread evenly over all classes, in [0, 1].

    Shape:
        Input (C), (N, C) or (N, C, d1, ...); target (), (N) or (N, d1, ...), or that of input; the output is
        a scalar, or of the shape of class targets with reduction='none'.

    Raises:
        RuntimeError: label_smoothing outside [0, 1].
        ValueError: input and target differ in batch size.
        IndexError: a target that is no class.

    Example:
        >>> sg.nn.functional.cross_entropy(sg.tensor([[0.0, 0.0]]), sg.tensor([1]))
        tensor(0.6931)
    """
    try:
        if (input.__class__ not in plain or target.__class__ not in plain or weight.__class__ not in plain) and (
            result := overridden_in(cross_entropy, locals())
        ) is not NOT_HANDLED:
            return result
        code = reduction_code("cross_entropy", size_average, reduce, reduction)
        argument_checks.tensor("cross_entropy", "input", input)
        if argument_checks.tensor("cross_entropy", "target", target)._shape != input._shape:
            return ops.cross_entropy_loss(input, target, weight, code, ignore_index, label_smoothing)[0]
        argument_checks.optional_tensor("cross_entropy", "weight", weight)
        label_smoothing = argument_checks.floating("cross_entropy", "label_smoothing", label_smoothing)
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"cross_entropy(): label_smoothing must be between 0.0 and 1.0, got {label_smoothing}")
        return _of_probabilities(input, target, weight, code, label_smoothing)
    except Exception as error:
        hide_internal_frames(error)
        raise


@autocast_as(cpu="float32", cuda="float32")
@interceptable("composite")
def _of_probabilities(input: Tensor, target: Tensor, weight: Tensor | None, code: int, smoothing: float) -> Tensor:
    if not target.dtype.is_floating_point:
        raise DtypeError(
            "cross_entropy(): Expected floating point type for target with class probabilities, "
            f"got {target.dtype.name}"
        )
    dim = 0 if input.ndim < 2 else 1
    scores, classes = ops.log_softmax(input, dim), input.shape[dim]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    loss = -_times_classes(ops.weighted_by(scores, target), weight).sum(dim)
    return loss.mean() if code == 1 else loss.sum() if code == 2 else loss


def _times_classes(values: Tensor, weight: Tensor | None) -> Tensor:
    if weight is None:
        return values
    dim = 0 if values.ndim < 2 else 1
    if tuple(weight.shape) != (values.shape[dim],):
        raise ShapeError(
            f"cross_entropy(): weight tensor should be defined either for all {values.shape[dim]} classes "
            f"or no classes but got weight tensor of shape: {list(weight.shape)}"
        )
    return values * weight.reshape([-1] + [1] * (values.ndim - dim - 1))


_CODES = {"none": 0, "mean": 1, "sum": 2}


def reduction_code(op: str, size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    """The number that the loss ops take; the two older flags overrule `reduction`."""
    return _CODES[reduction_word(op, size_average, reduce, reduction)]


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """The mean of max(0, margin + d(anchor, positive) - d(anchor, negative)) for any distance d.

    Args:
        anchor: what the others are near to or far from.
        positive: what should be near.
        negative: what should be farther by the margin.
        distance_function: d, of two tensors; `pairwise_distance` when left out.
        margin: how much farther, more than 0.
        swap: whether d(positive, negative) counts where it is less than d(anchor, negative).
        reduction: 'mean', 'sum' or 'none'.

    Shape: All inputs (N, *), as d takes them; the output is a scalar, or of the shape of d with reduction='none'.

    Raises:
        ValueError: an unknown reduction, or a margin of 0 or less.
        RuntimeError: inputs that differ in their number of dimensions.

    Example:
        >>> a, p, n = sg.zeros(1, 2), sg.ones(1, 2), sg.tensor([[0.0, 2.0]])
        >>> d = lambda x, y: (x - y).abs().sum(-1)
        >>> sg.nn.functional.triplet_margin_with_distance_loss(a, p, n, distance_function=d)
        tensor(1.)
    """
    name = "triplet_margin_with_distance_loss"
    word = reduction_word(name, None, None, reduction)
    for which, tensor in (("anchor", anchor), ("positive", positive), ("negative", negative)):
        argument_checks.tensor(name, which, tensor)
    triplet(name, anchor, positive, negative, argument_checks.floating(name, "margin", margin))
    distance = ops.pairwise_distance if distance_function is None else distance_function
    positive_distance, negative_distance = distance(anchor, positive), distance(anchor, negative)
    if swap:
        negative_distance = negative_distance.minimum(distance(positive, negative))
    loss = (margin + positive_distance - negative_distance).clamp(0)
    return loss.mean() if word == "mean" else loss.sum() if word == "sum" else loss
