"""Losses of sequences: the sequences of all examples side by side."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.shapes import merged, parted


def temporal(call: Call) -> Any:
    """Scores (steps, samples, classes) and rows of labels; each example has the same lengths."""
    arguments = call.all_whole()
    scores = arguments["log_probs"].transpose(0, 1)
    steps, size, samples, classes = scores._shape
    arguments["log_probs"] = scores.reshape((steps, size * samples, classes))
    arguments["targets"] = merged(arguments["targets"])
    for name in ("input_lengths", "target_lengths"):
        arguments[name] = list(arguments[name]) * size
    return parted(call.run(arguments), size)
