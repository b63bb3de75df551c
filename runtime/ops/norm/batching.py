"""Norms: examples are one more dimension that statistics are kept apart along; a weight for each is applied outside."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.elementwise import padded
from ...batching.rules.shapes import as_list, merged, parted
from ...namespace import op


def normalize(call: Call) -> Any:
    """Standardising over dimensions of each example."""
    rank = len(call["input"]._shape)
    batch_first, dims = call.batch_first(call["input"]), call.dimensions(as_list(call["dim"]), rank)
    if not call.is_batched("weight", "bias"):
        return call.run(call.arguments | {"input": batch_first, "dim": dims})
    output, mean, var = op.standardize(batch_first, None, None, dims, (1,), call["eps"])
    for name, combine in (("weight", op.mul), ("bias", op.add)):
        if call[name] is not None:
            output = combine(output, _expanded(call, name, rank))
    return output, mean, var


def normalize_groups(call: Call) -> Any:
    """Samples of all examples together; weights that differ between them are applied outside."""
    is_per_example = call.is_batched("weight", "bias")
    value = call.arguments | {"weight": None, "bias": None} if is_per_example else call.arguments
    output, mean, var = parted(call.run(value | {"input": merged(call.batch_first(call["input"]))}), call.size)
    for name, combine in (("weight", op.mul), ("bias", op.add)):
        if is_per_example and call[name] is not None:
            values = call.batch_first(call[name])
            output = combine(output, values.reshape((call.size, 1, -1, *[1] * (len(output._shape) - 3))))
    return output, mean, var


def normalize_by(call: Call) -> Any:
    """Samples of all examples together where they share the statistics, else channels of all."""
    value = call.batch_first(call["input"])
    if not call.is_batched("mean", "var", "weight", "bias"):
        return parted(call.run(call.arguments | {"input": merged(value)}), call.size)
    samples, channels = call["input"]._shape[:2]
    side_by_side = value.transpose(0, 1).reshape((samples, call.size * channels, *value._shape[3:]))
    arguments = {
        n: None if call[n] is None else merged(call.batch_first(call[n])) for n in ("mean", "var", "weight", "bias")
    }
    result = call.run(call.arguments | arguments | {"input": side_by_side})
    return result.reshape((samples, call.size, channels, *value._shape[3:])).transpose(0, 1)


def normalize_rms(call: Call) -> Any:
    """Rows of all examples together; a weight that differs between them is multiplied in apart."""
    rank = len(call["input"]._shape)
    batch_first, dims = call.batch_first(call["input"]), call.dimensions(as_list(call["dim"]), rank)
    if not call.is_batched("weight"):
        return call.run(call.arguments | {"input": batch_first, "dim": dims})
    output, scale = op.normalize_rms(batch_first, None, dims, call["eps"])
    return output * padded(call.batch_first(call["weight"]), rank), scale


def _expanded(call: Call, name: str, rank: int) -> Any:
    """A weight or bias in the shape in which it meets the examples."""
    shaped = call[name].reshape(call["affine_shape"])
    return padded(call.batch_first(shaped), rank) if call.is_batched(name) else shaped
