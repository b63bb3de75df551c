"""Plans of softmax and log-softmax along the last dimension, and of their gradients."""

from __future__ import annotations

from math import prod
from typing import Any

from ...dispatch.plan import Layout, Plan, single
from . import cpu_loops as flat_rows


def softmax(x: Layout, dim: int) -> Plan | None:
    """Rows of the last dimension."""
    return _rows(flat_rows.softmax_flat, dim, x)


def log_softmax(x: Layout, dim: int) -> Plan | None:
    """Rows of the last dimension."""
    return _rows(flat_rows.log_softmax_flat, dim, x)


def softmax_backward(grad: Layout, output: Layout, dim: int) -> Plan | None:
    """Rows of the last dimension."""
    return _rows(flat_rows.softmax_backward_flat, dim, grad, output)


def log_softmax_backward(grad: Layout, output: Layout, dim: int) -> Plan | None:
    """Rows of the last dimension."""
    return _rows(flat_rows.log_softmax_backward_flat, dim, grad, output)


def _rows(kernel: Any, dim: int, *operands: Layout) -> Plan | None:
    shape = operands[0].shape
    last = len(shape) > 0 and dim == len(shape) - 1 and prod(shape) > 0
    if not last or any(x.strides is not None for x in operands):
        return None
    rows = prod(shape[:-1])
    return single(kernel, len(operands), shape, (rows, shape[-1]), (), (rows, 1))
