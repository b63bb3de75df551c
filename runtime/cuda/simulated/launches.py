"""A launch that waits in a stream: its arguments as arrays over simulated memory, and who wrote what when it ran."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import AcceleratorError
from .arguments import ArrayWords
from .global_memory import GlobalArray
from .memory import Block, Memory
from .order import Work
from .races import Races
from .threads import SimulatedCuda

BLOCK_LIMITS = (1024, 1024, 64)
GRID_LIMITS = (2**31 - 1, 65535, 65535)


class Launch:
    """One launch of a kernel.

    Args:
        memory: where the arrays lie; checked when the launch is given, as the program may free them before it runs.
        races: notes what was read and written.
        arguments: numbers and ArrayWords.
        name: what the kernel is called.

    Raises:
        RuntimeError: an array lies outside of the memory that is in use.
    """

    def __init__(self, memory: Memory, races: Races, arguments: list[Any], name: str) -> None:
        self.races, self.arguments, self.name = races, arguments, name
        self.blocks: dict[ArrayWords, Block] = {}
        for number, words in enumerate(arguments):
            if isinstance(words, ArrayWords) and words.size:
                self.blocks[words] = memory.block(words.address, words.nbytes, f"argument {number} of {name}")

    def run(self, kernel: Any, signature: Any, grid: Any, block: Any, shared: int, work: Work) -> None:
        """Run all threads, and note which arrays were read and which written."""
        given = [self._as_array(argument) for argument in self.arguments]
        written = SimulatedCuda().launch(kernel.simulated(signature), grid, block, given, shared)
        for words, writes in zip(self.arguments, written, strict=True):
            if words in self.blocks:
                found = self.blocks[words]
                start = words.address - found.address
                self.races.note(found, start, start + words.nbytes, writes, work)

    def _as_array(self, argument: Any) -> Any:
        """What the kernel is given."""
        if not isinstance(argument, ArrayWords):
            return argument
        if not argument.size:
            return GlobalArray(np.empty(0, argument.dtype))
        block = self.blocks[argument]
        start = argument.address - block.address
        place = slice(start, start + argument.nbytes)
        return GlobalArray(block.bytes[place].view(argument.dtype), block.written[place])


def check_limits(grid: Any, block: Any, shared: int, most_shared: int) -> None:
    """Refuse what a device does not launch.

    Raises:
        RuntimeError: too many or too few blocks, threads or bytes of shared memory.
    """
    sides = ((grid, GRID_LIMITS, "blocks"), (block, BLOCK_LIMITS, "threads of a block"))
    for given, limits, what in sides:
        if not all(1 <= n <= limit for n, limit in zip(given, limits, strict=True)):
            raise _refused(f"{tuple(given)} {what}: expected at least 1 and at most {limits}")
    if block[0] * block[1] * block[2] > BLOCK_LIMITS[0]:
        raise _refused(f"{tuple(block)} threads of a block: expected at most {BLOCK_LIMITS[0]} in all")
    if not 0 <= shared <= most_shared:
        raise _refused(f"{shared} bytes of shared memory: expected at most {most_shared}")


def _refused(said: str) -> AcceleratorError:
    return AcceleratorError(f"CUDA error: invalid configuration argument: {said}")
