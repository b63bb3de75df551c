"""Medians, and counting and searching, whose calls differ in shape from those for one example."""

from __future__ import annotations

import math
from typing import Any

from ...batching.call import Call
from ...batching.rules.general import loop
from ...batching.rules.shapes import flattened
from ...namespace import op


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
