"""Calls between processes, as a profiler sees them: which are under way, and when the program drives or awaits them."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...tensor.tensor import TensorBase
from ..distributed.groups.observers import Ended, observed
from .named_ranges import CALL, DRIVE, WAIT
from .session import Record, Session

_BACKEND = "mpi"


class Calls:
    """Records calls of process groups into a session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def begun(self, work: Any) -> Ended:
        return self.session.beside(_name(work), CALL, about(work))

    def waits(self, work: Any) -> Ended:
        record = self.session.begin(f"wait for {_name(work)}", WAIT)
        record.about = {"Call": work.call_description}
        return lambda: self.session.end(record)

    def drives(self) -> Ended:
        record = self.session.begin(f"{_BACKEND}:progress", DRIVE)
        return lambda: self.session.end(record)


def _name(work: Any) -> str:
    return f"{_BACKEND}:{work.call_description.split()[0]}"


def about(work: Any) -> dict[str, Any]:
    tensors: list[Any] = [one for one in work.outputs if isinstance(one, TensorBase)]
    group = work.group
    return {
        "Collective name": work.call_description.split()[0],
        "Call": work.call_description,
        "dtype": tensors[0].dtype.name if tensors else "",
        "Shapes": [list(one.shape) for one in tensors],
        "Bytes": sum(one.numel() * one.element_size() for one in tensors),
        "Process Group Name": group.group_name,
        "Process Group Ranks": list(group.ranks),
        "Group size": group.size(),
        "Rank": group.ranks[group.rank()],
    }


def distributed_info(sessions: Iterable[Session]) -> dict[str, Any]:
    if not any(record.kind == CALL for session in sessions for record in session.records):
        return {}
    return {"distributedInfo": {"backend": _BACKEND, "rank": observed.rank, "world_size": observed.size}}


def in_lanes(records: Sequence[Record]) -> list[list[Record]]:
    lanes: list[list[Record]] = []
    for record in sorted(records, key=lambda one: one.start):
        free = next((lane for lane in lanes if lane[-1].end <= record.start), None)
        if free is None:
            lanes.append([record])
        else:
            free.append(record)
    return lanes
