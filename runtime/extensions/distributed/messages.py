"""Messages from one rank to another: send, recv, and several at once."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from . import buffers
from .groups import point_to_point
from .groups.links import ANY
from .groups.process_group import ProcessGroup
from .groups.work import Work
from .world import member, member_for, rank_in


def _checked_tag(name: str, group: ProcessGroup, tag: int) -> int:
    if not 0 <= tag < group.control.last_tag - 1:  # the last two are those of notices and of monitored barriers
        raise ValueError(f"{name}(): tags are from 0 to {group.control.last_tag - 2}, not {tag}")
    return tag


def isend(
    tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Begin to send a tensor to another rank.

    Args:
        tensor: the tensor; not to be written to before the Work is complete.
        dst: the rank in the world that gets it.
        group: the process group; the default one when left out.
        tag: a number that messages are told apart by.
        group_dst: the rank in the group instead of `dst`.

    Returns:
        A Work to wait for; None where this process is not in the group.

    Raises:
        ValueError: the message would be for this rank.
    """
    chosen = member_for("isend", group)
    value = buffers.tensor("isend", tensor)
    if chosen is None:
        return None
    to = rank_in("isend", chosen, dst, group_dst)
    if to == chosen.rank():
        why = "destination rank should not be the same as the rank of the current process."
        raise ValueError(f"Invalid destination rank: {why}")
    flat, tag = buffers.numbers(value), _checked_tag("isend", chosen, tag)
    return point_to_point.send(chosen, value._dtype.name, value._shape, flat, to, tag, [value])


def irecv(
    tensor: Any, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Begin to receive a tensor of another rank.

    Args:
        tensor: what is written to, of as many elements and of the dtype of what is sent.
        src: the rank in the world that sends it; whoever is first when left out.
        group_src: the rank in the group instead of `src`.
        group, tag: as of `isend`, as is what is returned.

    Raises:
        DistBackendError: in waiting: what is sent has another size or dtype.
    """
    chosen = member_for("irecv", group)
    value = buffers.tensor("irecv", tensor)
    if chosen is None:
        return None
    source = ANY if src is None and group_src is None else rank_in("irecv", chosen, src, group_src)
    (flat, then), tag = buffers.target("irecv", value), _checked_tag("irecv", chosen, tag)
    return point_to_point.receive(chosen, value._dtype.name, value._shape, flat, source, tag, then, [value])


def send(tensor: Any, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send a tensor to another rank, and wait until it may be written to.

    Args:
        tensor, dst, group, tag, group_dst: as of `isend`.
    """
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor: Any, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive a tensor of another rank: its rank in the world, -1 where this process is not in the group.

    Args:
        tensor, src, group, tag, group_src: as of `irecv`.
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """A message of `batch_isend_irecv`.

    Args:
        op: `isend` or `irecv`; else a ValueError.
        tensor: what is sent or written to.
        peer: the other rank, in the world.
        group_peer: the other rank in the group, instead of `peer`.
        group, tag: as of `isend`.
    """

    def __init__(
        self,
        op: Callable[..., Any],
        tensor: Any,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ) -> None:
        if inspect.unwrap(op) not in (isend, irecv):
            types = "``torch.distributed.isend`` or ``torch.distributed.irecv``"
            raise ValueError(f"Invalid ``op``. Expected ``op`` to be of type {types}.")
        self.op = op
        self.tensor = buffers.tensor("P2POp", tensor)
        self.group = group
        self.tag = tag
        self.peer = peer
        self.group_peer = group_peer
        chosen = member(group)
        if chosen is not None:
            self.group_peer = rank_in("P2POp", chosen, peer, group_peer)
            self.peer = chosen.ranks[self.group_peer]

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__} peer={self.peer} tag={self.tag} shape={list(self.tensor._shape)})"


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Begin several messages: a Work for each.

    Args:
        p2p_op_list: the messages; a ValueError where one is no P2POp.
    """
    if not p2p_op_list or not all(isinstance(one, P2POp) for one in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    works = [one.op(one.tensor, None, one.group, one.tag, one.group_peer) for one in p2p_op_list]
    return [work for work in works if work is not None]
