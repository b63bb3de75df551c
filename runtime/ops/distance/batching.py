"""Batching rules of distances."""

from __future__ import annotations

from typing import Any

from ...batching.call import Call
from ...namespace import op


def pairs_of_rows_each(call: Call) -> Any:
    """Distances of all pairs of rows of each example, and of these the ones above the diagonal."""
    x = call.batch_first(call.first)
    rows = op.arange(x._shape[1], device="cpu")
    above = (rows.unsqueeze(1) < rows).reshape(-1).nonzero().reshape(-1).to(x.device)
    p = call["p"]
    return op.row_distances(x, x, p).flatten(1).index_select(1, above)
