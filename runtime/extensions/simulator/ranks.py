"""Links between threads of one process that stand for ranks, and `SimulatedRanks`, a group of such ranks. Every
collective is an exchange: each rank lays down what it has for the others under the number of the call, and takes what
it is due when all have come. A tensor of the group has a first dimension of a part for each rank, so a collective is an
ordinary function of one tensor, whose gradients can be compared with differences.
"""

import datetime
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ...dispatch.ranks import Finish, Ranks
from ...locks import new_lock
from ..distributed.groups.algorithms import JOIN
from ..distributed.groups.links import ANY, Bytes, Look
from ..distributed.groups.process_group import ProcessGroup

_LAST_TAG = 2**20


class Board:
    """What the ranks of one communicator have laid down.

    Args:
        size: how many ranks there are.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = new_lock()
        self.calls: dict[int, list[Any]] = {}  # by the number of the call: what each rank has laid down
        self.received: dict[int, int] = {}  # how many have taken what they are due
        self.mailbox: list[tuple[int, int, int, Bytes]] = []  # from, to, tag, contents
        self.boards: dict[Any, Board] = {}  # of communicators that were made of this one


class SimulatedRequest:
    """A call that is complete when `take` says so.

    Args:
        take: tries to take what the rank is due, and returns who sent it, or None where it is not there.
    """

    def __init__(self, take: Callable[[], int | None]) -> None:
        self._take = take
        self._ended = False
        self.source = ANY

    def done(self) -> bool:
        if not self._ended:
            result = self._take()
            self._ended = result is not None
            self.source = ANY if result is None else result
        return self._ended


class SimulatedLink:
    """One rank's end of a communicator between threads.

    Args:
        board: what its ranks share.
        rank: which of them it is.
    """

    last_tag = _LAST_TAG

    def __init__(self, board: Board, rank: int) -> None:
        self._board = board
        self._calls = 0
        self.rank = rank
        self.size = board.size

    def _all_to_all(self, value: Any, take: Callable[[list[Any]], object]) -> SimulatedRequest:
        board, number = self._board, self._next_call()
        with board.lock:
            board.calls.setdefault(number, [None] * self.size)[self.rank] = (value,)

        def ready() -> int | None:
            with board.lock:
                every = board.calls[number]
                if any(one is None for one in every):
                    return None
                take([one[0] for one in every])
                board.received[number] = board.received.get(number, 0) + 1
                if board.received[number] == self.size:
                    del board.calls[number], board.received[number]
            return self.rank

        return SimulatedRequest(ready)

    def all_reduce(self, values: np.ndarray, operation: str) -> SimulatedRequest:
        def take(every: list[Any]) -> None:
            values[...] = reduce(JOIN[operation], every)

        return self._all_to_all(values.copy(), take)

    def reduce(self, values: np.ndarray, operation: str, root: int) -> SimulatedRequest:
        def take(every: list[Any]) -> None:
            if self.rank == root:
                values[...] = reduce(JOIN[operation], every)

        return self._all_to_all(values.copy(), take)

    def broadcast(self, data: Bytes, root: int) -> SimulatedRequest:
        def take(every: list[Any]) -> None:
            data[...] = every[root]

        return self._all_to_all(data.copy(), take)

    def all_gather(self, every: Bytes, own: Bytes) -> SimulatedRequest:
        return self._all_to_all(own.copy(), lambda parts: np.concatenate(parts, out=every))

    def gather(self, every: Bytes | None, own: Bytes, root: int) -> SimulatedRequest:
        def take(parts: list[Any]) -> None:
            if self.rank == root:
                np.concatenate(parts, out=every)

        return self._all_to_all(own.copy(), take)

    def scatter(self, own: Bytes, every: Bytes | None, root: int) -> SimulatedRequest:
        def take(value: list[Any]) -> None:
            own[...] = value[root].reshape(self.size, -1)[self.rank]

        return self._all_to_all(None if every is None else every.copy(), take)

    def all_to_all(
        self, into: Bytes, sizes_in: Sequence[int], out: Bytes, sizes_out: Sequence[int]
    ) -> SimulatedRequest:
        parts = np.split(out.copy(), np.cumsum(sizes_out)[:-1])
        return self._all_to_all(parts, lambda every: np.concatenate([sent[self.rank] for sent in every], out=into))

    def barrier(self) -> SimulatedRequest:
        return self._all_to_all(None, lambda every: None)

    def send(self, data: Bytes, to: int, tag: int) -> SimulatedRequest:
        with self._board.lock:
            self._board.mailbox.append((self.rank, to, tag, data.copy()))
        return SimulatedRequest(lambda: self.rank)

    def receive(self, data: Bytes, source: int, tag: int) -> SimulatedRequest:
        def take() -> int | None:
            with self._board.lock:
                result = self._next(source, tag)
                if result is None:
                    return None
                self._board.mailbox = [x for x in self._board.mailbox if x is not result]
            data[: result[3].size] = result[3]
            return result[0]

        return SimulatedRequest(take)

    def _next(self, source: int, tag: int) -> Any:
        mine = (x for x in self._board.mailbox if x[1:3] == (self.rank, tag) and source in (ANY, x[0]))
        return next(mine, None)

    def arrived(self, tag: int) -> tuple[int, int] | None:
        with self._board.lock:
            result = self._next(ANY, tag)
        return None if result is None else (result[0], result[3].size)

    def split(self, ranks: Sequence[int], seconds: float, look: Look) -> "SimulatedLink | None":
        number = self._next_call()
        return self._made(number, tuple(ranks)) if self.rank in ranks else None

    def copy(self, seconds: float, look: Look) -> "SimulatedLink":
        return self._made(self._next_call(), tuple(range(self.size)))

    def _next_call(self) -> int:
        self._calls += 1
        return self._calls - 1

    def _made(self, number: int, ranks: tuple[int, ...]) -> "SimulatedLink":
        with self._board.lock:
            board = self._board.boards.setdefault((number, ranks), Board(len(ranks)))
        return SimulatedLink(board, ranks.index(self.rank))

    def close(self) -> None: ...


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
