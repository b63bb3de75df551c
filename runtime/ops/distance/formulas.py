"""Helpers of the composites of distances."""

from __future__ import annotations

from typing import Any, TypeAlias

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import

MANY = 25  # rows: libraries multiply more of them faster than threads subtract them


def by_product(x1: Tensor, x2: Tensor, compute_mode: str) -> bool:
    """Whether Euclidean distances are asked for by a product of matrices; the host subtracts, which is more exact."""
    many = max(x1._shape[-2], x2._shape[-2]) > MANY and compute_mode == "use_mm_for_euclid_dist_if_necessary"
    return x1.device.type != "cpu" and (many or compute_mode == "use_mm_for_euclid_dist")
