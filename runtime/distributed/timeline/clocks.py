"""How far the clocks of ranks are apart: by letters there and back, or from what traces say of common calls.

Of a letter there and back (Cristian, "Probabilistic clock synchronization", 1989) the answer was written at the middle
of the way, give or take half of it: the shortest way says it best. In traces, a call of all ranks ends nowhere before
it has begun everywhere (Duda et al., "Estimating global time in distributed systems", 1987).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...creation import tensor
from ...tensor.dtypes import int64
from .. import messages
from ..groups.process_group import ProcessGroup

_CLOCK_ROUNDS = 12


class Call(NamedTuple):
    """When a call of all ranks of a group began and ended on one of them, in nanoseconds of its clock."""

    begin: float
    end: float


def offsets(group: ProcessGroup) -> list[float]:
    """How far each rank's clock is ahead of that of the first, in nanoseconds: for the first rank, which asks them.

    All ranks call it. What cannot be told from no difference is none: ranks of one machine have one clock.

    Args:
        group: the process group.
    """
    if group.rank():
        for _ in range(_CLOCK_ROUNDS):
            messages.recv(tensor([0], dtype=int64), group=group, group_src=0)
            messages.send(_now(), group=group, group_dst=0)
        return []
    return [
        0.0,
        *(_ahead([_clock_round(group, rank) for _ in range(_CLOCK_ROUNDS)]) for rank in range(1, group.size())),
    ]


def _now() -> Any:
    return tensor([time.time_ns()], dtype=int64)


def _clock_round(group: ProcessGroup, rank: int) -> tuple[float, float]:
    """By how much a rank's clock was ahead at the middle of the way, and half of how long that was."""
    answer = tensor([0], dtype=int64)
    sent = time.time_ns()
    messages.send(_now(), group=group, group_dst=rank)
    messages.recv(answer, group=group, group_src=rank)
    back = time.time_ns()
    return int(answer[0]) - (sent + back) / 2, (back - sent) / 2


def _ahead(clock_samples: Iterable[tuple[float, float]]) -> float:
    result, doubt = min(clock_samples, key=lambda round_trip: round_trip[1])
    return result if abs(result) > doubt else 0.0


def corrected(own: Sequence[Call], first: Sequence[Call]) -> float:
    """The least by which a rank's clock must be ahead of the first rank's, given the same calls on both.

    Args:
        own: the calls on the rank.
        first: the same calls on the first rank, in the same order.

    Returns:
        Nanoseconds: 0 where nothing speaks against clocks that agree.
    """
    if not own:
        return 0.0
    lower_bound = max(one.begin - other.end for one, other in zip(own, first, strict=True))
    upper_bound = min(one.end - other.begin for one, other in zip(own, first, strict=True))
    if lower_bound > upper_bound:  # clocks that do not run alike
        return (lower_bound + upper_bound) / 2
    return min(max(0.0, lower_bound), upper_bound)
