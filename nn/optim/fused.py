"""Running an update rule as one kernel over the tensors' memory where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from ...runtime.autograd.inplace.mutation import announce_write
from ...runtime.modes.grad_mode import watch
from ...runtime.pool.parallel_for import by_slices
from .rule import in_parts

_EMPTY: dict[Any, np.ndarray] = {
    np.dtype(np.float32): np.empty(0, np.float32),
    np.dtype(np.float64): np.empty(0, np.float64),
}


def update(
    kernel: Callable[..., None],
    rule: Callable[..., None],
    tensors: Sequence[Tensor | None],
    settings: Sequence[Any],
    fused: bool | None,
) -> None:
    """Change a parameter, the first of `tensors`: by the kernel, or by the same rule in tensor operations.

    The kernel takes what is contiguous, writable, on the CPU, of one size, and float32, float64 or complex (as pairs of
    reals).
    """
    arrays = None if fused is False else _arrays(tensors)
    if arrays is None:
        in_parts(rule, tensors, *settings)
        return
    if watch.active:
        announce_write(tensors[0])
    by_slices(kernel, (*arrays, *settings), arrays[0].size)
    tensors[0]._bump_version()  # type: ignore[union-attr]


def allowed(group: dict[str, Any]) -> bool | None:
    """What the group says of fused steps; gradients flow through tensor operations only."""
    return False if group["differentiable"] else group["fused"]


def unless_differentiable(group: dict[str, Any]) -> bool | None:
    """The same for rules whose groups say nothing of fused steps."""
    return False if group["differentiable"] else None


def _arrays(tensors: Sequence[Tensor | None]) -> list[np.ndarray] | None:
    """1-D arrays of real numbers over the memory of each tensor; an empty one for None."""
    first: Any = tensors[0]
    dtype = first._dtype
    if not (dtype.native or dtype.is_complex):
        return None
    real = dtype.real.np
    arrays: list[np.ndarray] = []
    for t in tensors:
        if t is None:
            arrays.append(_EMPTY[real])
            continue
        flat: Any = t._flat
        if flat is None or t._dtype is not dtype or t._shape != first._shape or t._device.type != "cpu":
            return None
        if not flat.flags.writeable:
            return None
        arrays.append(flat if dtype.native else flat.view(real))
    return arrays
