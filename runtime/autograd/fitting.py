"""Making a gradient look like the input it belongs to: what the generator adds to every formula."""

from __future__ import annotations

from math import prod
from typing import Any

from ..namespace import op


def fit(grad: Any, meta: tuple[Any, Any]) -> Any:
    """A gradient made to look like its input: summed over broadcast dimensions, projected to real, cast."""
    shape, dtype = meta
    if grad._shape != shape:
        grad = op.sum_to_size(grad, shape) if grad.numel() >= prod(shape) else grad.expand(shape)
    if grad._dtype is not dtype:
        if grad._dtype.kind == "c" and dtype.kind != "c":
            grad = op.real(grad)
        if grad._dtype is not dtype:
            grad = grad.to(dtype)
    return grad
