"""The plans of ops with kernels of their own as words: the op, the node whose gradients have plans, a plan's calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numba import types

from ...dispatch.kernel_ops.kernel_op import kernel_ops
from ...dispatch.view_cache import view_ops
from ...kernels.cpu.dtypes.half_plans import HALF, INDEX, INT32, MASK, SINGLE, for_halves, other_letters
from ...kernels.cpu.plan import Layout, Plan, Step, takes_complex
from ...kernels.llvm.native_code.element_kinds import BOOL, INTEGERS
from ...kernels.llvm.native_code.element_kinds import INT32 as INT32_KIND
from ...kernels.llvm.native_code.kernel_calls import MOST_ARRAYS, MOST_INTS, MOST_NUMBERS, Constants
from ...kernels.llvm.native_code.structs import CALL_NUMBERS
from ...pool.calls import kernel_address
from ...pool.layout import SECTION, TURNING
from ...tensor.shapes import contiguous_strides
from ..graph.gradients import BY_PLANS
from ..layout import slot_distances
from ..plans import address, array_of, bits, memory, record_plan, resolver, view_plan
from ..views.getitem import GetitemPlan
from .calls import MOST_READ, MOST_RESULTS, MOST_TABLES, Call, CallPlan, KernelTable
from .gradients import ALL, ALONE, MOST_EDGES, PlannedGradients, Read
from .launch import KernelOpPlan

OTHER_KINDS = {INDEX: INTEGERS, MASK: BOOL, SINGLE: 0, INT32: INT32_KIND}  # by the letters of half_plans.py
_tables: dict[Any, np.ndarray] = {}  # of kernels, by their names and letters


def kernel_op_plan(op: Any, writes: bool = False) -> np.ndarray:
    """The plan of an op with a kernel of its own, or of what writes to its first tensor."""
    inputs, refuses = ((), ()) if op.node is None else (op.node.inputs, op.node.refuses)
    listed = "L" in op.letters
    found, bools, integers = (
        (op.written, op.written_bool, op.written_whole) if writes else (op.found, op.found_bool, op.found_whole)
    )
    finds = (op.find_in_place if writes else op.find) is not None
    return KernelOpPlan.pack(
        found=address(found) if finds else 0,
        found_bfloat16=address(op.found_bfloat16) if op.find else 0,
        found_float16=address(op.found_float16) if op.find else 0,
        found_bool=address(bools) if finds else 0,
        found_whole=address(integers) if finds else 0,
        found_complex=address(op.found_complex) if takes_complex(op.find) and not writes else 0,
        ranks=memory(op.ranks),
        name=address(op.name.removesuffix("_") + "_"),
        device=address(op.launches),
        node=0 if op.node is None else memory(record_plan(op.node, op.recorded, False, listed)),
        outputs=op.outputs,
        differentiable=bits([name in inputs for name in op.recorded]),
        refused=bits([name in refuses for name in op.recorded]),
        moves=op.moves,
        tensors=sum(letter in "TOIR" for letter in op.letters),
        recorded=len(op.recorded),
        operands=len(op.letters),
        letters=[ord(letter) for letter in op.letters],
    )


def planned_gradients_plan(op: Any) -> np.ndarray:
    node, reads = op.node, []
    for letter, slot, part in op.reads:
        slots = {
            "k": [slot, f"{slot}_version"],
            "r": [slot, f"{slot}_version"],
            "i": [slot, f"{slot}_version"],
            "v": [slot],
        }
        distances = slot_distances(node, slots.get(letter, []))
        distances = [part or 0] if letter == "g" else distances
        reads.append(Read.pack(letter=ord(letter), **dict(zip(("slot", "version"), distances, strict=False))))
    return PlannedGradients.pack(
        kind=BY_PLANS,
        saved=len(node.saved_slots),
        slots=slot_distances(node, node.saved_slots),
        listed=ALL if len(node.differentiable) > 1 else node.differentiable[0] if node.output_count > 1 else ALONE,
        of_any_layout=int(getattr(op.find, "of_any_layout", False)),
        found=address(op.found) if op.find else 0,
        found_bfloat16=address(op.found_bfloat16) if op.find else 0,
        found_float16=address(op.found_float16) if op.find else 0,
        device=address(op.launches),
        layouts=sum(read.letter in "gkr" for read in op.reads),
        operands=len(reads),
        reads=reads,
    )


def call_plan(
    plan: Plan,
    layouts: Sequence[Any],
    letters: str,
    outputs: int,
    arguments: Sequence[Any],
    singles: int | None = None,
    in_pairs: bool = False,
) -> tuple[Any, ...]:
    """(words, the shape of each result or None, the arguments, tables, which the words have the addresses of).

    Operands that are no tensors have no layout.
    """
    reaches = [reach(layout) if isinstance(layout, Layout) else 0 for layout in layouts]
    others = {output: letter for step in plan for output, letter in other_letters(step).items()}
    each = tuple([call_letters(step, letters, others) for step in plan])
    if singles is not None:
        plan, each = for_halves(plan, letters, reaches, outputs, singles, in_pairs)
    last = max([output for step in plan for output, _ in step.results], default=-1)
    head = CallPlan.pack(
        calls=len(plan),
        results=max(last + 1, outputs),
        halves=bits([not (singles or 0) >> i & 1 for i in range(min(outputs, MOST_EDGES))]),  # more are for Python
        singles=bits([letter == "C" for letter in letters]),
        integers=sum(1 << output for output, letter in others.items() if letter == INDEX),
        masks=sum(1 << output for output, letter in others.items() if letter == MASK),
        int32s=sum(1 << output for output, letter in others.items() if letter == INT32),
        complexes=sum(1 << output for output in {output for step in plan for output in step.complexes}),
        reach=reaches,
    )[: CallPlan.word("steps")]
    shapes: list[Any] = [None] * max(last + 1, outputs)
    for step in plan:
        for output, shape in step.results:
            shapes[output] = shape
    behind = np.zeros(CALL_NUMBERS, np.int64)  # a call reads so many numbers
    words = np.concatenate([head, *[call_of(*both) for both in zip(plan, each, strict=True)], behind])
    return (words, *shapes, *arguments, *[table for step in plan for table in step.tables])


def reach(layout: Layout) -> int:
    """How many elements lie between the first and the last of a tensor, these included."""
    shape, strides = layout.shape, layout.strides
    steps = contiguous_strides(shape) if strides is None else strides
    return 1 + sum((size - 1) * step for size, step in zip(shape, steps, strict=True)) if all(shape) else 0


def call_letters(step: Step, letters: str, others: dict[int, str]) -> str:
    """What the operands and results of a call are: I for int64, W for int32, B for bool, T for the operands' dtype."""
    alike = {INDEX: INDEX, MASK: MASK, INT32: INT32}
    given = [alike.get(letters[i], HALF) if i >= 0 else others.get(~i, HALF) for i in step.operands]
    return "".join([*given, *[others.get(output, HALF) for output, _ in step.results]])


