"""What a transport offers: a `Link` is one rank's end of a communicator, and every call of it only begins."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

Bytes = np.ndarray  # 1-D, uint8: contents are moved without being read
ANY = -1  # as the source of a message: whoever sends first
Look = Callable[[], object] | None  # called while somebody waits; what it raises ends the wait


class Request(Protocol):
    """A call under way. It keeps the arrays that it reads and writes alive until it is done."""

    source: int  # who sent the message, of a `receive` that is done

    def done(self) -> bool:
        """Whether it is complete; asking is what drives it on; a DistBackendError where the transport has failed."""


class Link(Protocol):
    """One rank's end of a communicator. Collectives match in the order in which they begin, messages by source and tag.

    The arrays given lie in one piece. None may be written, and those written to may not be read, until the request is
    done.
    """

    rank: int
    size: int
    last_tag: int  # the greatest that messages may have

    def all_reduce(self, values: np.ndarray, operation: str) -> Request:
        """Join arrays of numbers in place: `operation` is "SUM", "PROD", "MIN", "MAX", "BAND", "BOR" or "BXOR"."""

    def reduce(self, values: np.ndarray, operation: str, root: int) -> Request:
        """As `all_reduce`, for the root alone; what the others' arrays hold stays."""

    def broadcast(self, data: Bytes, root: int) -> Request:
        """Write the root's array into all others."""

    def all_gather(self, every: Bytes, own: Bytes) -> Request:
        """Write all ranks' arrays, which are equally long, one after the other into `every`."""

    def gather(self, every: Bytes | None, own: Bytes, root: int) -> Request:
        """As `all_gather`, for the root alone."""

    def scatter(self, own: Bytes, every: Bytes | None, root: int) -> Request:
        """Write the parts of the root's `every`, which are equally long, into the ranks' arrays."""

    def all_to_all(self, into: Bytes, sizes_in: Sequence[int], out: Bytes, sizes_out: Sequence[int]) -> Request:
        """Send the parts of `out` to the ranks and write those that they send one after the other into `into`."""

    def barrier(self) -> Request:
        """Done when all ranks have begun it."""

    def send(self, data: Bytes, to: int, tag: int) -> Request:
        """Send a message."""

    def receive(self, data: Bytes, source: int, tag: int) -> Request:
        """Write the next message of a `source`, or of ANY, into an array that is at least as long."""

    def arrived(self, tag: int) -> tuple[int, int] | None:
        """Who has sent a message that is still to be received, and its length."""

    def split(self, ranks: Sequence[int], seconds: float, look: Look) -> "Link | None":
        """A link of some of the ranks, in their order; None for the others.

        All ranks call it, and wait in it; a DistBackendError where others do not within some seconds.
        """

    def copy(self, seconds: float, look: Look) -> "Link":
        """A link of the same ranks whose messages meet none of this one's; as `split`, all ranks call it."""

    def close(self) -> None:
        """Give it back; nothing may be under way."""
