"""What generated nodes need around a kernel that gives all gradients at once: see `backward` in the spec's header."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tensor import fresh


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


def as_gradients(arrays: Sequence[Any], metas: Sequence[Any], dtype: Any) -> tuple[Any, ...]:
    """What a kernel returned, as tensors of the shapes of the inputs; None stays."""
    return tuple(
        [
            None if array is None else fresh(array.reshape(-1), meta[0], dtype)
            for array, meta in zip(arrays, metas, strict=True)
        ]
    )
