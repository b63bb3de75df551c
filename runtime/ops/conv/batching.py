"""Layers: linear, convolution and pooling."""

from __future__ import annotations

from math import prod
from typing import Any

from ...batching.call import Call, belongs
from ...batching.rules.elementwise import padded
from ...batching.rules.shapes import as_list, merged, parted, shaped
from ...namespace import op
from ..matmul.batching import multiplied


def linear(call: Call) -> Any:
    """x W^T + b; rows of all examples together where they share the weight."""
    x, weight, bias = call.arguments.values()
    if len(weight._shape) == 1:
        return with_bias(call, multiplied(call, x, weight), bias, len(x._shape) - 1)
    if not call.is_batched("weight"):
        fits = not call.is_batched("bias")
        result = op.linear(call.bare(x), weight, bias if fits else None)
        return result if fits else with_bias(call, result, bias, len(x._shape))
    rows, columns = flat_rows(call, call.bare(x), x), call.whole(weight).transpose(1, 2)
    if not call.is_batched("input"):
        result = with_bias(call, rows.matmul(columns), bias, 2)
    elif bias is None:
        result = op.bmm(rows, columns)
    else:
        result = op.baddbmm(call.bare(bias.unsqueeze(0)), rows, columns)
    return shaped(result, (call.size, *x._shape[:-1], weight._shape[0]))


def with_bias(call: Call, result: Any, bias: Any, rank: int) -> Any:
    """A result plus a bias along the last of the `rank` dimensions of an example."""
    if bias is None:
        return result
    return result + (padded(call.whole(bias), rank) if call.is_batched("bias") else bias)


def flat_rows(call: Call, value: Any, example: Any) -> Any:
    """The rows of each example as one matrix."""
    size = (call.size,) if belongs(example, call.level) else ()
    return shaped(value, (*size, prod(example._shape[:-1]), example._shape[-1]))


def linear_weight_backward(call: Call) -> Any:
    """The gradient of a weight: grad^T x over all rows of an example."""
    grad, x = call["grad_output"], call["input"]
    vector = len(grad._shape) < len(x._shape)  # that of a weight with one dimension
    rows = call.bare(grad.unsqueeze(-1) if vector else grad)
    size = (call.size,) if belongs(grad, call.level) else ()
    rows = rows.reshape((*size, prod(x._shape[:-1]), rows._shape[-1]))
    result = rows.transpose(-2, -1).matmul(flat_rows(call, call.bare(x), x))
    return result.squeeze(-2) if vector else result


def convolve(call: Call) -> Any:
    """Examples join the samples where they share the weight, else the channels, as groups."""
    x, weight, bias = call["input"], call["weight"], call["bias"]
    if not call.is_batched("weight", "bias"):
        return in_samples(call, "input", len(x._shape) == len(weight._shape))
    arguments = call.all_whole()
    samples = len(x._shape) == len(weight._shape)
    found = op.convolution(
        in_channels(arguments["input"], samples),
        merged(arguments["weight"]),
        None if bias is None else merged(arguments["bias"]),
        *[arguments[name] for name in ("stride", "padding", "dilation")],
        call["groups"] * call.size,
    )
    return out_of_channels(found, call.size, samples)


def in_samples(call: Call, name: str, samples: bool) -> Any:
    """The op with the examples of one argument among its samples."""
    value = call.whole(call[name])
    if not samples:
        return call.run(call.arguments | {name: value})
    return parted(call.run(call.arguments | {name: merged(value)}), call.size)


def in_channels(value: Any, samples: bool = True) -> Any:
    """(B, N, C, ...) as (N, B * C, ...)."""
    return merged_at(value.transpose(0, 1), 1) if samples else merged(value)


def merged_at(value: Any, dim: int) -> Any:
    """Dimensions dim and dim + 1 as one."""
    shape = value._shape
    return value.reshape((*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]))


def out_of_channels(value: Any, size: int, samples: bool = True) -> Any:
    """(N, B * C, ...) as (B, N, C, ...)."""
    if not samples:
        return parted(value, size)
    shape = value._shape
    return value.reshape((shape[0], size, shape[1] // size, *shape[2:])).transpose(0, 1)


def convolve_input_backward(call: Call) -> Any:
    """The gradient of a convolution's input, the examples among samples or channels."""
    shape = as_list(call["input_shape"])
    samples = len(shape) == len(call["weight"]._shape)
    if not call.is_batched("weight"):
        larger = [shape[0] * call.size, *shape[1:]] if samples else [call.size, *shape]
        grad = call.whole(call["grad_output"])
        grad = merged(grad) if samples else grad
        found = call.run(call.arguments | {"input_shape": larger, "grad_output": grad})
        return parted(found, call.size) if samples else found
    arguments = call.all_whole()
    arguments["grad_output"] = in_channels(arguments["grad_output"], samples)
    arguments["weight"] = merged(arguments["weight"])
    arguments["input_shape"] = widened(shape, call.size, samples)
    arguments["groups"] = call["groups"] * call.size
    return out_of_channels(call.run(arguments), call.size, samples)


def widened(shape: list[int], size: int, samples: bool) -> list[int]:
    """A shape with the channels of all examples."""
    return [shape[0], shape[1] * size, *shape[2:]] if samples else [shape[0] * size, *shape[1:]]


def convolve_weight_backward(call: Call) -> Any:
    """The gradient of a convolution's weight, each example a group of channels of its own."""
    shape = as_list(call["weight_shape"])
    samples = len(call["input"]._shape) == len(shape)
    arguments = call.all_whole()
    arguments["grad_output"] = in_channels(arguments["grad_output"], samples)
    arguments["input"] = in_channels(arguments["input"], samples)
    arguments["weight_shape"] = [shape[0] * call.size, *shape[1:]]
    arguments["groups"] = call["groups"] * call.size
    return parted(call.run(arguments), call.size)


def planes(call: Call) -> Any:
    """Pooling looks at one plane at a time: examples join the samples, or the channels where there are no samples."""
    arguments = call.all_whole()
    for name in call.tensors():
        arguments[name] = merged(arguments[name])
    if "input_shape" in arguments:
        shape = as_list(arguments["input_shape"])
        arguments["input_shape"] = [shape[0] * call.size, *shape[1:]]
    return parted(call.run(arguments), call.size)
