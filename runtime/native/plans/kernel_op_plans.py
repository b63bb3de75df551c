"""The plans of ops with kernels of their own as words: the op, its node, a plan's calls, conversions."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numba import types

from ...compiler.language.call_abi import MAX_ARRAYS, MAX_INTS, MAX_NUMBERS, Constants
from ...compiler.language.memory import BOOL, INT8, INT16, INTEGERS, KINDS, UINT8
from ...compiler.language.memory import INT32 as INT32_KIND
from ...compiler.language.structs import CALL_NUMBERS
from ...compiler.passes.strided_entry import SUFFIX
from ...device.threads.call_record import kernel_address
from ...device.threads.job import ALTERNATING_ELEMENTS, SECTION
from ...dispatch.kernel_ops.kernel_op import kernel_ops
from ...dispatch.view_cache import view_ops
from ...kernels.cpu import casting as kernels
from ...kernels.cpu.float16_plans import HALF, INDEX, INT32, MASK, SINGLE, for_halves, other_arg_kinds
from ...kernels.cpu.plan import Layout, Plan, Step, takes_complex
from ...shapes import contiguous_strides
from ..elementwise.gradient import BY_PLANS
from ..kernel_ops.general import MAX_READ_OPERANDS, MAX_RESULTS, MAX_TABLES, Call, CallPlan, KernelTable
from ..kernel_ops.gradient import ALL, ALONE, MAX_EDGES, PlannedGradients, Read
from ..kernel_ops.kernel_op import KernelOpPlan
from ..objects.convert import ConversionPlan
from ..objects.interned import PAIRS, Converting, converting_slots
from ..objects.layout import slot_distances
from ..views.getitem import GetitemPlan
from .op_plans import address, array_of, bits, memory, record_plan, resolver, view_plan

OTHER_KINDS = {INDEX: INTEGERS, MASK: BOOL, SINGLE: 0, INT32: INT32_KIND}  # by the letters of half_plans.py
_tables: dict[Any, np.ndarray] = {}  # of kernels, by their names and letters


def kernel_op_plan(op: Any, writes: bool = False) -> np.ndarray:
    inputs, refuses = ((), ()) if op.node is None else (op.node.inputs, op.node.refuses)
    listed = "L" in op.arg_kinds
    cached = (op.cached, op.cached_bool, op.cached_integer)
    result, bools, integers = (op.written, op.written_bool, op.written_integer) if writes else cached
    finds = (op.find_in_place if writes else op.find) is not None
    return KernelOpPlan.pack(
        cached=address(result) if finds else 0,
        cached_bfloat16=address(op.cached_bfloat16) if op.find else 0,
        cached_float16=address(op.cached_float16) if op.find else 0,
        cached_bool=address(bools) if finds else 0,
        cached_integer=address(integers) if finds else 0,
        cached_complex=address(op.cached_complex) if takes_complex(op.find) and not writes else 0,
        ranks=memory(op.ranks),
        name=address(op.name.removesuffix("_") + "_"),
        device=address(op.launches),
        node=0 if op.node is None else memory(record_plan(op.node, op.recorded, False, listed)),
        outputs=op.outputs,
        differentiable=bits([name in inputs for name in op.recorded]),
        refused=bits([name in refuses for name in op.recorded]),
        moves=op.moves,
        tensors=sum(arg_kind in "TOIR" for arg_kind in op.arg_kinds),
        recorded=len(op.recorded),
        operands=len(op.arg_kinds),
        arg_kinds=[ord(arg_kind) for arg_kind in op.arg_kinds],
    )


def planned_gradients_plan(op: Any) -> np.ndarray:
    node, reads = op.node, []
    for arg_kind, slot, part in op.reads:
        slots = [slot, f"{slot}_version"] if arg_kind in "kri" else [slot] if arg_kind == "v" else []
        distances = [part or 0] if arg_kind == "g" else slot_distances(node, slots)
        reads.append(Read.pack(arg_kind=ord(arg_kind), **dict(zip(("slot", "version"), distances, strict=False))))
    return PlannedGradients.pack(
        kind=BY_PLANS,
        saved=len(node.saved_slots),
        slots=slot_distances(node, node.saved_slots),
        listed=ALL if len(node.differentiable) > 1 else node.differentiable[0] if node.output_count > 1 else ALONE,
        of_any_layout=int(getattr(op.find, "of_any_layout", False)),
        cached=address(op.cached) if op.find else 0,
        cached_bfloat16=address(op.cached_bfloat16) if op.find else 0,
        cached_float16=address(op.cached_float16) if op.find else 0,
        device=address(op.launches),
        layouts=sum(read.arg_kind in "gkr" for read in op.reads),
        operands=len(reads),
        reads=reads,
    )


def call_plan(
    plan: Plan,
    layouts: Sequence[Any],
    arg_kinds: str,
    outputs: int,
    arguments: Sequence[Any],
    singles: int | None = None,
    in_pairs: bool = False,
) -> tuple[Any, ...]:
    """(words, the shape of each result or None, the arguments, tables). Operands that are no tensors have no layout."""
    reaches = [read_extent(layout) if isinstance(layout, Layout) else 0 for layout in layouts]
    others = {output: arg_kind for step in plan for output, arg_kind in other_arg_kinds(step).items()}
    each = tuple([call_arg_kinds(step, arg_kinds, others) for step in plan])
    if singles is not None:
        plan, each = for_halves(plan, arg_kinds, reaches, outputs, singles, in_pairs)
    last = max([output for step in plan for output, _ in step.results], default=-1)
    head = CallPlan.pack(
        calls=len(plan),
        results=max(last + 1, outputs),
        halves=bits([not (singles or 0) >> i & 1 for i in range(min(outputs, MAX_EDGES))]),  # more are for Python
        singles=bits([arg_kind == "C" for arg_kind in arg_kinds]),
        integers=sum(1 << output for output, arg_kind in others.items() if arg_kind == INDEX),
        masks=sum(1 << output for output, arg_kind in others.items() if arg_kind == MASK),
        int32s=sum(1 << output for output, arg_kind in others.items() if arg_kind == INT32),
        complexes=sum(1 << output for output in {output for step in plan for output in step.complexes}),
        read_extent=reaches,
    )[: CallPlan.word("steps")]
    shapes: list[Any] = [None] * max(last + 1, outputs)
    for step in plan:
        for output, shape in step.results:
            shapes[output] = shape
    behind = np.zeros(CALL_NUMBERS, np.int64)  # a call reads so many numbers
    slot_values = np.concatenate([head, *[call_of(*both) for both in zip(plan, each, strict=True)], behind])
    return (slot_values, *shapes, *arguments, *[table for step in plan for table in step.tables])


def read_extent(layout: Layout) -> int:
    shape, strides = layout.shape, layout.strides
    steps = contiguous_strides(shape) if strides is None else strides
    return 1 + sum((size - 1) * step for size, step in zip(shape, steps, strict=True)) if all(shape) else 0


def call_arg_kinds(step: Step, arg_kinds: str, others: dict[int, str]) -> str:
    """What the operands and results of a call are: I for int64, W for int32, B for bool, T for the operands' dtype."""
    alike = {INDEX: INDEX, MASK: MASK, INT32: INT32}
    args = [alike.get(arg_kinds[i], HALF) if i >= 0 else others.get(~i, HALF) for i in step.operands]
    return "".join([*args, *[others.get(output, HALF) for output, _ in step.results]])


