"""Plans of sorting rows that are so short that each element is put in its place by comparisons."""

from __future__ import annotations

from math import prod

from ...kernels.cpu.plan import Layout, Plan, Step
from .cpu_loops import argsort_short, sort_short, topk_short

SMALL = 32  # elements that are sorted by comparisons, in one call: of more rows branches would be guessed wrong


def argsort(x: Layout, dim: int, descending: bool, stable: bool) -> Plan | None:
    """Where the elements in order were."""
    if not is_short(x, dim):
        return None
    return (Step(argsort_short, (0,), ((0, x.shape),), (), (x.shape[-1], int(descending)), indices=(0,)),)


def sort(x: Layout, dim: int, descending: bool, stable: bool) -> Plan | None:
    """The elements in order, and where they were."""
    if not is_short(x, dim):
        return None
    return (Step(sort_short, (0,), ((0, x.shape), (1, x.shape)), (), (x.shape[-1], int(descending)), indices=(1,)),)


def topk(x: Layout, k: int, dim: int, largest: bool, sorted: bool) -> Plan | None:
    """The k greatest, or least, and where they were."""
    if not is_short(x, dim) or not k:
        return None
    shape = (*x.shape[:-1], k)
    return (Step(topk_short, (0,), ((0, shape), (1, shape)), (), (x.shape[-1], int(largest), k), indices=(1,)),)


def is_short(x: Layout, dim: int) -> bool:
    """Whether these are few elements in rows."""
    rows = x.strides is None and len(x.shape) > 0 and dim == len(x.shape) - 1
    return rows and 0 < prod(x.shape) <= SMALL
