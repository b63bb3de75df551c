"""Argument rules of linear maps, softmax, norms, losses and embedding."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..checks import wrap_dim
from ..errors import DtypeError, ShapeError
from ..shapes import broadcast_shapes, numel


def linear(op: str, input: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
    """The last dimension of input must be that of weight, and bias must fit the other one."""
    x, w = input._shape, weight._shape
    if not x or len(w) not in (1, 2) or x[-1] != w[-1]:
        raise ShapeError(
            f"{op}(): expected input of shape [*, in_features] and weight of shape [out_features, "
            f"in_features] or [in_features], got {list(x)} and {list(w)}"
        )
    if bias is not None and bias._shape != w[:-1]:
        raise ShapeError(f"{op}(): expected bias of shape {list(w[:-1])}, got {list(bias._shape)}")
    return input, weight, bias


def linear_weight_grad(op: str, grad_output: Any, input: Any) -> tuple[Any, ...]:
    """The leading dimensions must agree."""
    g, x = grad_output._shape, input._shape
    if not x or x[:-1] not in (g, g[:-1]):
        raise ShapeError(f"{op}(): the shapes {list(g)} and {list(x)} differ before the last dimension")
    return grad_output, input


def softmax(op: str, input: Any, dim: int, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`."""
    return input, wrap_dim(op, dim, len(input._shape)), *rest


def softmax_backward(op: str, grad_output: Any, output: Any, dim: int) -> tuple[Any, ...]:
    """Equal shapes; wraps `dim`."""
    require_shape(op, "grad_output", grad_output, output._shape)
    return grad_output, output, wrap_dim(op, dim, len(output._shape))


def standardize(
    op: str, input: Any, weight: Any, bias: Any, dim: Sequence[int], affine_shape: Sequence[int], eps: float
) -> tuple[Any, ...]:
    """Wraps `dim`; affine_shape must broadcast to input, and weight and bias have as many elements."""
    given = None if weight is None else weight._shape, None if bias is None else bias._shape
    dims = _standardized_dims(op, input._shape, tuple(dim), tuple(affine_shape), *given)
    return input, weight, bias, dims, tuple(affine_shape), eps


@functools.lru_cache(maxsize=1024)
def _standardized_dims(
    op: str,
    shape: tuple[int, ...],
    dim: tuple[int, ...],
    affine_shape: tuple[int, ...],
    weight: tuple[int, ...] | None,
    bias: tuple[int, ...] | None,
) -> tuple[int, ...]:
    dims = tuple(sorted({wrap_dim(op, d, len(shape)) for d in dim}))
    if not shape or not dims:
        raise ShapeError(f"{op}(): expected dimensions to take the mean over, got {list(dims)} of {list(shape)}")
    wide = len(affine_shape) > len(shape)
    if wide or any(a not in (1, n) for a, n in zip(reversed(affine_shape), reversed(shape), strict=False)):
        raise ShapeError(f"{op}(): affine_shape {list(affine_shape)} does not broadcast to {list(shape)}")
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and numel(given) != numel(affine_shape):
            raise ShapeError(f"{op}(): expected {name} of {numel(affine_shape)} elements, got shape {list(given)}")
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
    shape = input._shape
    dims = tuple(wrap_dim(op, d, len(shape)) for d in dim)
    if not dims or dims != tuple(range(len(shape)))[-len(dims) :]:
        raise ShapeError(f"{op}(): expected the last dimensions of {list(shape)} in order, got {list(dim)}")
    if weight is not None:
        require_shape(op, "weight", weight, shape[-len(dims) :])
    return input, weight, dims, eps


def require_shape(op: str, name: str, tensor: Any, shape: Sequence[int]) -> None:
    """`tensor` must have exactly this shape."""
    if tuple(tensor._shape) != tuple(shape):
        raise ShapeError(f"{op}(): expected {name} of shape {list(shape)}, got {list(tensor._shape)}")


def require_index_dtype(op: str, name: str, tensor: Any, allowed: Sequence[dtypes.dtype]) -> None:
    """`tensor` must hold integers of one of the `allowed` dtypes."""
    if tensor.dtype not in allowed:
        names = " or ".join(d.name for d in allowed)
        raise DtypeError(f"{op}(): expected {name} of dtype {names}, got {tensor.dtype.name}")


def embedding(op: str, weight: Any, indices: Any, *rest: Any) -> tuple[Any, ...]:
    """A table of rows, and indices of an integer dtype."""
    if len(weight._shape) != 2:
        raise ShapeError(f"{op}(): 'weight' must be 2-D, got shape {list(weight._shape)}")
    require_index_dtype(op, "indices", indices, (dtypes.int64, dtypes.int32))
    return weight, indices, *rest


def embedding_backward(op: str, grad_output: Any, indices: Any, num_weights: int, *rest: Any) -> tuple[Any, ...]:
    """One row of the gradient for each index."""
    require_index_dtype(op, "indices", indices, (dtypes.int64, dtypes.int32))
    g, i = grad_output._shape, indices._shape
    if len(g) != len(i) + 1 or g[:-1] != i or num_weights < 0:
        raise ShapeError(
            f"{op}(): expected grad_output of shape {[*i, 'features']} and num_weights >= 0, "
            f"got {list(g)} and {num_weights}"
        )
    return grad_output, indices, num_weights, *rest


def masked_scale(op: str, input: Any, mask: Any, scale: float) -> tuple[Any, ...]:
    """A mask for every element."""
    require_shape(op, "mask", mask, input._shape)
    return input, mask, scale


def broadcastable(op: str, name: str, tensor: Any, shape: Sequence[int]) -> None:
    """`tensor` must broadcast to `shape`, not widen it."""
    if tensor is not None and broadcast_shapes(op, tensor._shape, shape) != tuple(shape):
        raise ShapeError(f"{op}(): {name} of shape {list(tensor._shape)} does not broadcast to {list(shape)}")
