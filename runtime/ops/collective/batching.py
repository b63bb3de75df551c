"""Batching of collectives: they join elements of the same place, so that examples may lie behind all dimensions."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call


def behind(call: Call) -> Any:
    """One call for all examples, which are the last dimension."""
    name, dim = next(iter(call.arguments)), call.arguments.get("dim")
    arguments = call.arguments | {name: call.batch_first(call[name]).movedim(0, -1)}
    if isinstance(dim, int) and dim < 0:
        arguments["dim"] = dim - 1
    return call.run(arguments).movedim(-1, 0)
