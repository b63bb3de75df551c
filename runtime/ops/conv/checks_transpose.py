"""Argument checks of transposed convolutions, which are the gradients of convolutions as functions of their input."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...errors import ShapeError

Ints = Sequence[int]
Sizes = tuple[int, ...]


def spread_over(name: str, values: Ints, spatial: int) -> Sizes:
    """A number for each spatial dimension: given so, or one for all."""
    if len(values) not in (1, spatial):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {spatial} values to match the convolution "
            f"dimensions, but got {name}={list(values)}"
        )
    return tuple(values) * spatial if len(values) == 1 else tuple(values)


@functools.lru_cache(maxsize=1024)
def transposed_shape(
    x: Sizes, weight: Sizes, stride: Sizes, padding: Sizes, output_padding: Sizes, dilation: Sizes, groups: int
) -> Sizes:
    """The shape of the output, after all checks of the geometry."""
    spatial = len(stride)
    _require_steps(stride, padding, output_padding, dilation, groups)
    _require_channels(f"conv_transpose{spatial}d", x, weight, spatial, groups)
    own = x[-spatial:]
    sizes = tuple(
        (n - 1) * s - 2 * pad + d * (k - 1) + 1 + extra
        for n, s, pad, d, k, extra in zip(own, stride, padding, dilation, weight[2:], output_padding, strict=True)
    )
    if min(sizes) < 1:
        raise ShapeError(
            f"Given input size per channel: ({_times(own)}). Calculated output size per channel: ({_times(sizes)}). "
            "Output size is too small"
        )
    return (*x[: -spatial - 1], weight[1] * groups, *sizes)


def require_bias(weight: Any, bias: Any, groups: int) -> None:
    """One number for each channel of the output."""
    count = weight._shape[1] * groups
    if bias is not None and tuple(bias._shape) != (count,):
        raise ShapeError(
            f"Given transposed=1, weight of size {list(weight._shape)}, expected bias to be 1-dimensional with {count} "
            f"elements, but got bias of size {list(bias._shape)} instead"
        )


def _require_steps(stride: Sizes, padding: Sizes, output_padding: Sizes, dilation: Sizes, groups: int) -> None:
    for name, values, least in (("stride", stride, 1), ("dilation", dilation, 1), ("groups", (groups,), 1)):
        if min(values) < least:
            raise RuntimeError(f"non-positive {name} is not supported")
    for name, values in (("padding", padding), ("output_padding", output_padding)):
        if min(values) < 0:
            raise RuntimeError(f"negative {name} is not supported")
    if any(extra >= max(s, d) for extra, s, d in zip(output_padding, stride, dilation, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"output_padding={output_padding}, stride={stride} and dilation={dilation}"
        )


def _require_channels(op: str, x: Sizes, weight: Sizes, spatial: int, groups: int) -> None:
    if len(weight) != spatial + 2 or min(weight[1:]) < 1:
        raise ShapeError(
            f"{op}(): expected weight of {spatial + 2} dimensions with channels and a kernel, got shape {list(weight)}"
        )
    if len(x) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to {op}, but got input of size: "
            f"{list(x)}"
        )
    if weight[0] % groups or weight[0] == 0:
        raise ShapeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size {list(weight)} instead"
        )
    channels = x[-spatial - 1]
    if channels != weight[0]:
        raise ShapeError(
            f"Given transposed=1, weight of size {list(weight)}, expected input{list(x)} to have {weight[0]} channels, "
            f"but got {channels} channels instead"
        )


def _times(sizes: Ints) -> str:
    return " x ".join(map(str, sizes))
