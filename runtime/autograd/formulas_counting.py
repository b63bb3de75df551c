"""Counting in bins, searching in ordered rows and distinct elements, as calls of the ops that do the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ..dtypes import float32, float64, int32
from ..namespace import op
from ..structured import ReturnType

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def counted(self: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """How often each whole number occurs, or the weights of where it does, added up."""
    counts = op.bin_counts(self, minlength)
    if weights is None:
        return counts
    weights = weights if weights.dtype is float32 else weights.to(float64)
    return op.zeros_like(counts, dtype=weights.dtype).index_add(0, self.long(), weights)


def places_in(rows: Tensor, values: Any, out_int32: bool, right: bool, sorter: Tensor | None) -> Tensor:
    """Where values would be put into ordered rows."""
    if not isinstance(values, type(rows)) and isinstance(values, (int, float)):
        values = op.as_tensor(values)
    found = op.search_places(rows.detach(), values.detach(), right, sorter)
    return found.to(int32) if out_int32 else found


def histogram_of(self: Tensor, edges: Tensor, weight: Tensor | None, density: bool) -> Any:
    """What lies between neighbouring edges, and the edges; as a density, divided by all and by the edges' distance."""
    edges = edges.detach()
    hist = op.counts_between(self.detach().reshape(-1), edges, None if weight is None else weight.detach().reshape(-1))
    hist = hist / hist.sum() / op.diff(edges) if density else hist
    return ReturnType("histogram", ("hist", "bin_edges"))(hist, edges)


def equal_parts(like: Tensor, bins: int, bounds: Sequence[float]) -> Tensor:
    """The edges of equal parts of a range."""
    return op.linspace(*bounds, bins + 1, dtype=like.dtype, device=like.device)


def chosen_outputs(found: Sequence[Tensor], inverse: bool, counts: bool) -> Any:
    """The distinct elements, with which each one is and how often, where wanted."""
    outputs = [found[0], *([found[1]] if inverse else []), *([found[2]] if counts else [])]
    return tuple(outputs) if len(outputs) > 1 else outputs[0]
