"""Plans for operands and results that are 16-bit floats, made of those for float32. `jit(halves=...)` says that a
kernel may be compiled for such arrays: READ, it reads each such operand as float32; WRITTEN, it also writes each result
once and reads none; MEMORY, it knows addresses alone. For others operands are widened, results rounded."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...compiler.jit import MEMORY, READ, WRITTEN, jit
from ...device.threads.parallel_for import shared
from ..llvm.addresses import part_of
from .plan import Array, Ints, Plan, Step

UNIT = 4096  # elements of a copy that stay in one thread
# What a call reads or writes is of the operands' dtype, float32, int64, bool, int32.
HALF, SINGLE, INDEX, MASK, INT32 = "TCIBW"


class HalfPlan(NamedTuple):
    """A plan, and the letters of the operands and results of each of its calls."""

    plan: Plan
    arg_kinds: tuple[str, ...]


@jit(halves=WRITTEN)
def copied(x: Array, out: Array, first: int, last: int) -> None:
    row, to = part_of(x, first, last - first), part_of(out, first, last - first)
    for i in range(to.size):
        to[i] = row[i]


def other_arg_kinds(step: Step) -> dict[int, str]:
    return dict.fromkeys(step.indices, INDEX) | dict.fromkeys(step.masks, MASK) | dict.fromkeys(step.int32s, INT32)


def kernel_operands(kernel: Any) -> str:
    return getattr(getattr(kernel, "kernel", kernel), "halves", "")


class Rewritten:
    """A plan for float32 being made one for 16-bit floats; outputs from `outputs` on are for its calls alone."""

    def __init__(self, plan: Plan, operands: str, read_extent: Sequence[int], outputs: int, singles: int) -> None:
        self.operands, self.read_extent, self.outputs, self.singles = operands, read_extent, outputs, singles
        self.others = {output: arg_kind for step in plan for output, arg_kind in other_arg_kinds(step).items()}
        self.next = 1 + max(outputs, *[output for step in plan for output, _ in step.results])
        self.widened: dict[int, int] = {}
        self.rounded = {output: self.new() for output in self.in_parts(plan)}
        self.steps: list[Step] = []
        self.arg_kinds: list[str] = []
        for step in plan:
            self.add(step)
        shapes = dict(result for step in plan for result in step.results)
        for output, scratch in self.rounded.items():
            self.copy(~scratch, SINGLE, output, shapes[output], HALF)

    def new(self) -> int:
        self.next += 1
        return self.next - 1

    def is_half(self, output: int) -> bool:
        return output < self.outputs and not self.singles >> output & 1 and output not in self.others

    def in_parts(self, plan: Plan) -> list[int]:
        """The outputs that must be rounded after all: those that a kernel may read, of this call or of one before."""
        matches = [
            output
            for step in plan
            for output, _ in step.results
            if kernel_operands(step.kernel) not in (WRITTEN, MEMORY)
        ]
        matches += [~i for step in plan for i in step.operands if i < 0]
        return [output for output in dict.fromkeys(matches) if self.is_half(output)]

    def add(self, step: Step) -> None:
        operands, arg_kinds = [], ""
        for i in step.operands:
            if i < 0:
                operands.append(~self.rounded.get(~i, ~i))
                arg_kinds += self.others.get(~i, SINGLE)
            elif kernel_operands(step.kernel) == MEMORY:
                operands.append(i)
                arg_kinds += SINGLE
            elif self.operands[i] != HALF or kernel_operands(step.kernel) in (READ, WRITTEN):
                operands.append(i)
                arg_kinds += self.operands[i]
            else:
                operands.append(~self.wide(i))
                arg_kinds += SINGLE
        results = tuple([(self.rounded.get(output, output), shape) for output, shape in step.results])
        numbers = [output for output, _ in results]
        halves = {output for output in numbers if kernel_operands(step.kernel) != MEMORY and self.is_half(output)}
        arg_kinds += "".join(self.others.get(i, HALF if i in halves else SINGLE) for i in numbers)
        self.steps.append(step._replace(operands=tuple(operands), results=results))
        self.arg_kinds.append(arg_kinds)

    def wide(self, operand: int) -> int:
        if operand not in self.widened:
            self.widened[operand] = self.new()
            self.copy(operand, HALF, self.widened[operand], (self.read_extent[operand],), SINGLE)
        return self.widened[operand]

    def copy(self, source: int, arg_kind: str, output: int, shape: Ints, to: str) -> None:
        self.steps.append(Step(copied, (source,), ((output, shape),), rows=(prod(shape), UNIT)))
        self.arg_kinds.append(arg_kind + to)


def by_pairs(plan: Plan, operands: str) -> Plan:
    made: list[Step] = []
    for step in plan:
        stored = step.pairs is not None and all(i >= 0 and operands[i] == HALF for i in step.operands)
        made += step.pairs() if stored and step.pairs else (step,)
    return tuple(made)


def run_in_memory(plan: Plan, *arrays: Array) -> Array:
    """The result of a plan whose kernels know memory by addresses alone: in the dtype of the arrays."""
    results: dict[int, Array] = {}
    for step in plan:
        for output, shape in step.results:
            if output not in results:
                results[output] = np.empty(shape, np.float32 if output else arrays[0].dtype)
        selected = [results[~i] if i < 0 else arrays[i] for i in step.operands]
        selected += [results[output] for output, _ in step.results]
        packed = [packed_view_of(array) for array in selected]
        count, unit = step.rows or (0, 1)
        shared(step.kernel, (*packed, *step.ints), count, step.work, unit)
    return results[0]


def packed_view_of(array: Array) -> Array:
    """An array of float32 that begins where a contiguous array, or the transpose of one, does."""
    row_major = array if array.flags.c_contiguous else array.swapaxes(-1, -2)
    flat = row_major.reshape(-1)
    if flat.dtype == np.float32:
        return flat
    return flat.view(np.uint16)[: flat.size // 2 * 2].view(np.float32)


def for_halves(
    plan: Plan, operands: str, read_extent: Sequence[int], outputs: int, singles: int, in_pairs: bool = False
) -> HalfPlan:
    """The plan for 16-bit floats. `operands`: letters, T of 16 bits, C for float32; `read_extent`: the elements that
    are read; `outputs`: those behind are the plan's alone; `singles`: bit i: output i is float32; `in_pairs`: by
    pairs."""
    calls = by_pairs(plan, operands) if in_pairs else plan
    made = Rewritten(calls, operands, read_extent, outputs, singles)
    return HalfPlan(tuple(made.steps), tuple(made.arg_kinds))
