"""Checks of what goes wrong between ranks, for every rank: each breaks a group of its own."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad import distributed as dist
from tests.extensions.distributed.checks import check

SHORT = datetime.timedelta(seconds=3)


@check
def ranks_that_disagree_are_named(rank: int, size: int) -> None:
    """Another shape, dtype or collective on one rank is an error on all, which names both calls and the place."""
    last = size - 1
    calls: list[Callable[[Any], Any]] = [
        lambda group: dist.all_reduce(sg.ones(2 + rank // last), group=group),
        lambda group: dist.all_reduce(sg.ones(2, dtype=sg.float64 if rank == last else sg.float32), group=group),
        lambda group: (dist.all_reduce if rank == last else dist.barrier)(*_own(rank == last), group=group),
    ]
    for call in calls:
        group = dist.new_group()
        with pytest.raises(
            dist.DistBackendError, match=rf"failures\.py:\d+: the ranks disagree: .*rank {last} called all"
        ):
            call(group)
        with pytest.raises(dist.DistBackendError, match="an earlier call has failed"):
            dist.barrier(group)
    group = dist.new_group()
    if rank == 0:
        dist.send(sg.ones(2), 1, group)
    elif rank == 1:
        with pytest.raises(ValueError, match=r"rank 0 has sent a message float32 \[2\], but this rank expects a"):
            dist.recv(sg.ones(3), 0, group)


def _own(given: bool) -> tuple[Any, ...]:
    return (sg.ones(2),) if given else ()


@check
def ranks_that_do_not_come_are_named(rank: int, size: int) -> None:
    """After the timeout those who wait are told who waits in what, and who has not answered."""
    group = dist.new_group(timeout=SHORT)
    if rank:
        begin = time.monotonic()
        with pytest.raises(dist.DistBackendError, match=r"all_reduce float32 \[3\] SUM .*rank 0 did not answer"):
            dist.all_reduce(sg.ones(3), group=group)
        assert time.monotonic() - begin < 60
    dist.barrier()


@check
def who_fails_tells_the_others(rank: int, size: int) -> None:
    """An all_to_all of sizes that do not fit is an error on all ranks long before the timeout."""
    group = dist.new_group()
    sizes = [1 + (rank == 0)] + [1] * (size - 1)
    with pytest.raises((ValueError, dist.DistBackendError), match="sends|has failed"):
        dist.all_to_all_single(sg.zeros(sum(sizes)), sg.zeros(size), sizes, [1] * size, group)


@check
def monitored_barriers(rank: int, size: int) -> None:
    """The first rank names those that do not come; later barriers are not disturbed."""
    dist.monitored_barrier()
    group = dist.new_group()
    if rank != size - 1:
        requested = f"Ranks {size - 1} failed to pass" if rank == 0 else "Rank 0 did not answer"
        with pytest.raises(dist.DistBackendError, match=requested):
            dist.monitored_barrier(group, SHORT, wait_all_ranks=True)
    dist.barrier()
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=20))
