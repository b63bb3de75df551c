"""Argument checks of convolutions and transposed convolutions; strides have one number for each spatial dimension."""

import functools
from collections.abc import Sequence
from typing import Any

from ...dispatch.shape_rules import require_shape
from ...errors import ShapeError
from ...shapes import Shape, conv_size, side_pads

Ints = Sequence[int]


def convolution(
    op: str, input: Any, weight: Any, bias: Any, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> tuple[Any, ...]:
    """Shapes that fit together, steps above 0, pads not below, a kernel no larger than the padded input."""
    if len({len(stride), len(padding), len(dilation)}) > 1:
        dims = max(len(stride), len(dilation))
        stride, padding, dilation = (_expanded(values, dims) for values in (stride, padding, dilation))
    name = _name(op, stride)
    output_shape(name, input._shape, weight._shape, stride, padding, dilation, groups)
    require_bias(name, weight, bias, weight._shape[0])
    return input, weight, bias, stride, padding, dilation, groups


def convolution_input_backward(
    op: str, grad_output: Any, weight: Any, input_shape: Ints, *geometry: Any
) -> tuple[Any, ...]:
    """The gradient has the shape of the output of a convolution of an input of this shape."""
    expected = output_shape(_name(op, geometry[0]), tuple(input_shape), weight._shape, *geometry)
    require_shape(op, "grad_output", grad_output, expected)
    return grad_output, weight, tuple(input_shape), *geometry


def convolution_weight_backward(
    op: str, grad_output: Any, input: Any, weight_shape: Ints, *geometry: Any
) -> tuple[Any, ...]:
    """The gradient has the shape of the output of a convolution with a weight of this shape."""
    expected = output_shape(_name(op, geometry[0]), input._shape, tuple(weight_shape), *geometry)
    require_shape(op, "grad_output", grad_output, expected)
    return grad_output, input, tuple(weight_shape), *geometry


def _expanded(values: Ints, dims: int) -> tuple[int, ...]:
    return tuple(values) * dims if len(values) == 1 else tuple(values)


def _name(op: str, stride: Ints) -> str:
    return f"conv{len(stride)}d" if op == "convolution" else op


@functools.lru_cache(maxsize=1024)
def output_shape(op: str, x: Shape, weight: Shape, stride: Ints, padding: Ints, dilation: Ints, groups: int) -> Shape:
    """The shape of the output, after all checks of the geometry."""
    dims = len(stride)
    if not dims or len(dilation) != dims or len(padding) not in (dims, 2 * dims):
        raise ShapeError(
            f"{op}(): expected stride, padding and dilation with one number per spatial dimension, "
            f"got {tuple(stride)}, {tuple(padding)} and {tuple(dilation)}"
        )
    _require_minimum(op, 1, stride=stride, dilation=dilation, groups=(groups,))
    _require_minimum(op, 0, padding=padding)
    _require_weight(op, weight, dims, groups)
    _require_channels(op, x, weight, dims, weight[1] * groups, f"groups={groups}")
    pads = side_pads(padding, dims)
    along = zip(x[-dims:], weight[2:], stride, pads, dilation, strict=True)
    sizes = [conv_size(n, k, s, sum(pad), d) for n, k, s, pad, d in along]
    if min(sizes) < 1:
        padded = [n + sum(pad) for n, pad in zip(x[-dims:], pads, strict=True)]
        read_extent = [d * (k - 1) + 1 for d, k in zip(dilation, weight[2:], strict=True)]
        raise ShapeError(
            f"{op}(): Calculated padded input size per channel: ({_times(padded)}). Kernel size: "
            f"({_times(read_extent)}). Kernel size can't be greater than actual input size"
        )
    return (*x[: -dims - 1], weight[0], *sizes)


def require_bias(op: str, weight: Any, bias: Any, channels: int) -> None:
    if bias is not None and tuple(bias._shape) != (channels,):
        raise ShapeError(
            f"{op}(): Given weight of size {list(weight._shape)}, expected bias to be 1-dimensional with {channels} "
            f"elements, but got bias of size {list(bias._shape)} instead"
        )


def _require_minimum(op: str, minimum: int, **arguments: Ints) -> None:
    for name, values in arguments.items():
        if min(values) < minimum:
            kind = "non-positive" if minimum else "negative"
            raise RuntimeError(f"{op}(): {kind} {name} is not supported, got {tuple(values)}")


def _require_weight(op: str, weight: Shape, dims: int, groups: int) -> None:
    if len(weight) != dims + 2:
        raise ShapeError(f"{op}(): expected weight of {dims + 2} dimensions, got shape {list(weight)}")
    if min(weight[2:]) < 1:
        raise ShapeError(f"{op}(): kernel size should be greater than zero, but got ({_times(weight[2:])})")
    if weight[0] % groups or weight[0] == 0:
        raise ShapeError(
            f"{op}(): Given groups={groups}, expected weight to be at least {groups} and divisible by {groups} at "
            f"dimension 0, but got weight of size {list(weight)} instead"
        )


def _require_channels(op: str, x: Shape, weight: Shape, dims: int, channels: int, value: str) -> None:
    if len(x) not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {op}, but got input of size: {list(x)}"
        )
    if x[-dims - 1] != channels:
        raise ShapeError(
            f"{op}(): Given {value}, weight of size {list(weight)}, expected input{list(x)} to have {channels} "
            f"channels, but got {x[-dims - 1]} channels instead"
        )


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


def expand_param(name: str, values: Ints, spatial: int) -> Shape:
    """A number for each spatial dimension: given so, or one for all."""
    if len(values) not in (1, spatial):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {spatial} values to match the convolution "
            f"dimensions, but got {name}={list(values)}"
        )
    return _expanded(values, spatial)


@functools.lru_cache(maxsize=1024)
def transposed_shape(
    x: Shape, weight: Shape, stride: Shape, padding: Shape, output_padding: Shape, dilation: Shape, groups: int
) -> Shape:
    """The shape of the output, after all checks of the geometry."""
    spatial = len(stride)
    op = f"conv_transpose{spatial}d"
    _require_minimum(op, 1, stride=stride, dilation=dilation, groups=(groups,))
    _require_minimum(op, 0, padding=padding, output_padding=output_padding)
    if any(extra >= max(s, d) for extra, s, d in zip(output_padding, stride, dilation, strict=True)):
        raise RuntimeError(
            f"{op}(): output padding must be smaller than either stride or dilation, but got "
            f"output_padding={output_padding}, stride={stride} and dilation={dilation}"
        )
    _require_weight(op, weight, spatial, groups)
    if not weight[1]:
        raise ShapeError(f"{op}(): expected weight with channels of the output, got shape {list(weight)}")
    _require_channels(op, x, weight, spatial, weight[0], "transposed=1")
    own = x[-spatial:]
    along = zip(own, stride, padding, dilation, weight[2:], output_padding, strict=True)
    sizes = tuple((n - 1) * s - 2 * pad + d * (k - 1) + 1 + extra for n, s, pad, d, k, extra in along)
    if min(sizes) < 1:
        raise ShapeError(
            f"Given input size per channel: ({_times(own)}). Calculated output size per channel: ({_times(sizes)}). "
            "Output size is too small"
        )
    return (*x[: -spatial - 1], weight[1] * groups, *sizes)
