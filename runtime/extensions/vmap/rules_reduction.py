"""Batching rules of reductions, collectives, medians, counting and searching."""

from __future__ import annotations

import math
from typing import Any

from ...namespace import op
from .op_call import Call
from .rules_general import along, as_list, flattened, loop


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
    value = arguments["input"]
    result = call.run(arguments | {"input": flattened(value), "dim": 1, "keepdim": False})
    return result.reshape((call.size, *[1] * (len(value._shape) - 1))) if call["keepdim"] else result


def summed_to(call: Call) -> Any:
    """The sum over what broadcasting to this shape had repeated."""
    value, size = call.batch_first(call["input"]), as_list(call["size"])
    missing = len(value._shape) - 1 - len(size)
    return op.sum_to_size(value, (call.size, *[1] * missing, *size)).reshape((call.size, *size))


def behind(call: Call) -> Any:
    """One call for all examples, which are the last dimension."""
    name, dim = next(iter(call.arguments)), call.arguments.get("dim")
    arguments = call.arguments | {name: call.batch_first(call[name]).movedim(0, -1)}
    if isinstance(dim, int) and dim < 0:
        arguments["dim"] = dim - 1
    return call.run(arguments).movedim(-1, 0)


def median_value(call: Call) -> Any:
    """The median of all elements: of flattened examples, equal elements sharing the gradient as in amax."""
    rows = flattened(call.batch_first(call.first))
    values = call.sibling(call.op)(rows, 1).values if rows.shape[1] else loop(call)
    if not rows.is_floating_point() or not rows.shape[1]:
        return values
    result = values.detach().unsqueeze(1)
    chosen = (rows == result) | (op.isnan(rows) & op.isnan(result))
    share = chosen.to(rows.dtype) / chosen.sum(1, True)
    missing = (rows.masked_fill(~chosen, 0) * share).sum(1)  # amax has no gradient at nan
    return op.where(op.isnan(values), missing, op.amax(rows.masked_fill(~chosen | op.isnan(rows), -math.inf), [1]))


def one_by_one(call: Call) -> Any:
    """One call for each example: what counts in bins, or multiplies by coordinates, is no faster for all at once."""
    return loop(call)


def searched(call: Call) -> Any:
    """In one row that all examples share, or in a row for each; values of any shape lie in a row for that."""
    values = call.batch_first(call["input"])
    if len(call["sorted_sequence"]._shape) > 1:
        return call.run(call.all_batch_first())
    if not call.is_batched("sorted_sequence", "sorter"):
        return call.run(call.arguments | {"input": values})
    return call.run(call.all_batch_first() | {"input": flattened(values)}).reshape(values._shape)
