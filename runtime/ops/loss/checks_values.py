"""Argument checks of losses that compare values one by one, and take their reduction as a word."""

from __future__ import annotations

import warnings
from typing import Any

from ...errors import DtypeError, ShapeError
from ...tensor.shapes import broadcast_shapes


def same_sizes(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Input and target broadcast to each other, with a warning where they differ; a weight has input's shape."""
    _require_same_size(op, rest[-1], input)
    return *_expanded(op, input, target), *rest


def floating_values(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Input and target are floating-point."""
    for name, tensor in (("input", input), ("target", target)):
        if tensor.dtype.kind != "f":
            raise DtypeError(f"{op}(): expected {name} of a floating point dtype, got {tensor.dtype.name}")
    return input, target, *rest


def smooth_l1(op: str, input: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Input and target broadcast to each other, with a warning where they differ; beta is not negative."""
    beta = rest[-1]
    if beta < 0:
        raise RuntimeError(f"{op}(): smooth_l1_loss does not support negative values for beta, got {beta}")
    return *_expanded(op, input, target), *rest


def huber(op: str, input: Any, target: Any, reduction: str, delta: float, weight: Any) -> tuple[Any, ...]:
    """Input and target broadcast, with a warning where they differ; delta is positive, a weight has input's shape."""
    if not delta > 0:
        raise RuntimeError(f"{op}(): huber_loss does not support non-positive values for delta, got {delta}")
    _require_same_size(op, weight, input)
    return *_expanded(op, input, target), reduction, delta, weight


def _require_same_size(op: str, weight: Any, input: Any) -> None:
    if weight is not None and weight._shape != input._shape:
        raise ValueError(
            f"{op}(): Weights and input must have the same size, got {list(weight._shape)} and {list(input._shape)}"
        )


def _expanded(op: str, input: Any, target: Any) -> tuple[Any, Any]:
    if input._shape == target._shape:
        return input, target
    shape = broadcast_shapes(op, input._shape, target._shape)
    warnings.warn(
        f"Using a target size ({list(target._shape)}) that is different to the input size "
        f"({list(input._shape)}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=4,
    )
    return input.expand(shape), target.expand(shape)


def gaussian_nll(op: str, input: Any, target: Any, var: Any, *rest: Any) -> tuple[Any, ...]:
    """var is a number, has input's shape, or one number for each row; nothing of it is negative."""
    if not hasattr(var, "shape"):
        negative = var < 0
    else:
        if var._shape != input._shape:
            var = _one_for_each_row(op, input, var)
        negative = _any_negative(var)
    if negative:
        raise ValueError(f"{op}(): var has negative entry/entries")
    return input, target, var, *rest


def _any_negative(var: Any) -> bool:
    """Whether one of the numbers is below zero, in whatever example of a batch."""
    while hasattr(var, "level"):
        var = var.value
    return bool((var.detach() < 0).any())


def _one_for_each_row(op: str, input: Any, var: Any) -> Any:
    """Variances that broadcast to input in one dimension."""
    if var._shape == input._shape[:-1] and input.ndim:
        return var.unsqueeze(-1)
    same_rank = input.ndim == var.ndim
    if same_rank and sum(m for n, m in zip(input._shape, var._shape, strict=True) if n != m) == 1:
        return var
    raise ValueError(f"{op}(): var is of incorrect size: {list(var._shape)} for input of shape {list(input._shape)}")


def margin_ranking(op: str, input1: Any, input2: Any, target: Any, *rest: Any) -> tuple[Any, ...]:
    """Inputs and target have as many dimensions."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise ShapeError(
            f"{op}(): All input tensors should have same dimension but got sizes: input1: {list(input1._shape)}, "
            f"input2: {list(input2._shape)}, target: {list(target._shape)}"
        )
    return input1, input2, target, *rest
