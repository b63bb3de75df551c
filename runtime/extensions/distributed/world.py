"""The default process group and those made of it: who is in them, and with which ranks."""

import datetime
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...dispatch.ranks import offer_default
from ...errors import warn_user
from . import session as backends
from .groups import algorithms, point_to_point
from .groups.links import Link
from .groups.observers import observed
from .groups.peers import Peers
from .groups.process_group import ProcessGroup
from .rendezvous import meeting
from .session import Backend, join

default_pg_timeout = datetime.timedelta(minutes=30)
NON_GROUP_MEMBER = -100
_NONE = "Default process group has not been initialized, please make sure to call init_process_group."


@dataclass
class _World:
    default: ProcessGroup | None = None
    groups: list[ProcessGroup] = field(default_factory=list)
    made: int = 0


_of_process = _World()
_of_thread = threading.local()  # of threads that stand for ranks: their own world


def current() -> _World:
    """The groups of this process, or of this thread where threads stand for ranks."""
    return getattr(_of_thread, "world", _of_process)


class _Default(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        return current().default

    @WORLD.setter
    def WORLD(cls, group: ProcessGroup | None) -> None:
        current().default = group


class GroupMember(metaclass=_Default):
    """The group of all processes (WORLD), and what stands for a group that this process is not in."""

    NON_GROUP_MEMBER = NON_GROUP_MEMBER


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: datetime.timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
    _ranks: list[int] | None = None,
) -> None:
    """Make the default process group: of processes that mpiexec or torchrun has started, or that meet by themselves.

    Args:
        backend: "mpi", also where it is left out; "gloo", "nccl" and PyTorch's others are MPI, with a warning.
        init_method: where processes meet that nothing has started together: "env://" (the default: MASTER_ADDR and
            MASTER_PORT of the environment), "tcp://HOST:PORT" or "file:///PATH".
        timeout: how long calls wait for other ranks; 30 minutes when left out.
        world_size: how many processes there are; -1 for what the environment (WORLD_SIZE) or MPI says.
        rank: the number of this process; -1 for what the environment (RANK) or MPI says.
        store: where processes meet, instead of `init_method`.
        group_name: a name for errors.
        pg_options, device_id: not looked at.

    Raises:
        RuntimeError: MPI is not installed.
        ValueError: an unknown backend, a second default group, or numbers that are not MPI's.
        TypeError: the timeout is no timedelta.
        DistStoreError: other processes did not come to the place where they meet.

    Example:
        >>> from specgrad import distributed
        >>> distributed.is_initialized()
        False
    """
    if timeout is not None and not isinstance(timeout, datetime.timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    if current().default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    backends.check(backend)
    patience = timeout or default_pg_timeout
    with meeting(init_method, store, rank, world_size, patience):
        session = join(patience.total_seconds())
    link = session.copy()
    _agree("world_size", world_size, link.size)
    _agree("rank", rank, link.rank)
    begin(link, patience, group_name, session.peers)
    observed.rank, observed.size = link.rank, link.size
    if link.rank == 0:
        backends.warn_of_others(backend)


def _agree(what: str, value: int, actual: int) -> None:
    launched = os.environ.get(what.upper(), "")
    for source, number in (("the argument", value), (f"the environment's {what.upper()}", launched)):
        if number not in (-1, "", actual, str(actual)):
            raise ValueError(
                f"init_process_group(): {source} says {what} {number}, but MPI {actual}: start the program with "
                "mpiexec -n N, or with torchrun --nproc-per-node N"
            )


def begin(link: Link, timeout: datetime.timedelta, name: str = "", peers: Peers | None = None) -> None:
    world = current()
    control = link.copy(timeout.total_seconds(), None)
    world.default = ProcessGroup(link, control, range(link.size), timeout, name or "0", "default_pg", peers)
    world.groups = [world.default]


def begin_in_thread(link: Link, timeout: datetime.timedelta) -> None:
    """Make this thread a rank of a world of its own: what threads that stand for ranks call first."""
    _of_thread.world = _World()
    begin(link, timeout)


def is_initialized() -> bool:
    """Whether there is a default process group."""
    return current().default is not None


def get_default_group() -> ProcessGroup:
    """The default process group; a ValueError where there is none."""
    result = current().default
    if result is None:
        raise ValueError(_NONE)
    return result


offer_default(get_default_group)  # to ops that are collectives


def member(group: Any) -> ProcessGroup | None:
    """The group that a call is about, the default one for None; None where this process is not in it."""
    default = get_default_group()
    if group is None:
        return default
    if isinstance(group, ProcessGroup):
        return group
    if group == NON_GROUP_MEMBER:
        return None
    raise TypeError(f"argument 'group' must be a ProcessGroup, not {type(group).__name__}")


def member_for(call: str, group: Any) -> ProcessGroup | None:
    """As `member`, with PyTorch's warning where this process is not in it."""
    result = member(group)
    if result is None:
        rank = get_default_group().rank()
        warn_user(f"Running {call} on global rank {rank} which does not belong to the given group.")
    return result


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Give back `group`, or all groups when it is left out."""
    world = current()
    if group is not None and not isinstance(group, ProcessGroup):
        return
    default = get_default_group()
    chosen = world.groups[::-1] if group is None or group == default else [group]
    for one in chosen:
        one.close()
        world.groups.remove(one)
    if default in chosen:
        world.default = None


def get_rank(group: ProcessGroup | None = None) -> int:
    """The rank of this process in `group`, the default one when left out; -1 where it is not in it."""
    result = member(group)
    return -1 if result is None else result.rank()


def get_world_size(group: ProcessGroup | None = None) -> int:
    """How many ranks `group` has, the default one when left out; -1 where this process is not in it."""
    result = member(group)
    return -1 if result is None else result.size()


def get_backend(group: ProcessGroup | None = None) -> Backend:
    """The backend of `group`, the default one when left out: "mpi". A ValueError where this process is not in it."""
    if member(group) is None:
        raise ValueError("Invalid process group specified")
    return Backend("mpi")


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The number of this process among those of its machine.

    Args:
        fallback_rank: the answer where no launcher says; a RuntimeError without it.
    """
    for name in ("LOCAL_RANK", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK"):
        if name in os.environ:
            return int(os.environ[name])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The ranks of the members in the world, in the order of their ranks in the group."""
    result = member(group)
    return [] if result is None else list(result.ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group of a rank of the world; a ValueError where it is not in the group."""
    result = member(group)
    if result is None or global_rank not in result.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return result.ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The rank in the world of a rank of a group; a ValueError where the group has no such rank."""
    result = member(group)
    if result is None or not 0 <= group_rank < result.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return result.ranks[group_rank]


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """Make a group of some ranks. All ranks of the world call it, with the same ranks, also those that are not in it.

    Args:
        ranks: the ranks; all when left out.
        timeout: how long its calls wait; as long as the default group's when left out.
        backend: "mpi", also where it is left out.
        pg_options, device_id: not looked at.
        use_local_synchronization: False: all ranks take part.
        group_desc: what the group is for.
        sort_ranks: whether the group's ranks are in the order of the world's.

    Returns:
        The group, or GroupMember.NON_GROUP_MEMBER.

    Raises:
        ValueError: ranks that are twice there or not in the world, or local synchronization.
        DistBackendError: other ranks did not come, or with other ranks.
    """
    default = get_default_group()
    if use_local_synchronization:
        raise ValueError("MPI backend doesn't support use_local_synchronization=True")
    if backend is not None:
        backends.check(backend)
    chosen = _checked_ranks(default, ranks, sort_ranks)
    message = point_to_point.called("new_group", "", chosen)
    waited = default.begin(message, algorithms.barrier(default.link), 1)
    waited.wait()
    link, control = (default.made_of(end, chosen, waited) for end in (default.link, default.control))
    world = current()
    world.made += 1
    if link is None or control is None:
        return NON_GROUP_MEMBER
    patience = timeout or default.timeout
    made = ProcessGroup(link, control, chosen, patience, str(world.made), group_desc or "", default.peers)
    world.groups.append(made)
    return made


def _checked_ranks(default: ProcessGroup, ranks: Sequence[int] | None, sort_ranks: bool) -> list[int]:
    if ranks is None:
        return list(default.ranks)
    chosen = sorted(ranks) if sort_ranks else list(ranks)
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"ranks list must not contain duplicate entries, got {list(ranks)}")
    if len(chosen) > default.size():
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    if any(not 0 <= rank < default.size() for rank in chosen):
        raise ValueError("The new group's rank should be within the world_size set by init_process_group")
    return chosen


def rank_in(
    call: str, group: ProcessGroup, rank: int | None, group_rank: int | None, default: int | None = None
) -> int:
    """The rank in a group that a call says as a rank of the world, or of the group."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if rank is None and group_rank is None:
        if default is None:
            raise ValueError("Must specify global_rank or group_rank")
        group_rank = default
    if rank is not None:
        return get_group_rank(group, rank)
    if group_rank is None or not 0 <= group_rank < group.size():
        raise ValueError(f"{call}(): Group rank {group_rank} is not part of group {group}")
    return group_rank
