"""A rank's part of a parameter that is split over a group."""

from __future__ import annotations

from typing import Any

from ....runtime.distributed import collectives, gathering
from ....runtime.distributed.groups.process_group import ProcessGroup
from ....runtime.distributed.world import get_default_group, member
from ....runtime.modes.grad_mode import no_grad
from ...parameter import Parameter


def group_of(layer: str, group: Any) -> ProcessGroup:
    """The group that a layer is split over, the default one for None.

    Raises:
        ValueError: there is none, or this process is not in it.
    """
    result = member(group)
    if result is None:
        raise ValueError(f"{layer}: rank {get_default_group().rank()} is not in the group that it is split over")
    return result


def part_size(layer: str, name: str, full: int, group: ProcessGroup) -> int:
    """How much of a size each rank has.

    Raises:
        ValueError: it cannot be shared out equally.
    """
    if full % group.size():
        raise ValueError(f"{layer}: expected {name} to be a multiple of {group.size()} (ranks), got {full}")
    return full // group.size()


def own_part(full: Any, dim: int, group: ProcessGroup) -> Parameter:
    """This rank's part, along a dimension, of a parameter that the group's first rank has."""
    parts = [part.contiguous() for part in full.detach().chunk(group.size(), dim)]
    own = parts[0].new_zeros(parts[0].shape)
    gathering.scatter(own, parts if group.rank() == 0 else None, group=group, group_src=0)
    return Parameter(own, full.requires_grad)


def same_on_all(full: Any, group: ProcessGroup) -> Parameter:
    """The parameter that the group's first rank has."""
    with no_grad():
        own = full.detach().clone()
        collectives.broadcast(own, group=group, group_src=0)
    return Parameter(own, full.requires_grad)
