"""Masks of transformers: as numbers that are added to scores, and those that hide what comes later."""

from __future__ import annotations

import math
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import full
from ....runtime.errors import warn_user
from ....runtime.tensor.dtypes import bool_, get_default_dtype
from ...functional.attention.multihead_checks import check_mask_dtype


def as_numbers(name: str, mask: Tensor | None, like: Tensor, /, **others: Tensor | None) -> Tensor | None:
    """A mask as numbers that are added to scores: -inf where it is True; another mask had better be of its dtype."""
    check_mask_dtype(name, mask)
    if mask is None:
        return None
    for other, value in others.items():
        if value is not None and value.dtype is not mask.dtype:
            warn_user(f"Support for mismatched {name} and {other} is deprecated. Use same type for both instead.")
    if mask.dtype is not bool_:
        return mask
    return full(mask.shape, 0.0, dtype=like.dtype, device=mask.device).masked_fill(mask, -math.inf)


def square_subsequent_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Zeros on and below the diagonal, and -inf above it."""
    return full((size, size), -math.inf, dtype=dtype or get_default_dtype(), device=device).triu(1)


def detect_causal(mask: Tensor | None, is_causal: bool | None, rows: int | None = None) -> bool:
    """Whether a mask hides exactly what comes later: as said, or else by looking at it."""
    if is_causal is not None or mask is None:
        return is_causal is True
    size = mask.shape[-2] if rows is None else rows
    requested = square_subsequent_mask(size, device=mask.device, dtype=mask.dtype)
    return tuple(mask.shape) == tuple(requested.shape) and bool((mask == requested).all())
