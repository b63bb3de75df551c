"""Recurrent layers: the examples of a batch are more sequences, where they share the weights."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.general import loop
from ...batching.rules.shapes import merged, parted
from ..conv.batching import merged_at

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
