"""The triplet loss for distances of any kind."""

from __future__ import annotations

from collections.abc import Callable

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import checks
from ...runtime.functions.loss_reduction import reduction_word
from ...runtime.ops.loss.checks import triplet


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

    Shape:
        All inputs (N, *), as d takes them; the output is a scalar, or of the shape of d with reduction='none'.

    Raises:
        ValueError: an unknown reduction, or a margin of 0 or less.
        RuntimeError: inputs that differ in their number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> a, p, n = sg.zeros(1, 2), sg.ones(1, 2), sg.tensor([[0.0, 2.0]])
        >>> d = lambda x, y: (x - y).abs().sum(-1)
        >>> sg.nn.functional.triplet_margin_with_distance_loss(a, p, n, distance_function=d)
        tensor(1.)
    """
    name = "triplet_margin_with_distance_loss"
    word = reduction_word(name, None, None, reduction)
    for which, tensor in (("anchor", anchor), ("positive", positive), ("negative", negative)):
        checks.tensor(name, which, tensor)
    triplet(name, anchor, positive, negative, checks.floating(name, "margin", margin))
    distance = ops.pairwise_distance if distance_function is None else distance_function
    positive_distance, negative_distance = distance(anchor, positive), distance(anchor, negative)
    if swap:
        negative_distance = negative_distance.minimum(distance(positive, negative))
    loss = (margin + positive_distance - negative_distance).clamp(0)
    return loss.mean() if word == "mean" else loss.sum() if word == "sum" else loss
