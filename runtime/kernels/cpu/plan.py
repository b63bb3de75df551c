"""How a kernel runs on flat memory: which compiled loops, on which operands, with which numbers and ints.

A plan holds for operands of certain shapes and strides, and for certain other arguments; it is found once for them,
by a function of a plans.py in runtime/ops that has the kernel's name. There are two runners: native code for tensors
(runtime/native/call_plans.py), and `run` here for NumPy arrays, which is what the kernel itself is made of. So what a
plan decides is decided in one place, and both give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...pool.parallel_for import shared

Array = np.ndarray
Ints = tuple[int, ...]


class Layout(NamedTuple):
    """The shape of an operand, and its strides where they are not the usual ones."""

    shape: Ints
    strides: Ints | None


class Step(NamedTuple):
    """One call `kernel(*operands, *results, *numbers, *ints)`; results are (number of the output, its shape).

    Numbers beyond those of the outputs stand for memory that only the plan's calls use; a call that names a result of
    one before goes on with it. An operand that is not given is an empty array.

    Where `rows` is (count, unit), the kernel takes two more ints: the first of its rows that it is to compute, a
    multiple of `unit`, and that after the last. So several threads may share them, if operand and result are large, or
    `work` is, which is counted in elements as well.
    """

    kernel: Any
    operands: Ints
    results: tuple[tuple[int, Ints], ...]
    numbers: tuple[float, ...] = ()
    ints: Ints = ()
    rows: tuple[int, int] | None = None
    work: int = 0


Plan = tuple[Step, ...]


def single(
    kernel: Any,
    operands: int,
    shape: Ints,
    numbers: tuple[float, ...] = (),
    ints: Ints = (),
    rows: tuple[int, int] | None = None,
) -> Plan:
    """The plan of one call on all operands, with one result."""
    return (Step(kernel, tuple(range(operands)), ((0, shape),), numbers, ints, rows),)


def are_contiguous(*operands: Layout | None) -> bool:
    """Whether the strides of all are the usual ones; an operand that is not given does not count."""
    return all(operand is None or operand.strides is None for operand in operands)


def run(find: Callable[..., Plan | None], *arguments: Any) -> list[Any]:
    """The results of the plan that `find` makes for NumPy arrays and other arguments, None for those it does not make.

    Arrays that are read by floats have the dtype of the first, which is that of the results.

    Raises:
        ValueError: there is no plan for these layouts: who calls brings the arrays into one that there is a plan for.
    """
    arrays = [np.asarray(a) if isinstance(a, np.ndarray | np.generic) else None for a in arguments]
    plan = planned(find, *[a if b is None else layout_of(b) for a, b in zip(arguments, arrays, strict=True)])
    if plan is None:
        raise ValueError(f"{find.__name__}(): no plan for arrays {[a.shape for a in arrays if a is not None]}")
    dtype = next(a.dtype for a in arrays if a is not None)
    results: list[Any] = [None] * (1 + max(output for step in plan for output, _ in step.results))
    for step in plan:
        run_step(step, arrays, results, dtype)
    return results


def run_step(step: Step, arrays: list[Array | None], results: list[Any], dtype: np.dtype) -> None:
    """Run one call of a plan; the results that it is the first to name are made."""
    for output, shape in step.results:
        if results[output] is None:
            results[output] = np.empty(shape, dtype)
    flat = [np.empty(0, dtype) if arrays[i] is None else memory_of(arrays[i]) for i in step.operands]
    flat += [results[output].reshape(-1) for output, _ in step.results]
    arguments = (*flat, *step.numbers, *step.ints)
    if step.rows is None:
        step.kernel(*arguments)
        return
    work = max(flat[0].size, flat[len(step.operands)].size, step.work)
    shared(step.kernel, arguments, step.rows[0], work, step.rows[1])


@lru_cache(maxsize=4096)
def planned(find: Callable[..., Plan | None], *known: Any) -> Plan | None:
    """The plan for layouts and other arguments, with numbers and ints of the types that kernels are compiled for."""
    plan = find(*known)
    return plan and tuple(
        [step._replace(numbers=tuple(map(float, step.numbers)), ints=tuple(map(int, step.ints))) for step in plan]
    )


def layout_of(array: Array) -> Layout:
    """The layout of an array, strides counted in elements."""
    if array.flags.c_contiguous:
        return Layout(array.shape, None)
    return Layout(array.shape, tuple([step // array.itemsize for step in array.strides]))


def memory_of(array: Any) -> Array:
    """The elements of an array in the order of memory, from its first to its last one."""
    if array.flags.c_contiguous:
        return array.reshape(-1)
    reach = 1 + sum((size - 1) * step for size, step in zip(array.shape, array.strides, strict=True)) // array.itemsize
    return np.lib.stride_tricks.as_strided(array, (reach if array.size else 0,), (array.itemsize,))
