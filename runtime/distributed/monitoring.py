"""`monitored_barrier`: a barrier that says which ranks have not come."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from .groups.errors import DistBackendError
from .groups.process_group import ProcessGroup
from .groups.work import until
from .world import get_default_group, member_for

_pending: list[Any] = []  # messages that nobody may have received


def monitored_barrier(
    group: Any = None, timeout: datetime.timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """Wait until all ranks have come; the group's first rank names those that have not.

    Args:
        group: the process group; the default one when left out.
        timeout: how long to wait; the group's when left out.
        wait_all_ranks: whether all ranks that have not come are named, and not the first alone.

    Raises:
        DistBackendError: a rank did not come in time.
    """
    chosen = member_for("monitored_barrier", group)
    if chosen is None:
        return
    chosen.monitored += 1
    seconds = (timeout or chosen.timeout).total_seconds()
    if chosen.rank() == 0:
        _first(chosen, seconds, wait_all_ranks)
    else:
        _other(chosen, seconds)


def _tag(group: ProcessGroup) -> int:
    return group.control.last_tag - 1


def _count(group: ProcessGroup) -> np.ndarray:
    return np.array([group.monitored], np.int64).view(np.uint8)


def _first(group: ProcessGroup, seconds: float, wait_all_ranks: bool) -> None:
    missing = set(range(1, group.size()))

    def settled() -> bool:
        missing.difference_update(_arrived(group))
        return not missing or not missing.isdisjoint(_lost(group))

    until(settled, seconds)
    if missing:
        late = [group.ranks[rank] for rank in sorted(missing)]
        named = ", ".join(map(str, late if wait_all_ranks else late[:1]))
        raise DistBackendError(
            f"[Rank {group.ranks[0]}]: Ranks {named} failed to pass monitoredBarrier in {seconds * 1000:.0f} ms"
            + "".join(f"; rank {group.ranks[rank]} {text}" for rank, text in _lost(group).items())
        )
    for rank in range(1, group.size()):
        _pending.append(group.control.send(_count(group), rank, _tag(group)))
    _forget()


def _lost(group: ProcessGroup) -> dict[int, str]:
    """Who will not come any more, by their ranks in the group, and why."""
    return {group.ranks.index(rank): text for rank, text in group.lost().items()}


def _arrived(group: ProcessGroup) -> list[int]:
    """Who has come to this barrier; marks of barriers that were given up are passed over."""
    matches = []
    while (notice := group.control.arrived(_tag(group))) is not None:
        mark = np.empty(notice[1], np.uint8)
        request = group.control.receive(mark, notice[0], _tag(group))
        until(request.done, group.timeout.total_seconds())
        if (mark == _count(group)).all():
            matches.append(notice[0])
    return matches


def _other(group: ProcessGroup, seconds: float) -> None:
    """Tell the first, and wait for its answer."""
    _pending.append(group.control.send(_count(group), 0, _tag(group)))
    answered = False

    def settled() -> bool:
        nonlocal answered
        answered = answered or 0 in _arrived(group)
        return answered or bool(_lost(group))

    until(settled, seconds)
    if not answered:
        world = get_default_group().rank()
        raise DistBackendError(
            f"[Rank {world}]: Rank {group.ranks[0]} did not answer in monitoredBarrier in {seconds * 1000:.0f} ms: it, "
            "or another rank, has not come" + "".join(f"; rank {rank} {text}" for rank, text in group.lost().items())
        )
    _forget()


def _forget() -> None:
    _pending[:] = [request for request in _pending if not request.done()]
