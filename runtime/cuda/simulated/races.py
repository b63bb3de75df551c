"""Two items of work that nothing orders touch the same bytes, and one of them writes: refused, with both names."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import AcceleratorError
from .memory import Block
from .order import Work


class Access(NamedTuple):
    """Bytes of a block that an item has read or written."""

    start: int
    end: int
    writes: bool
    work: Work


class Races:
    """Notes who touched which bytes since the program last waited for everything."""

    def __init__(self) -> None:
        self.epoch = 0

    def forget(self) -> None:
        """The program has waited for everything: all that comes is ordered after what was noted."""
        self.epoch += 1

    def note(self, block: Block, start: int, end: int, writes: bool, work: Work) -> None:
        """An item reads or writes these bytes of a block.

        Raises:
            RuntimeError: another does too, one of both writes, and nothing orders them.
        """
        if block.epoch != self.epoch:
            block.epoch, block.accesses = self.epoch, []
        retained = []
        for other in block.accesses:
            if other.start < end and start < other.end:
                if not work.comes_after(other.work):
                    if writes or other.writes:
                        raise _race(block, Access(start, end, writes, work), other)
                elif start <= other.start and other.end <= end and (writes or _same(other, work)):
                    continue  # whoever is not ordered after that one is not ordered after this one either
            retained.append(other)
        block.accesses = [*retained, Access(start, end, writes, work)]


def _same(other: Access, work: Work) -> bool:
    return not other.writes and other.work.stream == work.stream


def _race(block: Block, one: Access, other: Access) -> AcceleratorError:
    first, second = ("writes" if access.writes else "reads" for access in (one, other))
    return AcceleratorError(
        f"CUDA race: nothing orders {one.work}, which {first} bytes {one.start} to {one.end} of the block at "
        f"{block.address:#x}, and {other.work}, which {second} bytes {other.start} to {other.end} of it: let one "
        "stream wait for the other (wait_stream, or an event), and call record_stream before memory is freed"
    )
