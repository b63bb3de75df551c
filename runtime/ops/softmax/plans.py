"""Plans of softmax and log-softmax of contiguous floats, and of their gradients."""

from math import prod
from typing import Any

from ...kernels.cpu.plan import Find, Plan, are_contiguous, single
from . import cpu_loops as loops

COLUMNS = 64  # that one thread has, at least


def along(rows: Any, columns: Any) -> Find:
    """One of two kernels: over rows where `dim` is the last dimension, else over columns side by side."""

    def find(*arguments: Any) -> Plan | None:
        *operands, dim = arguments
        shape = operands[0].shape
        if not are_contiguous(*operands) or not prod(shape):
            return None
        before, size, after = prod(shape[:dim]), prod(shape[dim : dim + 1]), prod(shape[dim + 1 :])
        if after == 1:
            return single(rows, len(operands), shape, (), (size,), (before, 1), size)
        return single(columns, len(operands), shape, (), (before, size, after), (before * after, COLUMNS))

    return find


softmax = along(loops.softmax_rows, loops.softmax_columns)
log_softmax = along(loops.log_softmax_rows, loops.log_softmax_columns)
softmax_backward = along(loops.softmax_backward_rows, loops.softmax_backward_columns)
log_softmax_backward = along(loops.log_softmax_backward_rows, loops.log_softmax_backward_columns)
