"""How tensors and storages travel to other processes: as descriptors of the files in which their memory lies.

The pickler of Python's `multiprocessing` asks `reduce_tensor` and `reduce_storage`: what is not shared yet is moved to
shared memory first, so that sender and receiver see what either writes. Receivers have one array for each file, so
that tensors which shared memory in one process share it in the other.

A process that is started is given descriptors by inheritance. All others fetch them from a thread of the sender, as
with Python's own `resource_sharer`; but that one is out of reach as soon as its process begins to end, and what queues
hold is sent still then.
"""

import multiprocessing
import os
import secrets
import sys
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from multiprocessing import context, reduction, util
from multiprocessing.connection import Client, Listener
from multiprocessing.reduction import ForkingPickler
from typing import Any

from ...device.device import CPU
from ...locks import new_lock
from ...tensor.dtypes import dtype, from_name, from_numpy
from ...tensor.tensor import plain_classes, tensor_class
from ..serialization import rebuild
from ..storage.shared_memory import Segment, opened, segment_of, share, share_tensor
from ..storage.untyped import UntypedStorage, of_array

PATIENCE = 2.0  # seconds that a process waits at its end for those that have not fetched yet what it has sent
_BYTES = 8  # of the number of an offer


class _Server:
    """Gives descriptors to the processes that ask for them, each once, from a thread that begins with the first."""

    def __init__(self) -> None:
        self.lock = new_lock()
        self.listener: Listener | None = None
        self.offers = 0
        self.copies: dict[int, int] = {}  # of descriptors that nobody has fetched yet, by the number of the offer
        self.waiting = 0  # the number of the process that is going to wait at its end

    def offer(self, descriptor: int) -> tuple[Any, int]:
        """Where to ask for a copy of the descriptor, and the number of the offer."""
        with self.lock:
            if self.listener is None:
                # Linux has names that are no files: nothing has to be removed.
                name = f"\0specgrad-{secrets.token_hex(16)}" if sys.platform == "linux" else None
                key = multiprocessing.current_process().authkey
                self.listener = Listener(name, "AF_UNIX", backlog=128, authkey=key)
                threading.Thread(target=self._serve, args=(self.listener,), daemon=True).start()
            self.offers += 1
            self.copies[self.offers] = os.dup(descriptor)
            return self.listener.address, self.offers

    def _serve(self, listener: Listener) -> None:
        while True:
            try:
                with listener.accept() as connection:
                    number = int.from_bytes(connection.recv_bytes(_BYTES), "little")
                    reduction.send_handle(connection, self.copies[number], os.getpid())
                    os.close(self.copies.pop(number))
            except (OSError, EOFError, KeyError, multiprocessing.AuthenticationError):
                time.sleep(0.001)  # who asked has gone, or must not

    def forget(self) -> None:
        """This process has been forked: what has been offered is its parent's."""
        for copy in self.copies.values():
            os.close(copy)
        self.copies.clear()
        if self.listener is not None and sys.platform == "linux":  # elsewhere that would remove the parent's file
            self.listener.close()
        self.listener = None


_server = _Server()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_server.forget)


def handle_of(descriptor: int) -> Any:
    if context.get_spawning_popen() is not None:
        return reduction.DupFd(descriptor)
    _wait_at_end(_server)
    return Handle(*_server.offer(descriptor))


@dataclass
class Handle:
    address: Any
    number: int

    def detach(self) -> int:
        with Client(self.address, authkey=multiprocessing.current_process().authkey) as connection:
            connection.send_bytes(self.number.to_bytes(_BYTES, "little"))
            return int(reduction.recv_handle(connection))


def _wait_at_end(server: _Server) -> None:
    if server.waiting != os.getpid():
        server.waiting = os.getpid()
        util.Finalize(None, _until_fetched, exitpriority=-10)  # after the queues' threads, which come at -5


def _until_fetched() -> None:
    if multiprocessing.parent_process() is None:  # known only now: a process that was spawned imports before it is one
        return
    end = time.monotonic() + PATIENCE
    while _server.copies and time.monotonic() < end:
        time.sleep(0.001)


Reduced = tuple[Any, tuple[Any, ...]]


