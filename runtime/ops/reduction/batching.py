"""Reductions: over dimensions of the examples, or over all of an example."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...batching.rules.general import loop
from ...batching.rules.shapes import along, as_list, flattened
from ...namespace import op


def everything(call: Call) -> Any:
    """Over all elements of each example: the overload with `dim`, on flattened examples."""
    name = next(iter(call.arguments))
    return call.run(call.arguments | {name: call.derived(name, flattened), "dim": 1}, call.sibling(call.op))


def extreme(call: Call) -> Any:
    """max or min of all elements, equal ones sharing the gradient: amax, amin."""
    flat = call.derived(next(iter(call.arguments)), flattened)
    return call.run({"input": flat, "dim": 1}, call.sibling(f"a{call.op}"))


def reduction(call: Call) -> Any:
    """Over `dim`: one or several dimensions, or all when it is None or empty."""
    rank = len(call.first._shape)
    dim = call["dim"]
    if not rank:
        return loop(call)
    if dim is not None and (isinstance(dim, int) or len(dim)):
        return along(call)
    arguments = call.all_batch_first()
    if call.op.startswith("arg"):  # counts through the flattened example
        return over_flattened(call, arguments)
    return call.run(arguments | {"dim": list(range(1, rank + 1))})


def over_flattened(call: Call, arguments: dict[str, Any]) -> Any:
    """Over the flattened example; with keepdim the result has its number of dimensions."""
    value = arguments["input"]
    result = call.run(arguments | {"input": flattened(value), "dim": 1, "keepdim": False})
    return result.reshape((call.size, *[1] * (len(value._shape) - 1))) if call["keepdim"] else result


def summed_to(call: Call) -> Any:
    """The sum over what broadcasting to this shape had repeated."""
    value, size = call.batch_first(call["input"]), as_list(call["size"])
    missing = len(value._shape) - 1 - len(size)
    return op.sum_to_size(value, (call.size, *[1] * missing, *size)).reshape((call.size, *size))
