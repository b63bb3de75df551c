"""Windows along a dimension of each example, and cuts at places that a tensor says."""

from __future__ import annotations

from typing import Any

from ..call import Call
from .general import dynamic, loop


def windows(call: Call) -> Any:
    """unfold: the places of a window become the last dimension, of the whole batch too."""
    rank = len(call.first._shape)
    if not rank:
        return loop(call)  # a single number has a dimension 0 that is not there
    arguments = call.all_whole()
    arguments["dimension"] = call.dimension(arguments["dimension"], rank)
    return call.run(arguments)


def cut(call: Call) -> Any:
    """tensor_split: at places that all examples share, for they say how large the results are."""
    if call.is_batched("tensor_indices_or_sections"):
        return dynamic(call)
    dim = call.dimension(call["dim"], len(call.first._shape))
    return call.run(call.arguments | {"input": call.whole(call.first), "dim": dim})
