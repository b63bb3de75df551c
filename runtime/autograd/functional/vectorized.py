"""All rows or all columns of Jacobians at once: `vmap` over backward, or over forward mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...namespace import op
from ...tensor import adopt
from ..dual import dual_level, make_dual, unpack_dual
from .structure import Tensors, gradients, outputs_of


def basis(tensors: Sequence[Any]) -> list[Any]:
    """For each tensor a batch of tensors of its shape: together they are the unit vectors of all elements of all."""
    total = sum(t.numel() for t in tensors)
    starts = np.cumsum([0, *(t.numel() for t in tensors)])
    batches = []
    for t, start in zip(tensors, starts, strict=False):
        units = np.zeros((total, t.numel()), t.dtype.np)
        units[start : start + t.numel()] = np.eye(t.numel())
        batches.append(adopt(units.reshape(total, *t.shape), t.dtype))
    return batches


def reverse_jacobian(outputs: Tensors, xs: Tensors, create_graph: bool) -> list[list[Any]]:
    """For each output the Jacobians in all inputs, from one backward pass over a batch of gradients."""
    found = gradients(outputs, xs, basis(outputs), create_graph, is_grads_batched=True)
    sizes = [output.numel() for output in outputs]
    by_input = []
    for rows, x in zip(found, xs, strict=True):
        rows = op.zeros(sum(sizes), *x.shape, dtype=x.dtype) if rows is None else rows
        parts = rows.split(sizes)
        by_input.append([p.reshape(*o.shape, *x.shape) for p, o in zip(parts, outputs, strict=True)])
    return [list(row) for row in zip(*by_input, strict=True)]


def forward_jacobian(func: Callable[..., Any], xs: Tensors) -> tuple[bool, list[list[Any]]]:
    """Whether `func` gives a tuple, and for each output the Jacobians in all inputs, from one pass of forward mode."""
    from ...batching import vmap  # which imports autograd

    out_tuple = False

    def tangents(*directions: Any) -> tuple[Any, ...]:
        nonlocal out_tuple
        with dual_level():
            duals = tuple(make_dual(x, d) for x, d in zip(xs, directions, strict=True))
            out_tuple, outputs = outputs_of(func, duals, "jacobian")
            pairs = [unpack_dual(output) for output in outputs]
            return tuple(op.zeros_like(primal) if t is None else t for primal, t in pairs)

    found = vmap(tangents)(*basis(xs))
    return out_tuple, [_columns(columns, xs) for columns in found]


def _columns(columns: Any, xs: Tensors) -> list[Any]:
    """The tangents of one output, one for each element of the inputs, as Jacobians in each input."""
    shape = columns.shape[1:]
    order = [*range(1, len(shape) + 1), 0]
    parts = columns.split([prod(x.shape) for x in xs])
    return [part.permute(order).reshape(*shape, *x.shape) for part, x in zip(parts, xs, strict=True)]
