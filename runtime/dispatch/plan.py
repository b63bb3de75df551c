"""How a kernel runs on flat memory: which compiled kernel, on which operands, with which ints and numbers.

A plan holds for operands of certain shapes and strides, and for certain other arguments; it is found once for them,
by a function of a plans.py in runtime/ops that has the kernel's name, and then run by native code
(runtime/native/kernel_ops.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

Ints = tuple[int, ...]


class Layout(NamedTuple):
    """The shape of an operand, and its strides where they are not the usual ones."""

    shape: Ints
    strides: Ints | None


class Step(NamedTuple):
    """One call `kernel(*operands, *results, *ints, *numbers)`; results are (number of the output, its shape).

    Numbers beyond those of the outputs stand for memory that only the plan's calls use; a call that names a result of
    one before goes on with it.

    Where `rows` is (count, unit), the kernel takes two more ints: the first of its rows that it is to compute, a
    multiple of `unit`, and that after the last. So several threads may share them, if operand and result are large, or
    `work` is, which is counted in elements as well.
    """

    kernel: Any
    operands: tuple[int, ...]
    results: tuple[tuple[int, Ints], ...]
    ints: Ints = ()
    numbers: tuple[float, ...] = ()
    rows: tuple[int, int] | None = None
    work: int = 0


Plan = tuple[Step, ...]


def single(
    kernel: Any,
    operands: int,
    shape: Ints,
    ints: Ints = (),
    numbers: tuple[float, ...] = (),
    rows: tuple[int, int] | None = None,
) -> Plan:
    """The plan of one call on all operands, with one result."""
    return (Step(kernel, tuple(range(operands)), ((0, shape),), ints, numbers, rows),)


def of_rows(*operands: Layout) -> bool:
    """Whether all lie in rows."""
    return all(operand.strides is None for operand in operands)
