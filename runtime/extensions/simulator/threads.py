"""CUDA threads as Python: what kernels name of `cuda`, and launches that run one thread after the other.

A kernel without barriers is called once for each thread; of others the threads are greenlets (`barriers.py`).
"""

from __future__ import annotations

import random
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...locks import new_lock
from .block_memory import Local, Shared
from .device_memory import Memory
from .global_memory import Arguments, GlobalArray, Reached, wrapped
from .limits import WARP, Dim3, KernelFault, check_limits, extents, thread_indices, thread_indices_in_block
from .rebuild_kernels import Rebuilder, all_names
from .thread_races import Timeline
from .warps_and_atomics import OPERATIONS, Atomic

ORDERS = ("forward", "reverse", "random")
ALL = 0xFFFFFFFF
Ordering = Callable[[list[Any]], list[Any]]
MEETING = {"syncthreads", "syncthreads_count", "syncthreads_and", "syncthreads_or", *OPERATIONS}


def ordering(order: str, seed: int) -> Ordering:
    if order == "random":
        shuffled = random.Random(seed)
        return lambda items: shuffled.sample(items, len(items))
    if order not in ORDERS:
        raise ValueError(f"order of threads: expected one of {ORDERS}, got {order!r}")
    return (lambda items: items[::-1]) if order == "reverse" else (lambda items: items)


def _of_block(what: str) -> Any:
    """A barrier of the block that counts, or joins, what its threads say."""

    def meet(self: SimulatedCuda, predicate: Any) -> int:
        return int(self._wait(sys._getframe(1), what, predicate))

    return meet


def _shuffle(what: str) -> Any:
    """The value of another lane, which `lane` says: its number, bits to exchange, or how far it is."""

    def meet(self: SimulatedCuda, mask: int, value: Any, lane: int) -> Any:
        return self._wait(sys._getframe(1), what, value, mask, lane)

    return meet


def _vote(what: str, kind: type) -> Any:
    """What the lanes of a warp say together."""

    def meet(self: SimulatedCuda, mask: int, value: Any) -> Any:
        return kind(self._wait(sys._getframe(1), what, value, mask))

    return meet


