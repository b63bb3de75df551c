"""`SimulatedRanks`: a group whose ranks are all in this process, and whose tensors have a part for each of them.

A collective of such a group takes a tensor with a first dimension of a part for each rank, begins the call on all ranks
and waits for all: what it gives has a part for each again. So it is an ordinary function of one tensor, whose gradients
can be compared with differences; its contents go through the same algorithms as between processes.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import numpy as np

from ..transport.simulated import Board, SimulatedLink
from .process_group import ProcessGroup
from .ranks import Finish, Ranks

_PATIENCE = datetime.timedelta(seconds=60)


class SimulatedRanks(Ranks):
    leading = 1

    def __init__(self, count: int) -> None:
        data, control = Board(count), Board(count)
        self._members = [
            ProcessGroup(SimulatedLink(data, rank), SimulatedLink(control, rank), range(count), _PATIENCE, "simulated")
            for rank in range(count)
        ]

    def size(self) -> int:
        return len(self._members)

    def members(self) -> list[ProcessGroup]:
        return self._members

    def parts(self, array: np.ndarray) -> list[np.ndarray]:
        return list(array)

    def copies(self, array: np.ndarray) -> list[np.ndarray]:
        return [array] * self.size()

    def run(self, begun: Sequence[Finish]) -> list[np.ndarray]:
        while any(member.is_busy for member in self._members):
            for member in self._members:
                member.advance()
        return [finish() for finish in begun]

    def stacked(self, result: Sequence[np.ndarray]) -> np.ndarray:
        return np.stack(result)

    def __repr__(self) -> str:
        return f"<SimulatedRanks: {self.size()} ranks in this process>"
