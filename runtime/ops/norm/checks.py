"""Argument checks of norms with a mean and a variance, and of RMS norm."""

import functools
from collections.abc import Sequence
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.shape_rules import require_shape
from ...errors import ShapeError
from ...shapes import numel


def standardize(
    op: str, input: Any, weight: Any, bias: Any, dim: Sequence[int], affine_shape: Sequence[int], eps: float
) -> tuple[Any, ...]:
    """Wraps `dim`; affine_shape must broadcast to input, and weight and bias have as many elements."""
    args = None if weight is None else weight._shape, None if bias is None else bias._shape
    dims = _standardized_dims(op, input._shape, tuple(dim), tuple(affine_shape), *args)
    return input, weight, bias, dims, tuple(affine_shape), eps


@functools.lru_cache(maxsize=1024)
def _standardized_dims(
    op: str, shape: tuple[int, ...], dim: tuple[int, ...], affine_shape: tuple[int, ...],
    weight: tuple[int, ...] | None, bias: tuple[int, ...] | None,
) -> tuple[int, ...]:  # fmt: skip
    dims = tuple(sorted({wrap_dim(op, d, len(shape)) for d in dim}))
    if not shape or not dims:
        raise ShapeError(f"{op}(): expected dimensions to take the mean over, got {list(dims)} of {list(shape)}")
    wide = len(affine_shape) > len(shape)
    if wide or any(a not in (1, n) for a, n in zip(reversed(affine_shape), reversed(shape), strict=False)):
        raise ShapeError(f"{op}(): affine_shape {list(affine_shape)} does not broadcast to {list(shape)}")
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and numel(value) != numel(affine_shape):
            raise ShapeError(f"{op}(): expected {name} of {numel(affine_shape)} elements, got shape {list(value)}")
    return dims


def standardize_groups(op: str, input: Any, weight: Any, bias: Any, groups: int, eps: float) -> tuple[Any, ...]:
    """Input (N, C, ...) whose channels make groups, and one number per channel in weight and bias."""
    shape = input._shape
    if len(shape) < 2:
        raise ShapeError(f"{op}(): Expected at least 2 dimensions for input tensor but received {len(shape)}")
    channels = shape[1]
    if groups < 1 or channels % groups:
        raise RuntimeError(
            f"{op}(): Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={groups}"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tensor._shape != (channels,):
            raise ShapeError(
                f"{op}(): Expected {name} to be a vector of size equal to the number of channels in input, but "
                f"got {name} of shape {list(tensor._shape)} and input of shape {list(shape)}"
            )
    return input, weight, bias, groups, eps


def normalize_by(op: str, input: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, ...]:
    """Input (N, C, ...), and C numbers in all others."""
    shape = input._shape
    if len(shape) < 2:
        raise ShapeError(f"{op}(): expected input of at least 2 dimensions, got shape {list(shape)}")
    for name, tensor in (("mean", mean), ("var", var), ("weight", weight), ("bias", bias)):
        if tensor is not None:
            require_shape(op, name, tensor, shape[1:2])
    return input, mean, var, weight, bias, eps


def normalize_rms(op: str, input: Any, weight: Any, dim: Sequence[int], eps: float) -> tuple[Any, ...]:
    """Wraps `dim`, which must be the last dimensions; weight has their sizes."""
    return input, weight, _last_dims(op, input._shape, dim, weight=weight), eps


def standardize_rows(op: str, input: Any, weight: Any, bias: Any, dim: Sequence[int], eps: float) -> tuple[Any, ...]:
    """Wraps `dim`, which must be the last dimensions; weight and bias have their sizes."""
    return input, weight, bias, _last_dims(op, input._shape, dim, weight=weight, bias=bias), eps


def _last_dims(op: str, shape: tuple[int, ...], dim: Sequence[int], **tensors: Any) -> tuple[int, ...]:
    dims = tuple(wrap_dim(op, d, len(shape)) for d in dim)
    if not dims or dims != tuple(range(len(shape)))[-len(dims) :]:
        raise ShapeError(f"{op}(): expected the last dimensions of {list(shape)} in order, got {list(dim)}")
    for name, tensor in tensors.items():
        if tensor is not None:
            require_shape(op, name, tensor, shape[-len(dims) :])
    return dims