def call_of(step: Step, arg_kinds: str) -> np.ndarray:
    check_capacity(step)
    ints = (*step.ints, 0, step.rows[0]) if step.rows else step.ints
    extent, unit = step.rows or (0, 0)
    counted = dict(step.counted)
    table = kernel_table(step.kernel, arg_kinds + INDEX * len(step.tables), len(ints), len(step.numbers))
    return Call.pack(
        kernel=table.ctypes.data,
        operands=len(step.operands),
        which=step.operands,
        results=len(step.results),
        outputs=[output for output, _ in step.results],
        sizes=[prod(filter(None, shape) if output in counted else shape) for output, shape in step.results],
        counted=[1 + counted[output] if output in counted else 0 for output, _ in step.results],
        extent=extent,
        unit=unit,
        position=len(step.ints),
        tile_rows=tile_row_count(step),
        work=step.work,
        tables=len(step.tables),
        table_memory=[table.ctypes.data for table in step.tables],
        table_sizes=[table.size for table in step.tables],
        constants=Constants.pack(ints=[int(i) for i in ints], numbers=np.array(step.numbers, np.float64)),
    )


def tile_row_count(step: Step) -> int:
    """How many rows of a call one thread does at a time; 0: all at once."""
    if step.rows is None or step.row < 1 or step.row * step.rows[0] < ALTERNATING_ELEMENTS:
        return 0
    unit = step.rows[1]
    return unit * max(1, SECTION // (unit * step.row))


def check_capacity(step: Step) -> None:
    arrays = len(step.operands) + len(step.results) + len(step.tables)
    ints = len(step.ints) + (2 if step.rows else 0)
    fits = arrays <= MAX_ARRAYS and ints <= MAX_INTS and len(step.numbers) <= MAX_NUMBERS
    fits = fits and len(step.operands) <= MAX_READ_OPERANDS and len(step.results) <= MAX_RESULTS
    if not fits or len(step.tables) > MAX_TABLES:
        raise ValueError(
            f"{step.kernel.__name__}: more arrays, tables, ints or numbers than a plan has places for: {step}"
        )
    counted = dict(step.counted)
    if any(shape.count(0) != 1 for output, shape in step.results if output in counted):
        raise ValueError(f"{step.kernel.__name__}: expected one size of 0 in a counted result: {step}")


def kernel_table(kernel: Any, arg_kinds: str, ints: int, numbers: int) -> np.ndarray:
    """The resolver of a kernel on flat arrays, and its machine code for each kind of floats."""
    key = kernel.__name__, kernel.__module__, arg_kinds
    if key not in _tables:

        def find(kind: int) -> int:
            arrays = [array_of(OTHER_KINDS.get(arg_kind, kind)) for arg_kind in arg_kinds]
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


WORTH = 8  # conversions of a pair that NumPy does before a kernel is worth its loading
_query_counts: Counter[int] = Counter()


def kernel_of(number: int) -> int:
    """0 until a pair of kinds was asked for WORTH times; behind all pairs stand the entries for rows."""
    in_rows, pair = divmod(number, PAIRS)
    _query_counts[pair] += 1
    if _query_counts[pair] <= WORTH:
        return 0
    kind, to = divmod(pair, KINDS)
    short = kernels.shortened if to in (INT8, INT16, UINT8) else kernels.converted
    return kernel_address(kernels.truth if to == BOOL else short, [array_of(kind), array_of(to)], SUFFIX * in_rows)


@functools.cache
def let_convert() -> None:
    kernel_slots = converting_slots[Converting.word("kernels") :]
    Converting.put(converting_slots, "resolver", resolver(kernel_slots, kernel_of))


def conversion_plan(op: Any) -> np.ndarray:
    let_convert()
    return ConversionPlan.pack(node=memory(record_plan(op.node, op.operands, False)))
