"""Making a gradient look like the input it belongs to: what the generator adds to every formula."""

from __future__ import annotations

import functools
from typing import Any

from ...namespace import op
from ...tensor.shapes import Shape


def fit(grad: Any, meta: tuple[Any, Any]) -> Any:
    """A gradient made to look like its input: summed over broadcast dimensions, projected to real, cast."""
    shape, dtype = meta
    if grad._shape != shape:
        grad = op.sum_to_size(grad, shape) if was_broadcast(shape, grad._shape) else grad.expand(shape)
    if grad._dtype is not dtype:
        if grad._dtype.kind == "c" and dtype.kind != "c":
            grad = op.real_copy(grad)
        if grad._dtype is not dtype:
            grad = grad.to(dtype)
    return grad


def in_rows(grad: Any) -> Any:
    """A gradient that is one number for all elements, written down for each of them."""
    return grad.contiguous()


def broadcasts(shape: Shape, to: Shape) -> bool:
    pairs = zip(shape[::-1], to[::-1], strict=False)
    return len(shape) <= len(to) and all(size in (1, wide) for size, wide in pairs)


@functools.lru_cache(maxsize=4096)
def was_broadcast(shape: Shape, to: Shape) -> bool:
    """Whether `to` is larger than `shape` by broadcasting; with empty tensors their element counts cannot tell."""
    return len(to) > len(shape) or any(size == 1 != wide for size, wide in zip(shape[::-1], to[::-1], strict=False))
