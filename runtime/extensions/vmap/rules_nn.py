"""Batching rules of layers: examples join the samples, items, planes or sequences where they share the weights; those
of convolutions else the channels, as groups of their own.
"""

from __future__ import annotations

from typing import Any

from .op_call import Call, belongs
from .rules_general import as_list, loop, merged, parted


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
    shape = value._shape
    return value.reshape((*shape[:dim], shape[dim] * shape[dim + 1], *shape[dim + 2 :]))


def attend(call: Call) -> Any:
    """All items of all examples at once; what broadcasts over items is repeated where it differs between examples."""
    arguments, items = dict(call.arguments), call.first._shape[0]
    for name, value in call.tensors().items():
        if name in ("input", "key", "value"):
            arguments[name] = merged(call.batch_first(value))
        elif belongs(value, call.level) or value._shape[0] != 1:
            batch_first = call.batch_first(value)
            arguments[name] = merged(batch_first.expand((call.size, items, *batch_first._shape[2:])))
    return tuple([parted(result, call.size) for result in call.run(arguments)])


def planes(call: Call) -> Any:
    """Examples join the samples, or the channels where there are no samples."""
    arguments = call.all_batch_first()
    for name in call.tensors():
        arguments[name] = merged(arguments[name])
    if "input_shape" in arguments:
        shape = as_list(arguments["input_shape"])
        arguments["input_shape"] = [shape[0] * call.size, *shape[1:]]
    return parted(call.run(arguments), call.size)


STATES = ("hidden", "cell")


def recurrent(call: Call) -> Any:
    """All sequences of all examples at once; one call for each example where weights or lengths are its own."""
    weights = [name for name in call.arguments if name.startswith(("weight", "bias"))]
    if len(set(call["batch_sizes"])) > 1 or call.is_batched(*weights):
        return loop(call)
    arguments, sizes, rows = dict(call.arguments), call["batch_sizes"], call.batch_first(call["input"])
    if sizes:
        rows = rows.reshape((call.size, len(sizes), sizes[0], rows._shape[-1]))
        arguments["batch_sizes"] = ()
    arguments["input"] = merged_at(rows.transpose(0, 1), 1)
    states = [name for name in STATES if name in arguments]
    for name in states:
        arguments[name] = merged(call.batch_first(arguments[name]))
    output, *others = call.run(arguments)
    steps, size = output._shape[0], call.size
    output = output.reshape((steps, size, -1, output._shape[-1])).transpose(0, 1)
    if sizes:
        output = output.reshape((size, -1, output._shape[-1]))
    last = [parted(state, size) for state in others[: len(states)]]
    return (output, *last, *(_of_examples(value, steps, size) for value in others[len(states) :]))


def _of_examples(value: Any, steps: int, size: int) -> Any:
    """A saved array (..., steps * examples * batch, n) of all rows, with the examples in front."""
    *front, rows, width = value._shape
    batch = rows // (steps * size)
    unfolded = value.reshape((*front, steps, size, batch, width)).movedim(len(front) + 1, 0)
    return unfolded.reshape((size, *front, steps * batch, width))