def init_reductions() -> None:
    """Let `multiprocessing` send tensors, of all classes that there are by now, and storages through shared memory."""
    util.register_after_fork(_server, _wait_at_end)  # started processes wait at their end for those who fetch: to be
    _wait_at_end(_server)  # said before the end begins
    own = tensor_class().__reduce_ex__
    for cls in plain_classes:
        if cls.__reduce_ex__ is own:  # a class with another says itself how it is pickled
            ForkingPickler.register(cls, reduce_tensor)
    ForkingPickler.register(UntypedStorage, reduce_storage)
    ForkingPickler.register(Segment, _reduce_segment)
    ForkingPickler.register(OrderedDict, _reduce_dict)


def share_tensors(tensors: list[Any]) -> None:
    """Of the CPU, with all tensors that share their memory."""
    init_reductions()  # for the queues of Python's own module too
    here = [tensor for tensor in tensors if tensor._device is CPU and tensor._storage.nbytes]
    if len(here) == 1:
        share_tensor(here[0])  # which may be alone in its memory
    else:
        share(tensor._storage for tensor in here)


def reduce_tensor(tensor: Any) -> Reduced:
    """A tensor as its file, layout and attributes; of CUDA devices, and without elements, by value.

    Args:
        tensor: what the pickler meets; a RuntimeError where it is no leaf of a graph, which stays in its process.
    """
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue)."
        )
    if tensor._device is not CPU or not tensor._storage.nbytes:
        return rebuild.reduce(tensor)
    share_tensor(tensor)
    cls, storage, layout, requires_grad, _, attributes, kind = rebuild.parts(tensor)
    return rebuild_tensor, (cls, segment_of(storage), layout, requires_grad, attributes, kind)


def rebuild_tensor(
    cls: type, storage: Any, layout: tuple[Any, ...], requires_grad: bool, attributes: dict[str, Any], kind: dtype
) -> Any:
    """The tensor in the process that has received it.

    Args:
        cls: its class.
        storage: the array over the file.
        layout: shape, strides and offset.
        requires_grad, attributes, kind: whether it is a leaf that learns, attributes of Python, and the dtype.
    """
    return rebuild.rebuild(cls, storage, layout, requires_grad, CPU, attributes, kind)


def _reduce_dict(values: OrderedDict[Any, Any]) -> Any:
    """What a `state_dict` holds moves at once: who else has it is asked only once."""
    tensors = [value for value in values.values() if type(value) in plain_classes and value.is_leaf]
    if len(tensors) > 1:
        share_tensors(tensors)
    return values.__reduce_ex__(2)


def reduce_storage(storage: UntypedStorage) -> Reduced:
    """A storage as its file; of other devices, and without elements, by value.

    Args:
        storage: what the pickler meets.
    """
    if storage.device.type != "cpu" or not storage.nbytes():
        return of_array, (storage._array,)
    share([storage._array])
    return of_array, (segment_of(storage._array),)


def _reduce_segment(segment: Segment) -> Reduced:
    return _received, (handle_of(segment.descriptor), segment.size, from_numpy(segment.kind).name)


def _received(handle: Any, size: int, kind: str) -> Any:
    try:
        descriptor = handle.detach()
    except (ConnectionError, FileNotFoundError, EOFError) as error:
        raise RuntimeError(
            "a tensor cannot be received: the process that sent it has ended, or has let go of its memory"
        ) from error
    return opened(descriptor, size, from_name(kind).np)


_STRATEGIES = ("file_descriptor", "file_system")
_chosen = [_STRATEGIES[0]]


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` takes."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """The name that was given last; "file_descriptor" before."""
    return _chosen[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Say how memory is shared: by descriptors of files without names, in any case.

    Programs choose "file_system" where the system lets a process have few descriptors. Here that raises the limit, as
    far as the process may do so itself.

    Args:
        new_strategy: "file_descriptor" or "file_system".

    Raises:
        AssertionError: another name.

    Example:
        >>> import specgrad.multiprocessing as mp
        >>> mp.set_sharing_strategy("file_descriptor")
        >>> mp.get_sharing_strategy()
        'file_descriptor'
    """
    wrong = f"set_sharing_strategy(): expected one of {_STRATEGIES}, but got {new_strategy!r}"
    assert new_strategy in _STRATEGIES, wrong
    if new_strategy == "file_system":
        import resource  # only here: Windows has none, and shares no memory

        _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
    _chosen[0] = new_strategy
