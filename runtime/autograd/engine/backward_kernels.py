"""What generated nodes need around a kernel that gives all gradients at once: see `backward` in the spec's header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...tensor.base import fresh, holding


def dtype_of(grads: Sequence[Any]) -> Any:
    """The dtype of the gradients of several outputs; None where none is given."""
    return next((grad._dtype for grad in grads if grad is not None), None)


def all_native(metas: Sequence[Any], dtype: Any) -> bool:
    """Whether gradients and inputs have one dtype, and it is one that kernels take as it is."""
    if dtype is None or not dtype.native:
        return False
    for meta in metas:  # noqa: SIM110  (a generator costs more than the loop)
        if meta is not None and meta[1] is not dtype:
            return False
    return True


def as_gradient(array: Any, shape: Any, dtype: Any) -> Any:
    """What a kernel returned, as a tensor of the shape of the input."""
    return holding(array, shape, dtype) if array.shape == shape else fresh(array.reshape(-1), shape, dtype)


def as_gradients(arrays: Sequence[Any], metas: Sequence[Any], dtype: Any) -> tuple[Any, ...]:
    """The same for several inputs; None stays."""
    return tuple(
        [
            None if array is None else as_gradient(array, meta[0], dtype)
            for array, meta in zip(arrays, metas, strict=True)
        ]
    )