def call_of(step: Step, letters: str) -> np.ndarray:
    check_room(step)
    ints = (*step.ints, 0, step.rows[0]) if step.rows else step.ints
    extent, unit = step.rows or (0, 0)
    counted = dict(step.counted)
    return Call.pack(
        kernel=kernel_table(step.kernel, letters + INDEX * len(step.tables), len(ints), len(step.numbers)).ctypes.data,
        operands=len(step.operands),
        which=step.operands,
        results=len(step.results),
        outputs=[output for output, _ in step.results],
        sizes=[prod(filter(None, shape) if output in counted else shape) for output, shape in step.results],
        counted=[1 + counted[output] if output in counted else 0 for output, _ in step.results],
        extent=extent,
        unit=unit,
        place=len(step.ints),
        together=rows_together(step),
        work=step.work,
        tables=len(step.tables),
        table_memory=[table.ctypes.data for table in step.tables],
        table_sizes=[table.size for table in step.tables],
        constants=Constants.pack(ints=[int(i) for i in ints], numbers=np.array(step.numbers, np.float64)),
    )


def rows_together(step: Step) -> int:
    """How many rows of a call one thread does at a time; 0 where it does all at once."""
    if step.rows is None or step.row < 1 or step.row * step.rows[0] < TURNING:
        return 0
    unit = step.rows[1]
    return unit * max(1, SECTION // (unit * step.row))


def check_room(step: Step) -> None:
    """Whether a frame has places for all that a call takes, and results that elements say the size of have one."""
    arrays = len(step.operands) + len(step.results) + len(step.tables)
    ints = len(step.ints) + (2 if step.rows else 0)
    fits = arrays <= MOST_ARRAYS and ints <= MOST_INTS and len(step.numbers) <= MOST_NUMBERS
    fits = fits and len(step.operands) <= MOST_READ and len(step.results) <= MOST_RESULTS
    if not fits or len(step.tables) > MOST_TABLES:
        raise ValueError(
            f"{step.kernel.__name__}: more arrays, tables, ints or numbers than a plan has places for: {step}"
        )
    counted = dict(step.counted)
    if any(shape.count(0) != 1 for output, shape in step.results if output in counted):
        raise ValueError(f"{step.kernel.__name__}: expected one size of 0 in a counted result: {step}")


def kernel_table(kernel: Any, letters: str, ints: int, numbers: int) -> np.ndarray:
    """The table of a kernel on flat arrays: its resolver, and the machine code for each kind of floats.

    The letters of operands, results and tables are those of half_plans.py.
    """
    key = kernel.__name__, kernel.__module__, letters
    if key not in _tables:

        def find(kind: int) -> int:
            arrays = [array_of(OTHER_KINDS.get(letter, kind)) for letter in letters]
            compiled = kernel.compile() if hasattr(kernel, "function") else kernel
            return kernel_address(compiled, [*arrays, *[types.float64] * numbers, *[types.int64] * ints])

        table = KernelTable.pack()
        KernelTable.put(table, "resolver", resolver(table[KernelTable.word("kernels") :], find))
        memory(table)
        _tables.setdefault(key, table)  # only now: another thread runs what it finds there
    return _tables[key]


def getitem_plan() -> np.ndarray:
    views = {name: memory(view_plan(view_ops[name])) for name in ("select", "slice", "unsqueeze")}
    return GetitemPlan.pack(**views, index=memory(kernel_op_plan(kernel_ops["index"])))
