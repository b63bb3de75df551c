"""Argument checks of losses. `reduction` is 0 (none), 1 (mean) or 2 (sum)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.shape_checks import broadcastable, require_index_dtype, require_shape
from ...errors import ShapeError
from ...tensor import dtypes


def _require_reduction(op: str, reduction: int) -> None:
    if reduction not in (0, 1, 2):
        raise ValueError(f"{op}(): expected reduction 0 (none), 1 (mean) or 2 (sum), got {reduction}")


def pointwise_loss(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """A target for every value; the weights in `rest`, before the reduction, broadcast to the values."""
    if target._shape != input._shape:
        raise ValueError(
            f"{op}(): Using a target size ({list(target._shape)}) that is different to the input size "
            f"({list(input._shape)}): please ensure they have the same size."
        )
    _require_reduction(op, rest[-1])
    for weight in rest[:-1]:
        broadcastable(op, "weight", weight, input._shape)
    return input, target, *rest


def pointwise_loss_backward(op: str, grad_output: Any, input: Any, *rest: Any) -> tuple[Any, ...]:
    """As in `pointwise_loss`; the gradient is that of the reduced loss."""
    pointwise_loss(op, input, *rest)
    require_shape(op, "grad_output", grad_output, () if rest[-1] else input._shape)
    return grad_output, input, *rest


def nll_loss(op: str, input: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> tuple[Any, ...]:
    """Input (classes,) with target (), or (batch, classes, *places) with target (batch, *places)."""
    _require_classes(op, target, weight, input._shape)
    _require_reduction(op, reduction)
    return input, target, weight, reduction, ignore_index


def cross_entropy(
    op: str, input: Any, target: Any, weight: Any, reduction: int, ignore_index: int, label_smoothing: float
) -> tuple[Any, ...]:
    """As in `nll_loss`; the label smoothing lies in [0, 1]."""
    if weight is not None or target._dtype is not dtypes.int64 or target._shape != input._shape[:1] or input.ndim != 2:
        _require_classes(op, target, weight, input._shape)
    _require_reduction(op, reduction)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"{op}(): label_smoothing must be between 0.0 and 1.0, got {label_smoothing}")
    return input, target, weight, reduction, ignore_index, label_smoothing


def nll_loss_backward(
    op: str,
    grad_output: Any,
    target: Any,
    weight: Any,
    total_weight: Any,
    input_shape: Sequence[int],
    reduction: int,
    ignore_index: int,
) -> tuple[Any, ...]:
    """As in `nll_loss`; the gradient is that of the reduced loss."""
    _require_classes(op, target, weight, tuple(input_shape))
    _require_reduction(op, reduction)
    require_shape(op, "grad_output", grad_output, () if reduction else target._shape)
    require_shape(op, "total_weight", total_weight, ())
    return grad_output, target, weight, total_weight, tuple(input_shape), reduction, ignore_index


def _require_classes(op: str, target: Any, weight: Any, shape: Sequence[int]) -> None:
    if not shape:
        raise ValueError(f"{op}(): Expected 1 or more dimensions, got a 0-d input")
    require_index_dtype(op, "target", target, (dtypes.int64, dtypes.uint8))
    classes = shape[min(len(shape), 2) - 1]
    if len(shape) > 1 and target._shape[:1] != tuple(shape[:1]):
        raise ValueError(
            f"{op}(): Expected input batch_size ({shape[0]}) to match target batch_size "
            f"({target._shape[0] if target._shape else 'none'})."
        )
    expected = (shape[0], *shape[2:]) if len(shape) > 1 else ()
    require_shape(op, "target", target, expected)
    if weight is not None and tuple(weight._shape) != (classes,):
        raise ShapeError(
            f"{op}(): weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight._shape)}"
        )
