"""Batching rules of convolution and pooling: the examples join the samples, or the channels as groups of their own."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.shapes import as_list, merged, parted
from ...namespace import op


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
