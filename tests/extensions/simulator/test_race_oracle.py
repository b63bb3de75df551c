"""Random programs of reads, writes, atomics and barriers: a race is found exactly where pairs of accesses say.

The simulator keeps a few accesses of each element; the reference keeps all, and looks at every pair.
"""

from __future__ import annotations

import itertools
import random
from typing import Any, NamedTuple

import numpy as np
import pytest

from specgrad.runtime.extensions.simulator import KernelFault, SimulatedCuda
from specgrad.runtime.kernels.cuda.language import cuda

BLOCKS, ELEMENTS = 2, 4
ACTIVE = (0, 1, 2, 31, 32, 33, 40)  # lanes of two warps; other threads only meet
THREADS = 41


class Access(NamedTuple):
    """One access: `epoch` counts the barriers before, `phase` the warp's syncs since then."""

    kind: str  # "read", "write" or "atomic"
    element: int
    block: int
    thread: int
    epoch: int
    phase: int

    def races(self, other: Access) -> bool:
        """By the definition."""
        if self.element != other.element or (self.block, self.thread) == (other.block, other.thread):
            return False
        if self.kind == other.kind and self.kind != "write":
            return False
        if self.block != other.block:
            return True
        if self.epoch != other.epoch:
            return False
        return self.thread // 32 != other.thread // 32 or self.phase == other.phase


def program(rng: random.Random) -> list[Access]:
    """Some accesses."""
    return crowded(rng) if rng.random() < 0.5 else scattered(rng)


def crowded(rng: random.Random) -> list[Access]:
    """Many threads have access to one element and one writes it after a `syncwarp`: which accesses are kept counts."""
    kind, epoch = rng.choice(["read", "atomic"]), rng.randrange(2)
    first = [Access(kind, 0, 0, rng.choice(ACTIVE), rng.randint(0, epoch), 0) for _ in range(rng.randint(1, 5))]
    return [*first, Access("write", 0, 0, rng.choice(ACTIVE), epoch, 1)]


def scattered(rng: random.Random) -> list[Access]:
    """A few accesses of any kinds to a few elements."""
    kinds = rng.choice([["read", "write"], ["read", "read", "read", "write"], ["read", "atomic"], ["atomic", "write"]])
    elements = rng.sample(range(ELEMENTS), rng.randint(1, ELEMENTS))
    blocks = rng.choice([[0], [0], [0, 1]])
    count = rng.randint(2, 9)
    return [
        Access(
            *(rng.choice(kinds), rng.choice(elements), rng.choice(blocks)),
            *(rng.choice(ACTIVE), rng.randrange(3), rng.randrange(2)),
        )
        for _ in range(count)
    ]


def kernel(x: Any, steps: Any) -> None:
    """Each thread does what the program says of it."""
    for epoch in range(3):
        for phase in range(2):
            for kind, element in steps(cuda.blockIdx.x, cuda.threadIdx.x, epoch, phase):
                if kind == "read":
                    assert x[element] >= 0
                elif kind == "write":
                    x[element] = 1
                else:
                    cuda.atomic.add(x, element, 1)
            cuda.syncwarp()
        cuda.syncthreads()


def refused(accesses: list[Access], order: str, seed: int) -> bool:
    def steps(*position: int) -> list[tuple[str, int]]:
        return [(a.kind, a.element) for a in accesses if a[2:] == position]

    try:
        SimulatedCuda(order, seed).launch(kernel, BLOCKS, THREADS, (np.zeros(ELEMENTS, np.int32), steps))
    except KernelFault as error:
        assert "with no barrier between them" in str(error)
        return True
    return False


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_races_are_those_of_the_definition(order: str) -> None:
    """Neither more nor fewer, whatever runs first."""
    rng = random.Random(order)
    found = 0
    for seed in range(200):
        accesses = program(rng)
        requested = any(a.races(b) for a, b in itertools.combinations(accesses, 2))
        assert refused(accesses, order, seed) == requested, accesses
        found += requested
    assert 40 < found < 140
