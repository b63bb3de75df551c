"""Collectives that gradients pass through. The code is in specgrad.runtime.distributed.differentiable."""

from ...runtime.distributed.differentiable import (
    _all_gather_base,  # noqa: F401
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
    send_recv,
)

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
    "send_recv",
]
