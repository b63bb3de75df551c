"""Helpers of the formulas of views that read complex numbers as pairs of real ones, and pairs as complex numbers."""

from typing import Any, TypeAlias

from ...namespace import op

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def complex_of_pairs(x: Tensor) -> Tensor:
    """The complex numbers whose parts stand in the last dimension: a view where memory allows, else of a copy."""
    strides = x.stride()
    fits = strides[-1] == 1 and not any(step % 2 for step in (*strides[:-1], x.storage_offset()))
    return op.view_as_complex(x if fits else op.contiguous_copy(x))
