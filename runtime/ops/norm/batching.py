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
    whole, dims = call.whole(call["input"]), call.dimensions(as_list(call["dim"]), rank)
    if not call.is_batched("weight", "bias"):
        return call.run(call.arguments | {"input": whole, "dim": dims})
    output, mean, var = op.standardize(whole, None, None, dims, (1,), call["eps"])
    for name, combine in (("weight", op.mul), ("bias", op.add)):
        if call[name] is not None:
            output = combine(output, _spread(call, name, rank))
    return output, mean, var


def normalize_groups(call: Call) -> Any:
    """Samples of all examples together; weights that differ between them are applied outside."""
    apart = call.is_batched("weight", "bias")
    given = call.arguments | {"weight": None, "bias": None} if apart else call.arguments
    output, mean, var = parted(call.run(given | {"input": merged(call.whole(call["input"]))}), call.size)
    for name, combine in (("weight", op.mul), ("bias", op.add)):
        if apart and call[name] is not None:
            values = call.whole(call[name])
            output = combine(output, values.reshape((call.size, 1, -1, *[1] * (len(output._shape) - 3))))
    return output, mean, var


def normalize_by(call: Call) -> Any:
    """Samples of all examples together where they share the statistics, else channels of all."""
    value = call.whole(call["input"])
    if not call.is_batched("mean", "var", "weight", "bias"):
        return parted(call.run(call.arguments | {"input": merged(value)}), call.size)
    samples, channels = call["input"]._shape[:2]
    side_by_side = value.transpose(0, 1).reshape((samples, call.size * channels, *value._shape[3:]))
    given = {n: None if call[n] is None else merged(call.whole(call[n])) for n in ("mean", "var", "weight", "bias")}
    found = call.run(call.arguments | given | {"input": side_by_side})
    return found.reshape((samples, call.size, channels, *value._shape[3:])).transpose(0, 1)


def normalize_rms(call: Call) -> Any:
    """Rows of all examples together; a weight that differs between them is multiplied in apart."""
    rank = len(call["input"]._shape)
    whole, dims = call.whole(call["input"]), call.dimensions(as_list(call["dim"]), rank)
    if not call.is_batched("weight"):
        return call.run(call.arguments | {"input": whole, "dim": dims})
    output, scale = op.normalize_rms(whole, None, dims, call["eps"])
    return output * padded(call.whole(call["weight"]), rank), scale


def _spread(call: Call, name: str, rank: int) -> Any:
    """A weight or bias in the shape in which it meets the examples."""
    shaped = call[name].reshape(call["affine_shape"])
    return padded(call.whole(shaped), rank) if call.is_batched(name) else shaped
