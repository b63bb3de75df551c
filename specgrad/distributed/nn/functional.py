"""Collectives that gradients pass through, under PyTorch's name: there are no process groups."""

from ...runtime.pytorch.environment.process_groups import needs_group as all_gather
from ...runtime.pytorch.environment.process_groups import needs_group as all_reduce
from ...runtime.pytorch.environment.process_groups import needs_group as all_to_all
from ...runtime.pytorch.environment.process_groups import needs_group as all_to_all_single
from ...runtime.pytorch.environment.process_groups import needs_group as broadcast
from ...runtime.pytorch.environment.process_groups import needs_group as gather
from ...runtime.pytorch.environment.process_groups import needs_group as reduce
from ...runtime.pytorch.environment.process_groups import needs_group as reduce_scatter
from ...runtime.pytorch.environment.process_groups import needs_group as scatter

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]
