"""All rows or all columns of Jacobians at once: `vmap` over backward, or over forward mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...batching import vmap
from ...namespace import op
from ...transforms.arguments import basis_of
from ..forward.dual import dual_level, make_dual, unpack_dual
from .strictness import zeros_for_none
from .structure import Tensors, gradients, outputs_of


def reverse_jacobian(outputs: Tensors, xs: Tensors, create_graph: bool) -> list[list[Any]]:
    """For each output the Jacobians in all inputs, by one backward pass of a batch of gradients."""

    def row(*units: Any) -> tuple[Any, ...]:
        return zeros_for_none(gradients(outputs, xs, units, create_graph), xs)

    sizes = [output.numel() for output in outputs]
    parts = [rows.split(sizes) for rows in vmap(row)(*basis_of(outputs))]
    return [
        [part[j].reshape((*output.shape, *x.shape)) for part, x in zip(parts, xs, strict=True)]
        for j, output in enumerate(outputs)
    ]


def forward_jacobian(func: Callable[..., Any], xs: Tensors) -> tuple[bool, list[list[Any]]]:
    """Whether `func` gives a tuple, and for each output the Jacobians in all inputs, by one pass of forward mode."""
    out_tuple = False

    def column(*units: Any) -> tuple[Any, ...]:
        nonlocal out_tuple
        with dual_level():
            duals = tuple(make_dual(x, unit) for x, unit in zip(xs, units, strict=True))
            out_tuple, outputs = outputs_of(func, duals, "jacobian")
            pairs = [unpack_dual(output) for output in outputs]
            return tuple(op.zeros_like(primal) if t is None else t for primal, t in pairs)

    sizes = [x.numel() for x in xs]
    parts = [columns.split(sizes, -1) for columns in vmap(column, out_dims=-1)(*basis_of(xs))]
    return out_tuple, [
        [block.reshape((*block.shape[:-1], *x.shape)) for block, x in zip(part, xs, strict=True)] for part in parts
    ]
