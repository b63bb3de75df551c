"""Batching rules of convolution: the examples join the samples, or the channels as groups of their own."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.shapes import as_list, merged, parted


def convolve(call: Call) -> Any:
    """Examples join the samples where they share the weight, else the channels, as groups."""
    samples = len(call["input"]._shape) == len(call["weight"]._shape)
    if not call.is_batched("weight", "bias"):
        return in_samples(call, "input", samples)
    return out_of_channels(call.run(in_channels(call, samples)), call.size, samples)


def convolve_input_backward(call: Call) -> Any:
    """The gradient of a convolution's input, the examples among samples or channels."""
    shape = as_list(call["input_shape"])
    samples = len(shape) == len(call["weight"]._shape)
    if call.is_batched("weight"):
        return out_of_channels(call.run(in_channels(call, samples)), call.size, samples)
    larger = [shape[0] * call.size, *shape[1:]] if samples else [call.size, *shape]
    return in_samples(call, "grad_output", samples, input_shape=larger)


def convolve_weight_backward(call: Call) -> Any:
    """The gradient of a convolution's weight, each example a group of channels of its own."""
    samples = len(call["input"]._shape) == len(call["weight_shape"])
    return parted(call.run(in_channels(call, samples)), call.size)


def in_samples(call: Call, name: str, samples: bool, **changed: Any) -> Any:
    """The op with the examples of one argument among its samples, and some other arguments changed."""
    value = call.batch_first(call[name])
    result = call.run(call.arguments | changed | {name: merged(value) if samples else value})
    return parted(result, call.size) if samples else result


def in_channels(call: Call, samples: bool) -> dict[str, Any]:
    """The arguments of the op with the examples as groups of channels: (B, N, C, ...) as (N, B * C, ...)."""
    arguments = call.all_batch_first() | {"groups": call["groups"] * call.size}
    for name, value in arguments.items():
        if name in ("input_shape", "weight_shape"):
            dim = int(samples and name == "input_shape")
            arguments[name] = [n * call.size if d == dim else n for d, n in enumerate(as_list(value))]
        elif name in call.tensors():
            with_samples = samples and name in ("input", "grad_output")
            arguments[name] = merged_at(value.transpose(0, 1), 1) if with_samples else merged(value)
    return arguments


def out_of_channels(value: Any, size: int, samples: bool) -> Any:
    """(N, B * C, ...) as (B, N, C, ...)."""
    if not samples:
        return parted(value, size)
    shape = value._shape
    return value.reshape((shape[0], size, shape[1] // size, *shape[2:])).transpose(0, 1)


def merged_at(value: Any, dim: int) -> Any:
    """Dimensions dim and dim + 1 as one."""
    shape = value._shape
    return value.reshape((*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]))
