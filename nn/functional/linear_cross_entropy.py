"""A linear map to many classes and the cross-entropy of its scores, some rows at a time where that is asked for."""

from dataclasses import dataclass
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import ShapeError, warn_user
from ...runtime.extensions.checkpoint.checkpoint import checkpoint
from ...runtime.tensor.dtypes import dtype, int64
from .loss import cross_entropy


@dataclass
class LinearCrossEntropyOptions:
    """The chunks in which `linear_cross_entropy` takes its rows, so that scores exist for one chunk at a time.

    Backward computes the scores of a chunk again; gradients of any order work as without options.

    Args:
        allow_retain_graph: without effect: backward may run more than once anyway.
        batch_chunk_size: the number of rows in a chunk.
        chunking_method: 'aspect_ratio': as many rows as have no more scores than the input has elements;
            'aspect_ratio:N': an Nth of these; 'auto': 'aspect_ratio'; None: all rows. A given size comes first.
        acc_policy, acc_dtype: without effect: losses add up in the dtype of the input.

    Raises: ValueError: an unknown method or policy, a dtype that is no real float, or a size below 1.

    Example:
        >>> sg.nn.LinearCrossEntropyOptions(batch_chunk_size=8).rows(100, 4, 16)
        8
        >>> sg.nn.LinearCrossEntropyOptions().rows(100, 4, 16)
        25
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, _, factor = str(self.chunking_method).partition(":")
            if name != "aspect_ratio" or not (factor or "1").isdigit() or int(factor or 1) < 1:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and (not isinstance(size, int) or size < 1):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype.kind != "f":
            raise ValueError(f"acc_dtype must be a floating-point dtype or None, got {self.acc_dtype}")

    def rows(self, batch: int, features: int, classes: int) -> int:
        """The number of rows of a chunk, for `batch` rows of so many `features` and so many `classes`."""
        if self.batch_chunk_size is not None:
            return self.batch_chunk_size
        if self.chunking_method is None:
            return max(batch, 1)
        factor = self.chunking_method.partition(":")[2] or "1"
        return max(batch * features // (max(classes, 1) * int(factor)), 1)


_REDUCTIONS = ("mean", "sum", "none")


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """`cross_entropy` of the scores linear(input, linear_weight, linear_bias).

    Args:
        input: the rows.
        linear_weight: the linear map.
        target: classes (int64), or probabilities.
        linear_bias: is added to the scores, of the shape of linear_weight without its last dimension.
        weight: one factor per class.
        reduction: 'mean', 'sum' or 'none'.
        ignore_index: class targets of this value count for nothing; -100 by default.
        label_smoothing: the part of each target that is spread evenly over all classes, in [0, 1].
        options: how to take the input in chunks; by default all scores are computed at once.

    Shape:
        Input (F) or (N, F); linear_weight (C, F) or (C, d1, ..., F); target (), (N) or (N, d1, ...), or for
        probabilities that of the scores, (C), (N, C) or (N, C, d1, ...); the output as of `cross_entropy`.

    Raises:
        RuntimeError: shapes that do not fit, or `ignore_index` beside probabilities.
        ValueError: an unknown reduction.

    Example:
        >>> x, weight = sg.ones(1, 3), sg.zeros(4, 3)
        >>> sg.nn.functional.linear_cross_entropy(x, weight, sg.tensor([2]))
        tensor(1.3863)
    """
    _require_fitting(input, linear_weight, linear_bias)
    argument_checks.tensor("linear_cross_entropy", "target", target)
    shape = (*input.shape[:-1], *linear_weight.shape[:-1])
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError(
            "linear_cross_entropy(): ignore_index cannot be specified when target contains probabilities, got "
            f"ignore_index={ignore_index}"
        )
    arguments: dict[str, Any] = {
        "weight": weight,
        "ignore_index": -100 if ignore_index is None else ignore_index,
        "label_smoothing": label_smoothing,
    }
    if options is not None and _divides(options, input, linear_weight, target, reduction, label_smoothing):
        return _in_chunks(input, linear_weight, linear_bias, target, options, reduction, arguments)
    return cross_entropy(scores(input, linear_weight, linear_bias), target, reduction=reduction, **arguments)


def scores(input: Tensor, linear_weight: Tensor, bias: Tensor | None) -> Tensor:
    if linear_weight.ndim == 2:
        return ops.linear(input, linear_weight, bias)
    flat = ops.linear(input, linear_weight.flatten(0, -2), None if bias is None else bias.flatten())
    return flat.reshape((*input.shape[:-1], *linear_weight.shape[:-1]))


def _require_fitting(input: Tensor, linear_weight: Tensor, bias: Tensor | None) -> None:
    name = "linear_cross_entropy"
    dims = argument_checks.tensor(name, "input", input).ndim
    if not 1 <= dims <= 2:
        raise ShapeError(f"{name}(): expected input with dimensionality 1 or 2, got {dims}")
    if argument_checks.tensor(name, "linear_weight", linear_weight).ndim < 2:
        raise ShapeError(f"{name}(): expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise ShapeError(
            f"{name}(): expected equal input and linear_weight last dimensions (in_features), got {input.shape[-1]} "
            f"and {linear_weight.shape[-1]}, respectively"
        )
    bias = argument_checks.optional_tensor(name, "linear_bias", bias)
    if bias is not None and bias.shape != linear_weight.shape[:-1]:
        raise ShapeError(
            f"{name}(): expected linear_bias shape {tuple(linear_weight.shape[:-1])}, got {tuple(bias.shape)}"
        )
    if linear_weight.ndim > 2 and dims == 1:
        raise ShapeError(
            f"{name}(): K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires "
            f"batched input, got unbatched input with shape {tuple(input.shape)}"
        )


def _divides(options: Any, x: Tensor, weight: Tensor, target: Tensor, reduction: str, smoothing: float) -> bool:
    if not isinstance(options, LinearCrossEntropyOptions):
        raise TypeError(f"linear_cross_entropy(): expected LinearCrossEntropyOptions as options, got {options!r}")
    fits = reduction in _REDUCTIONS and not smoothing and target.dtype is int64 and weight.ndim == 2
    if not fits:
        warn_user(
            "linear_cross_entropy: options ignored; chunks need reduction in {'mean','sum','none'}, label_smoothing == "
            f"0, target.dtype == int64 and a linear_weight of two dimensions. Got reduction={reduction!r}, "
            f"label_smoothing={smoothing}, target.dtype={target.dtype}, linear_weight.shape={tuple(weight.shape)}"
        )
    return fits and x.ndim == 2 and target.shape == x.shape[:1]


def _in_chunks(
    x: Tensor,
    matrix: Tensor,
    bias: Tensor | None,
    target: Tensor,
    options: Any,
    reduction: str,
    arguments: dict[str, Any],
) -> Tensor:
    """Losses of chunks, whose scores are not kept for backward."""
    kind = "none" if reduction == "none" else "sum"

    def loss(rows: Tensor, classes: Tensor) -> Tensor:
        return cross_entropy(scores(rows, matrix, bias), classes, reduction=kind, **arguments)

    size = options.rows(*x.shape, matrix.shape[0])
    chunks = zip(x.split(size), target.split(size), strict=True)
    matches = [checkpoint(loss, *chunk, use_reentrant=False, preserve_rng_state=False) for chunk in chunks]
    if reduction == "none":
        return ops.cat(matches)
    total = ops.stack(matches).sum()
    return (
        total if reduction == "sum" else total / _count(target, arguments["weight"], arguments["ignore_index"], total)
    )


def _count(target: Tensor, weight: Tensor | None, ignore_index: int, total: Tensor) -> Tensor:
    retained = target != ignore_index
    if weight is None:
        return retained.sum().to(total.dtype)
    return ops.where(retained, weight[ops.where(retained, target, 0)], 0).sum()
