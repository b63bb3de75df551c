"""Collectives that gradients pass through, under PyTorch's name: there are no process groups."""

from ...runtime.pytorch.environment.process_groups import absent as all_gather
from ...runtime.pytorch.environment.process_groups import absent as all_reduce
from ...runtime.pytorch.environment.process_groups import absent as all_to_all
from ...runtime.pytorch.environment.process_groups import absent as all_to_all_single
from ...runtime.pytorch.environment.process_groups import absent as broadcast
from ...runtime.pytorch.environment.process_groups import absent as gather
from ...runtime.pytorch.environment.process_groups import absent as reduce
from ...runtime.pytorch.environment.process_groups import absent as reduce_scatter
from ...runtime.pytorch.environment.process_groups import absent as scatter

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
