"""Workloads, written once against the API that specgrad and PyTorch share: a module for each group.

A workload is a function of the library that prepares its inputs and returns the function to time.
"""

from . import (
    algebra,
    attention,
    data,
    derivative,
    dtype,
    elementwise,
    indexing,
    layer,
    layout,
    loss,
    memory,
    model,
    optimizer,
    order,
    overhead,
    recurrent,
    reduction,
)
from .registering import COSTS, GROUPS

MODULES = (
    *(algebra, attention, data, derivative, dtype, elementwise, indexing, layer, layout, loss),
    *(memory, model, optimizer, order, overhead, recurrent, reduction),
)
WORKLOADS = {name: make for group in GROUPS.values() for name, make in group.items()}

__all__ = ["COSTS", "GROUPS", "MODULES", "WORKLOADS"]
