"""CUDA threads as Python: what kernels name of `cuda`, and launches that run them one thread after the other."""

from __future__ import annotations

import random
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...locks import new_lock
from .arrays import GlobalArray
from .faults import KernelFault
from .rebuilding import Rebuilder

ORDERS = ("forward", "reverse", "random")
MOST_THREADS = 1024  # of a block
BLOCK_LIMITS = (1024, 1024, 64)
GRID_LIMITS = (2**31 - 1, 65535, 65535)


class Dim3(NamedTuple):
    """Three extents, or a place in them."""

    x: int
    y: int = 1
    z: int = 1

    @property
    def total(self) -> int:
        return self.x * self.y * self.z


def extents(given: int | Sequence[int]) -> Dim3:
    return Dim3(*given) if isinstance(given, Sequence) else Dim3(given)


def places(dim: Dim3) -> list[Dim3]:
    """All places in a grid or a block, in CUDA's order: x runs fastest."""
    return [Dim3(x, y, z) for z, y, x in product(range(dim.z), range(dim.y), range(dim.x))]


def wrapped(argument: Any) -> Any:
    """An argument with all arrays in it as kernels see them."""
    if type(argument) is tuple:
        return tuple(map(wrapped, argument))
    return GlobalArray(argument) if isinstance(argument, np.ndarray) else argument


def named(name: str, argument: Any) -> Iterator[tuple[str, GlobalArray]]:
    """The arrays in an argument, with what messages call them: of a tuple `results[0]`."""
    if isinstance(argument, GlobalArray):
        yield name, argument
    elif type(argument) is tuple:
        for place, part in enumerate(argument):
            yield from named(f"{name}[{place}]", part)


class SimulatedCuda:
    """What kernels may name of `cuda`, each thing with one Python meaning; it stands among their globals.

    Args:
        order: in which blocks, and threads of a block, run: "forward", "reverse" or "random".
        seed: of the random order.
    """

    def __init__(self, order: str = "forward", seed: int = 0) -> None:
        self.order, self.seed = order, seed
        self.threadIdx = self.blockIdx = Dim3(0, 0, 0)
        self.blockDim = self.gridDim = Dim3(1)
        self._rebuilder = Rebuilder(self)
        self._kernel = ""
        self._lock = new_lock()

    def grid(self, dims: int) -> Any:
        """The place of this thread in the whole grid, in so many dimensions."""
        thread, block, size = self.threadIdx, self.blockIdx, self.blockDim
        if dims == 1:
            return block.x * size.x + thread.x
        return tuple(block[d] * size[d] + thread[d] for d in range(dims))

    def gridsize(self, dims: int) -> Any:
        """How many threads the whole grid has, in so many dimensions."""
        if dims == 1:
            return self.gridDim.x * self.blockDim.x
        return tuple(self.gridDim[d] * self.blockDim[d] for d in range(dims))

    def where(self) -> str:
        """Kernel and thread of what happens now, for messages."""
        return f"{self._kernel}: thread {tuple(self.threadIdx)} of block {tuple(self.blockIdx)}"

    def launch(
        self,
        function: types.FunctionType,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        arguments: Sequence[Any],
    ) -> None:
        """Run all threads of a kernel, a plain Python function.

        Args:
            function: the kernel; device functions are among its globals or in its closure.
            grid: how many blocks, in up to 3 dimensions.
            block: how many threads each has.
            arguments: numbers, `GlobalArray`s, 1-D ndarrays of which every element is written, or tuples of these.

        Raises:
            KernelFault: the kernel does what CUDA forbids or leaves undefined.
        """
        blocks, threads = extents(grid), extents(block)
        with self._lock, np.errstate(all="ignore"):
            self._kernel, self.gridDim, self.blockDim = function.__name__, blocks, threads
            self._check_limits(blocks, threads)
            names = function.__code__.co_varnames[: function.__code__.co_argcount]
            given = [wrapped(a) for a in arguments]
            with self._bound(dict(zip(names, given, strict=True))):
                self._run(self._rebuilder.rebuilt(function), given)

    def _check_limits(self, blocks: Dim3, threads: Dim3) -> None:
        checked = (("grid", "blocks", blocks, GRID_LIMITS), ("block", "threads", threads, BLOCK_LIMITS))
        for what, of, dim, limits in checked:
            if not all(1 <= given <= limit for given, limit in zip(dim, limits, strict=True)):
                raise KernelFault(f"{self._kernel}: a {what} of {tuple(dim)} {of}; CUDA takes 1 to {limits}")
        if threads.total > MOST_THREADS:
            given = f"{tuple(threads)} = {threads.total} threads"
            raise KernelFault(f"{self._kernel}: a block of {given}; CUDA takes {MOST_THREADS}")

    @contextmanager
    def _bound(self, arguments: dict[str, Any]) -> Iterator[None]:
        arrays = [found for name, argument in arguments.items() for found in named(name, argument)]
        for name, array in arrays:
            array.bind(name, self)
        yield
        for _, array in arrays:
            array.release()

    def _run(self, kernel: Any, arguments: Sequence[Any]) -> None:
        shuffled = random.Random(self.seed)
        for block in self._ordered(places(self.gridDim), shuffled):
            self.blockIdx = block
            for thread in self._ordered(places(self.blockDim), shuffled):
                self.threadIdx = thread
                kernel(*arguments)

    def _ordered(self, items: list[Dim3], shuffled: random.Random) -> list[Dim3]:
        if self.order == "random":
            return shuffled.sample(items, len(items))
        return items[::-1] if self.order == "reverse" else items
