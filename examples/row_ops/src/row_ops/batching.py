"""Rules by which vmap computes all examples of a batch at once."""

from typing import Any

from specgrad.runtime.extensions.vmap.op_call import Call
from specgrad.runtime.extensions.vmap.rules_general import loop


def weighted_rows(call: Call) -> Any:
    """Rows of the same weights are rows of one call, others have a call each."""
    if call.is_batched("weight"):
        return loop(call)
    rows = call["input"]
    return call.run(call.arguments | {"input": call.batch_first(rows), "dim": call.dimension(call["dim"], rows.ndim)})


def rows_and_gain(call: Call) -> Any:
    """Rows with the same gain are rows of one call, others have a call each."""
    if call.is_batched("gain"):
        return loop(call)
    return call.run(call.arguments | {"input": call.batch_first(call["input"])})
