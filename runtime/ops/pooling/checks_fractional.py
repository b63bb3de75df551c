"""Argument checks of pooling over windows at random places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.shape_checks import require_shape
from ...errors import ShapeError


def fractional_max_pool(
    op: str, input: Any, kernel_size: Sequence[int], output_size: Sequence[int], random_samples: Any
) -> tuple[Any, ...]:
    """Two or three dimensions of windows, each of which fits; one random number for each plane and dimension."""
    spatial = len(kernel_size)
    if spatial not in (2, 3) or len(output_size) != spatial or input.ndim not in (spatial + 1, spatial + 2):
        raise ShapeError(
            f"{op}(): expected sizes for 2 or 3 dimensions behind the channels, got {list(kernel_size)}, "
            f"{list(output_size)} for input of shape {list(input._shape)}"
        )
    planes = input._shape[-spatial:]
    for size, kernel, windows in zip(planes, kernel_size, output_size, strict=True):
        if kernel < 1 or windows < 1 or windows + kernel - 1 > size:
            raise RuntimeError(
                f"{op}(): expected windows that fit into {list(planes)}, got kernel_size {list(kernel_size)} and "
                f"output_size {list(output_size)}"
            )
    rows = input._shape[:2] if input.ndim == spatial + 2 else (1, input._shape[0])
    require_shape(op, "_random_samples", random_samples, (*rows, spatial))
    return input, tuple(kernel_size), tuple(output_size), random_samples
