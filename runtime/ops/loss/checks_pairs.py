"""Argument checks of distances between vectors, and of losses of classes and pairs of vectors."""

from __future__ import annotations

from typing import Any

from ...dispatch.checks import wrap_dim
from ...dispatch.shape_checks import require_index_dtype
from ...errors import DimensionError, DtypeError, ShapeError
from ...tensor import dtypes
from ...tensor.shapes import broadcast_shapes


def along_common_dim(op: str, x1: Any, x2: Any, dim: int, eps: float) -> tuple[Any, ...]:
    """Vectors along `dim` of the shape that both broadcast to; floating-point in common."""
    if dtypes.result_type(x1, x2).kind not in "fc":
        found = dtypes.result_type(x1, x2).name
        raise DtypeError(f"{op}(): expected common dtype to be floating point, yet common dtype is {found}")
    shape = broadcast_shapes(op, x1._shape, x2._shape)
    return x1.expand(shape), x2.expand(shape), wrap_dim(op, dim, len(shape)), eps


def triplet(op: str, anchor: Any, positive: Any, negative: Any, margin: float, *rest: Any) -> tuple[Any, ...]:
    """Three tensors of as many dimensions, and a positive margin."""
    if not margin > 0:
        raise ValueError(f"{op}(): margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise ShapeError(
            f"{op}(): The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
            f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    return anchor, positive, negative, margin, *rest


def cosine_embedding(op: str, input1: Any, input2: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Two vectors and a number, or two matrices and a number for each row."""
    if target.ndim not in (0, 1):
        raise ShapeError(
            f"{op}(): 0D or 1D target tensor expected, multi-target not supported, got shape {list(target._shape)}"
        )
    wanted = target.ndim + 1
    if input1.ndim != wanted or input2.ndim != wanted:
        raise ShapeError(
            f"{op}(): {target.ndim}D target tensor expects {wanted}D input tensors, but found inputs with sizes "
            f"{list(input1._shape)} and {list(input2._shape)}"
        )
    return input1, input2, target, *rest


def multi_margin(op: str, input: Any, target: Any, p: int, margin: float, weight: Any, *rest: Any) -> tuple[Any, ...]:
    """Scores (batch, classes) or (classes,), a class for each row, p of 1 or 2, and one weight for each class."""
    if p not in (1, 2):
        raise ValueError(f"{op}(): only p == 1 and p == 2 supported, got p = {p}")
    if input.ndim not in (1, 2) or not input._shape[-1]:
        raise ShapeError(
            f"{op}(): Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input._shape)}"
        )
    require_index_dtype(op, "target", target, (dtypes.int64,))
    rows = input._shape[0] if input.ndim == 2 else 1
    if target.ndim > 1 or target.numel() != rows:
        raise ShapeError(f"{op}(): inconsistent target size, expected {rows} but got {list(target._shape)}")
    _require_classes(op, target, 0, input._shape[-1])
    if weight is not None and weight.ndim != 1:
        raise ValueError(f"{op}(): weight must be one-dimensional, got shape {list(weight._shape)}")
    if weight is not None and weight.numel() != input._shape[-1]:
        raise ShapeError(f"{op}(): inconsistent weight size, expected {input._shape[-1]} but got {list(weight._shape)}")
    return input, target, p, margin, weight, *rest


def multilabel_margin(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Scores (batch, classes) or (classes,), and as many class numbers, of which the first -1 ends a row."""
    if input.ndim not in (1, 2) or not input._shape[-1]:
        raise ShapeError(
            f"{op}(): Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input._shape)}"
        )
    require_index_dtype(op, "target", target, (dtypes.int64,))
    if target._shape != input._shape:
        raise ShapeError(
            f"{op}(): inconsistent target size: {list(target._shape)} for input of size: {list(input._shape)}"
        )
    _require_classes(op, target, -1, input._shape[-1])
    return input, target, *rest


def _require_classes(op: str, target: Any, least: int, classes: int) -> None:
    """All numbers are classes, in whatever example of a batch."""
    while hasattr(target, "level"):
        target = target.value
    if target.numel() and not least <= int(target.min()) <= int(target.max()) < classes:
        raise RuntimeError(
            f"{op}(): target out of range: expected classes from {least} to {classes - 1}, got {int(target.min())} to "
            f"{int(target.max())}"
        )


def some_classes(op: str, input: Any, *rest: Any) -> tuple[Any, ...]:
    """The last dimension holds the classes."""
    if not input.ndim:
        raise DimensionError(f"{op}(): expected input of at least one dimension, the classes, got a 0-d tensor")
    return input, *rest
