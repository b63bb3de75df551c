"""Argument checks of convolutions; `stride` and `dilation` tell the number of spatial dimensions."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ...dispatch.shape_checks import require_shape
from ...errors import ShapeError
from ...kernels.window_sizes import conv_size, side_pads

Ints = Sequence[int]


def convolution(
    op: str, input: Any, weight: Any, bias: Any, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> tuple[Any, ...]:
    """Shapes that fit together, steps above 0, pads not below, a kernel no larger than the padded input."""
    if len({len(stride), len(padding), len(dilation)}) > 1:
        dims = max(len(stride), len(dilation))
        stride, padding, dilation = (_spread(values, dims) for values in (stride, padding, dilation))
    name = _name(op, stride)
    output_shape(name, input._shape, weight._shape, stride, padding, dilation, groups)
    if bias is not None and tuple(bias._shape) != weight._shape[:1]:
        raise ShapeError(
            f"{name}(): Given weight of size {list(weight._shape)}, expected bias to be 1-dimensional with "
            f"{weight._shape[0]} elements, but got bias of size {list(bias._shape)} instead"
        )
    return input, weight, bias, stride, padding, dilation, groups


def convolution_input_grad(
    op: str, grad_output: Any, weight: Any, input_shape: Ints, *geometry: Any
) -> tuple[Any, ...]:
    """The gradient has the shape of the output of a convolution of an input of this shape."""
    expected = output_shape(_name(op, geometry[0]), tuple(input_shape), weight._shape, *geometry)
    require_shape(op, "grad_output", grad_output, expected)
    return grad_output, weight, tuple(input_shape), *geometry


def convolution_weight_grad(
    op: str, grad_output: Any, input: Any, weight_shape: Ints, *geometry: Any
) -> tuple[Any, ...]:
    """The gradient has the shape of the output of a convolution with a weight of this shape."""
    expected = output_shape(_name(op, geometry[0]), input._shape, tuple(weight_shape), *geometry)
    require_shape(op, "grad_output", grad_output, expected)
    return grad_output, input, tuple(weight_shape), *geometry


def _spread(values: Ints, dims: int) -> tuple[int, ...]:
    """A list of one number stands for the same number in every dimension."""
    return tuple(values) * dims if len(values) == 1 else tuple(values)


def _name(op: str, stride: Ints) -> str:
    """What the user called."""
    return f"conv{len(stride)}d" if op == "convolution" else op


@functools.lru_cache(maxsize=1024)
def output_shape(
    op: str,
    x: tuple[int, ...],
    weight: tuple[int, ...],
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> tuple[int, ...]:
    """The shape of the output, after all checks of the geometry."""
    dims = len(stride)
    _require_steps(op, dims, stride, padding, dilation, groups)
    _require_channels(op, dims, x, weight, groups)
    pads = side_pads(padding, dims)
    sizes = [
        conv_size(n, k, s, sum(pad), d)
        for n, k, s, pad, d in zip(x[-dims:], weight[2:], stride, pads, dilation, strict=True)
    ]
    if min(weight[2:]) < 1:
        raise ShapeError(f"{op}(): kernel size should be greater than zero, but got ({_times(weight[2:])})")
    if min(sizes) < 1:
        padded = [n + sum(pad) for n, pad in zip(x[-dims:], pads, strict=True)]
        reach = [d * (k - 1) + 1 for d, k in zip(dilation, weight[2:], strict=True)]
        raise ShapeError(
            f"{op}(): Calculated padded input size per channel: ({_times(padded)}). Kernel size: "
            f"({_times(reach)}). Kernel size can't be greater than actual input size"
        )
    return (*x[: -dims - 1], weight[0], *sizes)


def _require_steps(op: str, dims: int, stride: Ints, padding: Ints, dilation: Ints, groups: int) -> None:
    if not dims or len(dilation) != dims or len(padding) not in (dims, 2 * dims):
        raise ShapeError(
            f"{op}(): expected stride, padding and dilation with one number per spatial dimension, "
            f"got {tuple(stride)}, {tuple(padding)} and {tuple(dilation)}"
        )
    least = {"stride": (min(stride), 1), "dilation": (min(dilation), 1), "padding": (min(padding), 0)}
    for what, (found, bound) in {**least, "groups": (groups, 1)}.items():
        if found < bound:
            raise RuntimeError(f"{op}(): expected {what} of at least {bound}, got {found}")


def _require_channels(op: str, dims: int, x: tuple[int, ...], weight: tuple[int, ...], groups: int) -> None:
    if len(weight) != dims + 2:
        raise ShapeError(f"{op}(): expected weight of {dims + 2} dimensions, got shape {list(weight)}")
    if len(x) not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {op}, but got input of size: {list(x)}"
        )
    channels = x[-dims - 1]
    if weight[0] % groups or weight[0] == 0:
        raise ShapeError(
            f"{op}(): Given groups={groups}, expected weight to be at least {groups} at dimension 0 and "
            f"divisible by it, but got weight of size {list(weight)}"
        )
    if channels != weight[1] * groups:
        raise ShapeError(
            f"{op}(): Given groups={groups}, weight of size {list(weight)}, expected input{list(x)} to have "
            f"{weight[1] * groups} channels, but got {channels} channels instead"
        )


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))
