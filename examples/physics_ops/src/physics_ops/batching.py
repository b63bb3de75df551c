"""Rules by which vmap computes all examples of a batch at once."""

from typing import Any

from specgrad.runtime.extensions.vmap.op_call import Call
from specgrad.runtime.extensions.vmap.rules_general import loop


def rods(call: Call) -> Any:
    """Rods of the same conductivity are rows of one call, others have a call each."""
    if call.is_batched("conductivity"):
        return loop(call)
    return call.run(call.arguments | {"input": call.batch_first(call["input"])})
