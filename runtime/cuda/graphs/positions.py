"""Random numbers in graphs: where a draw begins is read from memory, which each replay sets anew.

While a graph is captured, its generators move on as always, so that draws get words of their own; then they go back to
where they were. A replay takes as many words as the capture did from each generator, and writes its seed and the first
of these words to the memory that the graph's draws read: so replays go on in the stream of numbers as calls would.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import allocator
from ..array import DeviceArray
from ..current import current_stream
from ..driver import driver
from . import captures
from .captures import Capture

SLOT_DTYPE = np.dtype(np.uint64)


class GeneratorState:
    """What a graph draws from one generator.

    Args:
        generator: the generator.
        capture: that of the graph.
        device: where it draws.
    """

    def __init__(self, generator: Any, capture: Capture, device: Any) -> None:
        self.generator, self.count = generator, 0
        self.before = generator._state_slots()
        self.seed, self.first = generator.take(0)
        with capture.aside():
            block = allocator.allocate(device.index, 2 * SLOT_DTYPE.itemsize)
            self.state = DeviceArray(block.address, (2,), SLOT_DTYPE, block, device)

    def take(self, count: int) -> tuple[DeviceArray, int]:
        """The memory of the position, and how far behind it the next `count` words begin."""
        seed, offset = self.generator.take(count)
        added = offset - self.first
        if seed != self.seed or added < 0:
            captures.refuse(
                self.state.device.index or 0, "draws from a generator that was seeded or set back during the capture"
            )
        self.count = max(self.count, added + count)
        return self.state, added

    def end(self) -> None:
        self.generator._restore(self.before)

    def replay(self) -> None:
        """Take the words of one replay, which comes next on the current stream."""
        seed, offset = self.generator.take(self.count)
        seed_and_offset = np.array([seed % 2**64, offset], SLOT_DTYPE)
        stream = current_stream(self.state.device.index or 0)
        driver().copy(self.state.address, seed_and_offset.ctypes.data, seed_and_offset.nbytes, "h2d", stream)


def position(generator: Any, count: int, device: Any) -> tuple[Any, int]:
    """Where a draw of `count` words begins: the seed and a word; in captures memory of both, and words behind these."""
    capture = captures.here_on(device.index)
    if capture is None:
        return generator.take(count)
    key = id(generator)
    if key not in capture.generator_states:
        capture.generator_states[key] = GeneratorState(generator, capture, device)
    result: tuple[Any, int] = capture.generator_states[key].take(count)
    return result
