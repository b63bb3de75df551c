"""Kernels with a seeded fault, and their mended twins: the first is refused with the exact text, the second runs.

The text is that of the forward order of threads, {2} is the second line after the kernel's `def`. The kernel is refused
in the other orders too, where another thread may be the first that shows the fault.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest

from specgrad.runtime.extensions.simulator import ORDERS, GlobalArray, KernelFault, SimulatedCuda

COUNT = 64
ALL = 0xFFFFFFFF
FIRST = "thread (0, 0, 0) of block (0, 0, 0)"
SECOND = "thread (1, 0, 0) of block (0, 0, 0)"
LAST = "thread (63, 0, 0) of block (0, 0, 0)"
NEXT_BLOCK = "thread (0, 0, 0) of block (1, 0, 0)"
BLOCK = "block (0, 0, 0)"
ATOMIC_COST = "with no barrier between them"


class Case(NamedTuple):
    """A kernel of (x, out), its mended twin, what is wrong with it, and how both are launched."""

    broken: Any
    mended: Any
    text: str
    grid: Any = 1
    block: Any = COUNT
    shared: int = 0

    @property
    def name(self) -> str:
        return str(self.broken.__name__)


def run(case: Case, kernel: Any, order: str) -> None:
    """Launch with 64 numbers that are known, and 64 that nobody wrote."""
    x = np.arange(COUNT, dtype=np.float32)
    out = GlobalArray(np.zeros(COUNT, np.float32), np.zeros(4 * COUNT, bool))
    SimulatedCuda(order).launch(kernel, case.grid, case.block, (x, out), case.shared)


def expected(case: Case) -> str:
    """The text with the numbers of lines."""
    first = case.broken.__code__.co_firstlineno
    return f"{case.name}: " + re.sub(r"\{(-?\d+)\}", lambda found: str(first + int(found[1])), case.text)


def in_every_order(cases: list[Case]) -> Any:
    """Parametrises a test by case and order of threads."""
    pairs = [(case, order) for case in cases for order in ORDERS]
    return pytest.mark.parametrize(("case", "order"), pairs, ids=[f"{c.name} {c.grid} {c.block} {o}" for c, o in pairs])


def check_refused(case: Case, order: str) -> None:
    """The fault is found, and in the forward order named exactly: kernel, thread, array and index, or lines."""
    with pytest.raises(KernelFault) as caught:
        run(case, case.broken, order)
    if order == "forward":
        assert str(caught.value) == expected(case), str(caught.value)
    assert str(caught.value).startswith(f"{case.name}: ")


def check_accepted(case: Case, order: str) -> None:
    """The check saw the fault, and not the kernel around it."""
    run(case, case.mended, order)