class SimulatedCuda:
    """What kernels may name of `cuda`, each thing with one Python meaning; it stands among their globals.

    Args:
        order: in which blocks, and threads of a block, run: "forward", "reverse" or "random".
        seed: of the random order.
    """

    warpsize = WARP

    def __init__(self, order: str = "forward", seed: int = 0) -> None:
        self.order, self.seed = order, seed
        self.threadIdx = self.blockIdx = Dim3(0, 0, 0)
        self.blockDim = self.gridDim = Dim3(1)
        self.timeline = Timeline()
        self.shared, self.local, self.atomic = Shared(self), Local(self), Atomic()
        self.kernel = ""
        self.reached: Reached | None = None
        self._wait: Callable[..., Any] = self._unexpected
        self._ordered = ordering(order, seed)
        self._rebuilder = Rebuilder(self)
        self._meets: WeakKeyDictionary[types.FunctionType, bool] = WeakKeyDictionary()  # whether threads do, by kernel
        self._lock = new_lock()

    def grid(self, dims: int) -> Any:
        thread, block, size = self.threadIdx, self.blockIdx, self.blockDim
        if dims == 1:
            return block.x * size.x + thread.x
        return tuple(block[d] * size[d] + thread[d] for d in range(dims))

    def gridsize(self, dims: int) -> Any:
        if dims == 1:
            return self.gridDim.x * self.blockDim.x
        return tuple(self.gridDim[d] * self.blockDim[d] for d in range(dims))

    @property
    def laneid(self) -> int:
        return self.blockDim.number(self.threadIdx) % WARP

    def array_at(self, address: Any, size: Any, kind: Any) -> Any:
        if self.reached is None:
            raise KernelFault(f"{self.where()} has access to {address:#x}, but was launched without a device's memory")
        return self.reached.array(address, size, kind)

    # ---- threads that meet ---------------------------------------------------------------------------------

    def syncthreads(self) -> None:
        self._wait(sys._getframe(1), "syncthreads")

    syncthreads_count, syncthreads_and, syncthreads_or = map(
        _of_block, ("syncthreads_count", "syncthreads_and", "syncthreads_or")
    )

    def syncwarp(self, mask: int = ALL) -> None:
        self._wait(sys._getframe(1), "syncwarp", None, mask)

    shfl_sync, shfl_xor_sync, shfl_up_sync, shfl_down_sync = map(
        _shuffle, ("shfl_sync", "shfl_xor_sync", "shfl_up_sync", "shfl_down_sync")
    )
    ballot_sync, match_any_sync = _vote("ballot_sync", int), _vote("match_any_sync", int)
    all_sync, any_sync, eq_sync = _vote("all_sync", bool), _vote("any_sync", bool), _vote("eq_sync", bool)

    # ---- no thread waits -----------------------------------------------------------------------------------

    def activemask(self) -> int:
        """A bit for each lane of this warp; the simulator takes them to be together."""
        first = self.blockDim.number(self.threadIdx) // WARP * WARP
        return (1 << min(WARP, self.blockDim.total - first)) - 1

    def lanemask_lt(self) -> int:
        return (1 << self.laneid) - 1

    def threadfence(self) -> None:
        self.timeline.fence()

    def threadfence_block(self) -> None:
        """Orders accesses, but no thread waits: what races without it races with it."""

    def popc(self, x: Any) -> int:
        return int(x).bit_count()

    def ffs(self, x: Any) -> int:
        return (int(x) & -int(x)).bit_length()

    # ---- launches ------------------------------------------------------------------------------------------

    def where(self) -> str:
        return f"{self.kernel}: thread {tuple(self.threadIdx)} of block {tuple(self.blockIdx)}"

    def launch(
        self,
        function: Any,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        arguments: Sequence[Any],
        shared: int = 0,
        memory: Memory | None = None,
    ) -> list[GlobalArray]:
        """Run all threads of a kernel, a plain Python function.

        Args:
            function: the kernel; device functions are among its globals or in its closure.
            grid: how many blocks, in up to 3 dimensions.
            block: how many threads each has.
            arguments: numbers, `GlobalArray`s, 1-D ndarrays of which every element is written, tuples of these.
            shared: bytes of dynamic shared memory that each block has.
            memory: that of the device, in which the kernel finds arrays by their addresses; `reached` are those.

        Returns:
            The `GlobalArray`s that the launch wrote to.

        Raises:
            KernelFault: the kernel does what CUDA forbids or leaves undefined; the text says which thread does what.
        """
        with self._lock, np.errstate(all="ignore"):
            self.kernel, self.gridDim, self.blockDim = function.__name__, extents(grid), extents(block)
            check_limits(self.kernel, self.gridDim, self.blockDim)
            self.timeline = Timeline()
            self.reached = None if memory is None else Reached(memory, self.timeline, self.where)
            names = function.__code__.co_varnames[: function.__code__.co_argcount]
            if len(names) != len(arguments):
                raise TypeError(f"{self.kernel}: expected the arguments {', '.join(names)}, got {len(arguments)}")
            known = dict(zip(names, map(wrapped, arguments), strict=True))
            value = Arguments(known, self.timeline, self.where)
            kernel = self._rebuilder.rebuilt(function)
            one_block = self._converged() if self._meet(kernel) else self._one_by_one
            try:
                for _ in self._blocks(shared):
                    one_block(kernel, value.values)
            except Exception as error:
                if not isinstance(error, KernelFault):
                    error.add_note(self.where())
                raise
            value.mark_written()
            return value.written()

    def _meet(self, kernel: types.FunctionType) -> bool:
        if kernel not in self._meets:
            self._meets[kernel] = bool(all_names(kernel) & MEETING)
        return self._meets[kernel]

    def _blocks(self, shared: int) -> Iterator[None]:
        self._ordered = ordering(self.order, self.seed)
        for _, block in self._ordered(thread_indices(self.gridDim)):
            self.blockIdx = block
            self.timeline.begin_block(block)
            self.shared.begin_block(shared)
            yield

    def _one_by_one(self, kernel: Any, arguments: list[Any]) -> None:
        self._wait = self._unexpected
        begin = self.timeline.begin
        for number, thread in self._ordered(thread_indices_in_block(self.blockDim)):
            self.threadIdx = thread
            begin(thread, number)
            kernel(*arguments)

    def _converged(self) -> Callable[[Any, list[Any]], None]:
        try:
            from .barriers import Block, wait
        except ImportError as error:
            text = f"{self.kernel}: threads that wait for each other are simulated by greenlets: pip install greenlet"
            raise ImportError(text) from error
        self._wait = wait
        threads = thread_indices_in_block(self.blockDim)
        return lambda kernel, arguments: Block(self, kernel, threads).run(arguments, self._ordered)

    def _unexpected(self, _: types.FrameType, what: str, *args: Any) -> Any:
        raise KernelFault(f"{self.kernel}: {what}() is not called by its name, and would not be waited for")
