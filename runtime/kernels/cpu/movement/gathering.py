"""Plans for operands whose elements lie apart: they are copied first, then all is as for contiguous ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from ...jit import READ, jit
from ...llvm.addresses import part_of
from ..plan import Array, Ints, Layout, Plan, Step, run_if_planned

FEW = 3  # operands that lie apart, of which fewer may be all that have to be copied
MOST = 4096  # elements of an operand: what copies more has blocks of its own (copies.py)
Loops = tuple[Ints, Ints]  # how often, and the steps in elements; three


def gathered(
    find: Callable[..., Plan | None], known: Sequence[Any], operands: Sequence[Any], letters: str, outputs: int
) -> Plan | None:
    """The plan of an op for layouts and other arguments of which it has none as they are: small operands that lie apart
    are copied. None where that does not help either.

    The operands are the arguments themselves, or the items of the list that the first one is; of those with the letters
    T, O and C elements are floats, of those with the letter I they are indices.
    """
    named = zip(letters, operands, strict=False)
    strided = [i for i, (letter, a) in enumerate(named) if letter in "TOCI" and a is not None and a.strides is not None]
    # As few as may be: the others may lie as the op wants them, a transpose say, and need no copy.
    counts = range(1, len(strided) + 1) if len(strided) <= FEW else (len(strided),)
    for copied in (each for count in counts for each in combinations(strided, count)):
        loops = {i: loops_of(operands[i]) for i in copied}
        packed = [Layout(a.shape, None) if i in loops else a for i, a in enumerate(operands)]
        if all(loops.values()):
            plan = find(tuple(packed), *known[1:]) if operands is known[0] else find(*packed[: len(known)])
            if plan is not None:
                return copied_first(plan, loops, operands, letters, outputs)
    return None


def copied_first(
    plan: Plan, loops: dict[int, Loops | None], operands: Sequence[Any], letters: str, outputs: int
) -> Plan:
    """The plan behind the calls that copy operands, which it then reads."""
    first = 1 + max(outputs - 1, *[output for step in plan for output, _ in step.results])
    numbers = {i: first + k for k, i in enumerate(loops)}
    copies = [
        copy_step(i, numbers[i], operands[i].shape, found, letters[i] == "I") for i, found in loops.items() if found
    ]
    return (*copies, *[redirected(step, numbers) for step in plan])


def run_packed(find: Callable[..., Plan | None], a: Array, *arguments: Any) -> list[Any] | None:
    """The results of the plan for an array as it lies, else for a copy of a small one, as native code has them; None
    where there is none."""
    found = run_if_planned(find, a, *arguments)
    if found is not None or a.flags.c_contiguous or a.size >= MOST:
        return found
    return run_if_planned(find, np.ascontiguousarray(a), *arguments)


def loops_of(layout: Layout, most: int = MOST) -> Loops | None:
    """Three loops through the elements of a layout in their order; None where it takes more, or there are too many."""
    if layout.strides is None or not 0 < prod(layout.shape) < most:
        return None
    loops: list[tuple[int, int]] = []
    for size, step in zip(layout.shape, layout.strides, strict=True):
        if loops and loops[-1][1] == step * size:
            loops[-1] = loops[-1][0] * size, step
        elif size != 1:
            loops.append((size, step))
    if len(loops) > 3:
        return None
    (a, b, c), (d, e, f) = zip(*[(1, 0)] * (3 - len(loops)), *loops, strict=True)
    return (a, b, c), (d, e, f)


def copy_step(operand: int, output: int, shape: Ints, loops: Loops, whole: bool = False) -> Step:
    """The call that copies an operand, of whole numbers or of floats."""
    indices = (output,) if whole else ()
    return Step(gather, (operand,), ((output, shape),), ints=(*loops[0], *loops[1]), indices=indices)


def redirected(step: Step, numbers: dict[int, int]) -> Step:
    """A call that reads the copies."""
    return step._replace(operands=tuple([~numbers[i] if i in numbers else i for i in step.operands]))


@jit(halves=READ)
def gather(x: Array, out: Array, outer: int, inner: int, size: int, step0: int, step1: int, step2: int) -> None:
    """out[q, r, i] = x[step0 q + step1 r + step2 i]."""
    for q in range(outer):
        for r in range(inner):
            to, place = part_of(out, (q * inner + r) * size, size), q * step0 + r * step1
            for i in range(size):
                to[i] = x[place + i * step2]
