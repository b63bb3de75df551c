"""Plans for operands that lie apart, and for indices of int32: they are copied, or widened, first."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from ...compiler.jit import READ, jit
from ..llvm.addresses import part_of
from .contiguous_copy import contiguous_copy, merged
from .float16_plans import UNIT, copied
from .plan import Array, Ints, Layout, Narrow, Plan, Step, run_if_planned

STRIDED_OPERANDS_THRESHOLD = 3  # operands that lie apart, of which fewer may be all that have to be copied
MAX_GATHERED_ELEMENTS = 4096  # elements of an operand that are copied one by one, if need be
MAX_COPIED = 1 << 24  # elements of an operand that are copied at all
MAX_INDEXED_ELEMENTS = 1 << 14  # and of one of which indices choose a part
LOOPS = 4  # as many as heads of rows of a batch have
Loops = tuple[Ints, Ints]  # how often, and the steps in elements


def gathered(
    find: Callable[..., Plan | None], known: Sequence[Any], operands: Sequence[Any], arg_kinds: str, outputs: int
) -> Plan | None:
    """The plan of an op for layouts that it has none for: operands that lie apart are copied; None where that does not
    help. Operands are the arguments, or the items of a list that the first is; letters T, O, C: floats, I: indices."""
    max_block = MAX_INDEXED_ELEMENTS if getattr(find, "of_chosen", False) else MAX_COPIED
    named = zip(arg_kinds, operands, strict=False)
    strided = [
        i for i, (arg_kind, a) in enumerate(named) if arg_kind in "TOCI" and a is not None and a.strides is not None
    ]
    # As few as may be: the others may lie as the op wants them, a transpose say, and need no copy.
    counts = range(1, len(strided) + 1) if len(strided) <= STRIDED_OPERANDS_THRESHOLD else (len(strided),)
    for chosen in (each for count in counts for each in combinations(strided, count)):
        packed = [Layout(a.shape, None) if i in chosen else a for i, a in enumerate(operands)]
        if all(prod(operands[i].shape) < max_block and copy_step(operands[i], i, 0, arg_kinds[i]) for i in chosen):
            plan = find(tuple(packed), *known[1:]) if operands is known[0] else find(*packed[: len(known)])
            if plan is not None:
                return copied_first(plan, chosen, operands, arg_kinds, outputs)
    return None


def copied_first(plan: Plan, copied: Sequence[int], operands: Sequence[Any], arg_kinds: str, outputs: int) -> Plan:
    first = 1 + max(outputs - 1, *[output for step in plan for output, _ in step.results])
    numbers = {i: first + k for k, i in enumerate(copied)}
    copies = [copy_step(operands[i], i, number, arg_kinds[i]) for i, number in numbers.items()]
    return (*[step for step in copies if step], *[redirected(step, numbers) for step in plan])


def run_packed(find: Callable[..., Plan | None], a: Array, *arguments: Any) -> list[Any] | None:
    """The results of the plan for an array as it lies, else for a copy of a small one; None where there is none."""
    result = run_if_planned(find, a, *arguments)
    if result is not None or a.flags.c_contiguous or a.size >= MAX_GATHERED_ELEMENTS:
        return result
    return run_if_planned(find, np.ascontiguousarray(a), *arguments)


def loops_of(layout: Layout, max_block: int = MAX_GATHERED_ELEMENTS) -> Loops | None:
    """LOOPS loops through the elements of a layout in their order; None where it takes more, or there are too many."""
    if layout.strides is None or not 0 < prod(layout.shape) < max_block:
        return None
    loops = merged(layout.shape, layout.strides)
    if len(loops) > LOOPS:
        return None
    often, steps = zip(*[(1, 0)] * (LOOPS - len(loops)), *loops, strict=True)
    return often, steps


def copy_step(layout: Layout, operand: int, output: int, arg_kind: str) -> Step | None:
    """The call that copies an operand, of indices (I), a mask (B) or of floats; None where that takes more than one."""
    loops, indices, masks = loops_of(layout), (output,) if arg_kind == "I" else (), (output,) if arg_kind == "B" else ()
    if loops is not None:
        ints = (*loops[0], *loops[1])
        return Step(gather, (operand,), ((output, layout.shape),), ints=ints, indices=indices, masks=masks)
    if (
        prod(layout.shape) < MAX_GATHERED_ELEMENTS or layout.halves
    ):  # elements of 16 bits are not copied as they are, but widened
        return None
    result = contiguous_copy(layout, operand, output)
    return None if result is None else result._replace(indices=indices, masks=masks)


def redirected(step: Step, numbers: dict[int, int]) -> Step:
    return step._replace(operands=tuple([~numbers[i] if i in numbers else i for i in step.operands]))


@jit(halves=READ)
def gather(
    x: Array, out: Array, outer: int, inner_count: int, inner: int, size: int, step0: int, step1: int, step2: int,
    step3: int,
) -> None:  # fmt: skip
    for p in range(outer):
        for q in range(inner_count):
            for r in range(inner):
                to, position = (
                    part_of(out, ((p * inner_count + q) * inner + r) * size, size),
                    p * step0 + q * step1 + r * step2,
                )
                for i in range(size):
                    to[i] = x[position + i * step3]


def widened_first(plan: Plan, operands: Sequence[Any], outputs: int) -> Plan:
    first = 1 + max([outputs - 1, *[output for step in plan for output, _ in step.results]])
    narrow = [i for i, operand in enumerate(operands) if isinstance(operand, Narrow)]
    if not narrow:
        return plan
    numbers = {i: first + k for k, i in enumerate(narrow)}
    return (
        *[widening(i, number, operands[i]) for i, number in numbers.items()],
        *[redirected(step, numbers) for step in plan],
    )


def widening(operand: int, output: int, index: Narrow) -> Step:
    rows = prod(index.shape), UNIT
    return Step(copied, (operand,), ((output, index.shape),), rows=rows, row=1, indices=(output,))
