"""How a workload gets its group, its name and what it costs at least."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType

Workload = Callable[[ModuleType], Callable[[], object]]


@dataclass(frozen=True)
class Cost:
    """What the arithmetic of a workload takes of a machine at least, whoever does it."""

    moved: int = 0  # bytes that are read or written
    flops: int = 0  # of products


# In the order in which they are timed and printed.
GROUPS: dict[str, dict[str, Workload]] = {
    name: {}
    for name in (
        *("overhead", "elementwise", "reduction", "memory", "layout", "indexing", "order", "algebra", "dtype"),
        *("layer", "recurrent", "attention", "loss", "optimizer", "derivative", "data", "model"),
    )
}
COSTS: dict[str, Cost] = {}
SIZE_NAMES = {1: "1", 1_000: "1k", 1_000_000: "1m", 4_000_000: "4m", 16_000_000: "16m"}


def workload(group: str) -> Callable[[Workload], Workload]:
    """Register a workload in a group, under its function's name."""

    def register(make: Workload) -> Workload:
        GROUPS[group][make.__name__] = make
        return make

    return register


def costing(moved: int = 0, flops: int = 0) -> Callable[[Workload], Workload]:
    """Say what a workload costs: it is printed how near a library comes to what the machine can do."""

    def say(make: Workload) -> Workload:
        COSTS[make.__name__] = Cost(moved, flops)
        return make

    return say


def sized(group: str, sizes: Sequence[int], touched: int) -> Callable[[Callable], Callable]:
    """Register a function of the library and a size for each of some sizes.

    Args:
        group: the group.
        sizes: numbers of elements.
        touched: how many arrays of float32 of that size are read or written; 0 where memory is not what bounds it.
    """

    def register(make: Callable) -> Callable:
        for size in sizes:
            name = f"{make.__name__}_{SIZE_NAMES[size]}"
            GROUPS[group][name] = partial(make, size=size)
            if touched and size >= 1_000_000:
                COSTS[name] = Cost(moved=4 * touched * size)
        return make

    return register
