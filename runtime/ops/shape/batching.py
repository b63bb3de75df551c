"""Windows along a dimension of each example, and elements that a mask counts."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.general import loop


def windows(call: Call) -> Any:
    """unfold: the elements of a window become the last dimension, of the whole batch too."""
    rank = len(call.first._shape)
    if not rank:
        return loop(call)  # a single number has a dimension 0 that is not there
    arguments = call.all_whole()
    arguments["dimension"] = call.dimension(arguments["dimension"], rank)
    return call.run(arguments)


def ordered(call: Call) -> Any:
    """order_of_true: of one dimension more in front that counts examples."""
    arguments = call.all_whole()
    return call.run(arguments | {"lead": arguments["lead"] + 1})
