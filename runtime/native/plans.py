"""The plans of ops and nodes as words: what native code must know of each, and where it finds the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numba import types

from ..autograd.engine.accumulate_grad import add_each
from ..dispatch.kernel_op import kernel_ops
from ..dispatch.loop_nest import Rows as PythonRows
from ..dispatch.view_cache import view_ops
from ..kernels.compile.halves import HalfArray
from ..kernels.cpu.half_plans import HALF, INDEX, MASK, SINGLE, for_halves
from ..kernels.cpu.plan import Layout, Plan, Step
from ..kernels.llvm.element_kinds import BFLOAT16, BOOL, FLOAT16, FLOATS, INTEGERS, KINDS
from ..kernels.llvm.kernel_calls import MOST_ARRAYS, MOST_INTS, MOST_NUMBERS, Constants
from ..kernels.llvm.structs import fields, length
from ..pool.calls import kernel_address
from ..pool.layout import CALL_NUMBERS, SECTION, TURNING
from ..pool.rows import Rows
from ..tensor.shapes import contiguous_strides
from .forward import ForwardPlan
from .getitem import GetitemPlan
from .graph import gradients, recording
from .graph.gradients import (
    BY_PLANS,
    BY_VIEWS,
    HANDS_ON,
    HANDS_ON_AT_ONE,
    MOST_CASES,
    FusedKernel,
    FusedPlan,
    SavedTensor,
)
from .graph.recording import RESULT, SHAPES, KeptTensor, KeptValue, RecordPlan
from .graph.view_gradients import MOST_VALUES, ViewGradients
from .interned import Adding, adding_words
from .kernel_ops.calls import MOST_READ, MOST_RESULTS, MOST_TABLES, Call, CallPlan, KernelTable
from .kernel_ops.gradients import ALL, ALONE, MOST_EDGES, PlannedGradients, Read
from .kernel_ops.launch import KernelOpPlan
from .layout import Tensor, slot_distances
from .views import ViewPlan

# By kinds: of a number, and of a flat array.
_FEW = (types.int32, types.int16, types.int8, types.uint8)
NUMBERS = (types.float32, types.float64, types.float32, types.float32, types.boolean, types.int64, *_FEW)
HALVES = {BFLOAT16: HalfArray("bfloat16"), FLOAT16: HalfArray("float16")}
_kept: list[Any] = []  # what plans hold the addresses of
_tables: dict[Any, np.ndarray] = {}


def address(thing: Any) -> int:
    """The address of an object, which lives as long as the process from now on."""
    _kept.append(thing)
    return id(thing)


def memory(words: np.ndarray) -> int:
    """The address of a plan's words, which stay from now on."""
    _kept.append(words)
    return words.ctypes.data


def array_of(kind: int) -> Any:
    """numba's type of a flat array of a kind."""
    return HALVES[kind] if kind in HALVES else types.Array(NUMBERS[kind], 1, "C")


def resolver(kernels: np.ndarray, find: Callable[[int], int]) -> int:
    """The address of a function for native code, which puts the address of kernel `number` into the words `kernels`."""
    return address(lambda number: kernels.__setitem__(number, find(number)))


MOST_INPUTS = 2


def bits(flags: Sequence[bool]) -> int:
    """Bit i: flag i."""
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def has_room(op: Any) -> bool:
    """Whether an element-wise op has no more arrays, numbers and kept values than a frame and a record have places.

    One of two operands may be a number: given as one, or the same for a whole row. So may one of those beside a mask.
    """
    numbers = len(op.numbers) + (op.takes_number or len(op.operands) == 2 or chooses(op))
    return len(op.operands) < MOST_ARRAYS and numbers <= MOST_NUMBERS and (op.node is None or can_record(op.node))


def can_record(node: Any) -> bool:
    """Whether a record has places for what a node keeps."""
    return max(len(node.inputs), len(node.keeps), len(node.values)) <= recording.MOST


def elementwise_record(op: Any) -> np.ndarray:
    """The plan for `record` of an element-wise op."""
    return record_plan(op.node, (*op.operands, *op.numbers), has_native_gradients(op.node))


def has_native_gradients(node: Any) -> bool:
    """Whether native code computes the gradients of an element-wise node, which then need not know what each input
    looks like; of three inputs `apply` does."""
    return len(node.inputs) <= MOST_INPUTS


def has_room_backward(node: Any) -> bool:
    """Whether a plan has places for all fused kernels of a node, and a frame for their arguments."""

    def fits(mask: int, kept: Sequence[str], numbers: Sequence[str]) -> bool:
        arrays = 1 + len(kept) + mask.bit_count()
        return (
            mask <= MOST_CASES
            and arrays <= MOST_ARRAYS
            and len(kept) <= gradients.MOST
            and len(numbers) < MOST_NUMBERS  # one more may stand in the place of a kept tensor
        )

    return len(node.keeps) <= gradients.MOST and all(fits(mask, *reads) for mask, reads in node.fused.items())


def forward_plan(op: Any, name: str) -> np.ndarray:
    """The plan of an element-wise op for `forward.launch` or `launch_in_place`."""
    masks = [op.is_raw(i) for i in range(len(op.operands))]
    by_rows = len(op.operands) == 2 and not any(masks)
    inputs = () if op.node is None else op.node.inputs
    plan = ForwardPlan.pack(
        tensors=len(op.operands),
        numbers=len(op.numbers),
        masks=bits(masks),
        lead=masks.index(False),
        gives_bool=op.result_dtypes[0] == "bool",
        takes_number=op.takes_number,
        chooses=chooses(op),
        fitting=op.fitting,
        alike=op.alike,
        integers=op.integers,
        node=0 if op.node is None else memory(elementwise_record(op)),
        differentiable=bits([name in inputs or op.overwrites for name in op.operands]),
        name=address(f"{op.name.removesuffix('_')}_"),
        rows=address(op.rows) if by_rows else 0,
        device=address(op.launches[name]),
    )
    kernels = plan[ForwardPlan.word("kernels") :]
    ForwardPlan.put(plan, "resolver", resolver(kernels, lambda number: forward_kernel(op, number)))
    return plan


def chooses(op: Any) -> bool:
    """Whether two operands of an op are no masks, and others are."""
    return any(op.raw) and op.raw.count(False) == 2 and not op.takes_number


def forward_kernel(op: Any, number: int) -> int:
    """The address of kernel `number` of an op, as ForwardPlan counts them."""
    variant, kind = divmod(number, KINDS)
    arrays = [array_of(BOOL if op.is_raw(i) else kind) for i in range(len(op.operands))]
    if variant:
        read = [i for i in range(len(op.operands)) if not op.is_raw(i)]
        arrays[read[variant == 1 or variant == 3]] = NUMBERS[1 if variant == 1 else kind]
    result = array_of(BOOL if op.result_dtypes[0] == "bool" else kind)
    kernel = op.kernels.forward_number if variant == 1 else op.kernels.forward
    if kind in HALVES and len(arrays) == 1 and not op.numbers and result == arrays[0]:
        kernel = op.kernels.of_halves("forward")
    return kernel_address(kernel, [*arrays, *[types.float64] * len(op.numbers), result])


def rows_plan(rows: PythonRows, count: int) -> np.ndarray:
    """The rows of two layouts for `broadcast`."""
    return Rows.pack(
        outer=rows.outer,
        inner=rows.inner,
        size=rows.size,
        elements=count,
        repeated=rows.repeated[0] + 1 if rows.repeated else 0,
        reach=[rows.reach(k) for k in (0, 1)],
        steps=rows.steps[[0, 1, -1]],
    )


def record_plan(node: Any, operands: Sequence[str], elementwise: bool, listed: bool = False) -> np.ndarray:
    """The plan of a node for `record`: the slots in which it keeps tensors and values."""
    places = {name: i for i, name in enumerate(operands)}
    places |= {f"output {i}": RESULT - i for i in range(node.output_count)}
    tensors = [
        KeptTensor.pack(
            slot=slot_distances(node, [slot]),
            version=slot_distances(node, [f"{slot}_version"]),
            source=places[source],
            needed=bits([name in needed for name in node.inputs]),
            alias=slot in node.saved_outputs,
        )
        for slot, (source, needed) in node.keeps.items()
    ]
    values = [
        KeptValue.pack(slot=slot_distances(node, [slot]), source=places[source], part=value_part(part))
        for slot, (source, part) in node.values.items()
    ]
    return RecordPlan.pack(
        type=address(node),
        edges=len(node.inputs),
        inputs=[places[name] for name in node.inputs],
        kept=len(tensors),
        tensors=tensors,
        kept_values=len(values),
        values=values,
        elementwise=elementwise,
        listed=listed,
        outputs=node.output_count,
        differentiable=sum(1 << i for i in node.differentiable),
        output_metas=slot_distances(node, ["output_metas"]) if node.output_count > 1 else 0,
    )


def value_part(part: str) -> int:
    """Which part of an argument a node keeps: 0 for all of it."""
    if part == "shapes":
        return SHAPES
    return fields(Tensor)[part.strip("_")].distance if part else 0


def view_plan(op: Any) -> np.ndarray:
    """The plan of a view op for `launch_view`."""
    record = record_plan(op.node, op.operands, False)
    return ViewPlan.pack(found=address(op.found), node=memory(record), operands=len(op.operands))


def has_view_gradient(node: Any) -> bool:
    """Whether the gradient of a node may be a view of its own: it keeps no tensors, and no kernel computes it."""
    alone = len(node.inputs) == node.output_count == 1 and len(node.values) <= MOST_VALUES
    return alone and node.gives_fresh and node.elementwise is None and not (node.saved_slots or hasattr(node, "plans"))


def view_gradients_plan(node: Any) -> np.ndarray:
    """The plan of such a node for `view_gradients`."""
    views = ViewPlan.pack(found=address({}))
    slots = slot_distances(node, node.values)
    return ViewGradients.pack(kind=BY_VIEWS, views=memory(views), values=len(slots), value_slots=slots)


def getitem_plan() -> np.ndarray:
    """The plan of `getitem`: the plans of the ops that it is made of."""
    views = {name: memory(view_plan(view_ops[name])) for name in ("select", "slice", "unsqueeze")}
    return GetitemPlan.pack(**views, index=memory(kernel_op_plan(kernel_ops["index"])))


def kernel_op_plan(op: Any, writes: bool = False) -> np.ndarray:
    """The plan of an op with a kernel of its own, or of what writes to its first tensor."""
    inputs, refuses = ((), ()) if op.node is None else (op.node.inputs, op.node.refuses)
    listed = "L" in op.letters
    found = op.found if op.find else None
    found = (op.written if op.find_in_place else None) if writes else found
    return KernelOpPlan.pack(
        found=0 if found is None else address(found),
        found_bfloat16=address(op.found_bfloat16) if op.find else 0,
        found_float16=address(op.found_float16) if op.find else 0,
        found_bool=address(op.found_bool) if op.find else 0,
        found_int64=address(op.found_int64) if op.find else 0,
        name=address(op.name.removesuffix("_") + "_"),
        device=address(op.launches),
        node=0 if op.node is None else memory(record_plan(op.node, op.operands, False, listed)),
        outputs=op.outputs,
        differentiable=bits([name in inputs for name in op.operands]),
        refused=bits([name in refuses for name in op.operands]),
        moves=op.moves,
        tensors=sum(letter in "TOIR" for letter in op.letters),
        operands=len(op.letters),
        letters=[ord(letter) for letter in op.letters],
    )


def planned_gradients_plan(op: Any) -> np.ndarray:
    """The plan of a node whose gradients have plans."""
    node, reads = op.node, []
    for letter, slot, part in op.reads:
        slots = {"k": [slot, f"{slot}_version"], "i": [slot, f"{slot}_version"], "v": [slot]}
        distances = slot_distances(node, slots.get(letter, []))
        distances = [part or 0] if letter == "g" else distances
        reads.append(Read.pack(letter=ord(letter), **dict(zip(("slot", "version"), distances, strict=False))))
    return PlannedGradients.pack(
        kind=BY_PLANS,
        saved=len(node.saved_slots),
        slots=slot_distances(node, node.saved_slots),
        listed=ALL if len(node.differentiable) > 1 else node.differentiable[0] if node.output_count > 1 else ALONE,
        found=address(op.found) if op.find else 0,
        found_bfloat16=address(op.found_bfloat16) if op.find else 0,
        found_float16=address(op.found_float16) if op.find else 0,
        device=address(op.launches),
        layouts=sum(read.letter in "gk" for read in op.reads),
        operands=len(reads),
        reads=reads,
    )


def gradient_plan(node: Any) -> np.ndarray:
    """The plan of an element-wise node for `fused_gradients`."""
    plan = FusedPlan.pack(
        kind=HANDS_ON if node.hands_on is True else HANDS_ON_AT_ONE if node.hands_on else 0,
        number_slot=slot_distances(node, [node.hands_on]) if isinstance(node.hands_on, str) else 0,
        saved=len(node.keeps),
        slots=slot_distances(node, node.keeps),
    )
    size = length(FusedKernel)
    for mask, (kept, numbers) in node.fused.items():
        first = FusedPlan.word("cases") + size * (mask - 1)
        put_fused_kernel(plan[first : first + size], node, mask, kept, numbers)
    return plan


def put_fused_kernel(words: np.ndarray, node: Any, mask: int, kept: Sequence[str], numbers: Sequence[str]) -> None:
    """Write the fused kernel for one set of wanted gradients into a plan."""
    op = node.elementwise
    masks = [name in op.operands and op.is_raw(op.operands.index(name)) for name in map(kept_name, kept)]
    second = f"kept_{op.operands[1]}" if op.takes_number and mask == 1 else ""

    def find(number: int) -> int:
        with_number, kind = divmod(number, FLOATS)
        arrays = [array_of(BOOL if is_mask else kind) for is_mask in masks]
        if with_number:
            arrays[kept.index(second)] = NUMBERS[kind]
        results = [array_of(kind)] * mask.bit_count()
        kernel = getattr(op.kernels, f"backward_{mask}")
        return kernel_address(kernel, [array_of(kind), *arrays, *[types.float64] * len(numbers), *results])

    words[:] = FusedKernel.pack(
        saved=len(kept),
        tensors=[SavedTensor.pack(slot=a, version=b) for a, b in zip(*_slots_and_versions(node, kept), strict=True)],
        masks=bits(masks),
        number=kept.index(second) if second in kept else -1,
        numbers=len(numbers),
        number_slots=slot_distances(node, numbers),
        resolver=resolver(words[FusedKernel.word("kernels") :], find),
        device=address(op.launches[mask]),
    )


def _slots_and_versions(node: Any, kept: Sequence[str]) -> tuple[list[int], list[int]]:
    return slot_distances(node, kept), slot_distances(node, [f"{slot}_version" for slot in kept])


def kept_name(slot: str) -> str:
    """The operand or result that a slot holds."""
    return slot.removeprefix("kept_")


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
    shape, strides = layout
    steps = contiguous_strides(shape) if strides is None else strides
    return 1 + sum((size - 1) * step for size, step in zip(shape, steps, strict=True)) if all(shape) else 0


def other_letters(step: Step) -> dict[int, str]:
    """What the results of a call are that are not of the operands' dtype."""
    return dict.fromkeys(step.indices, INDEX) | dict.fromkeys(step.masks, MASK)


def call_letters(step: Step, letters: str, others: dict[int, str]) -> str:
    """What the operands and results of a call are: I for int64, B for bool, T for the operands' dtype."""
    given = [(INDEX if letters[i] == INDEX else HALF) if i >= 0 else others.get(~i, HALF) for i in step.operands]
    return "".join([*given, *[others.get(output, HALF) for output, _ in step.results]])


def call_of(step: Step, letters: str) -> np.ndarray:
    """One call of a plan."""
    check_room(step)
    ints = (*step.ints, 0, step.rows[0]) if step.rows else step.ints
    extent, unit = step.rows or (0, 0)
    return Call.pack(
        kernel=kernel_table(step.kernel, letters + INDEX * len(step.tables), len(ints), len(step.numbers)).ctypes.data,
        operands=len(step.operands),
        which=step.operands,
        results=len(step.results),
        outputs=[output for output, _ in step.results],
        sizes=[prod(shape) for _, shape in step.results],
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
    """Whether a frame has places for all that a call takes."""
    arrays = len(step.operands) + len(step.results) + len(step.tables)
    ints = len(step.ints) + (2 if step.rows else 0)
    fits = arrays <= MOST_ARRAYS and ints <= MOST_INTS and len(step.numbers) <= MOST_NUMBERS
    fits = fits and len(step.operands) <= MOST_READ and len(step.results) <= MOST_RESULTS
    if not fits or len(step.tables) > MOST_TABLES:
        raise ValueError(
            f"{step.kernel.__name__}: more arrays, tables, ints or numbers than a plan has places for: {step}"
        )


def adding_kernels() -> np.ndarray:
    """The kernels that add gradients to those of leaves, which are found when the first one is added."""

    def find(kind: int) -> int:
        return kernel_address(add_each.compile(), [array_of(kind), array_of(kind)])

    Adding.put(adding_words, "resolver", resolver(adding_words[Adding.word("kernels") :], find))
    return adding_words


def kernel_table(kernel: Any, letters: str, ints: int, numbers: int) -> np.ndarray:
    """The table of a kernel on flat arrays: its resolver, and the machine code for each kind of floats.

    The letters of operands, results and tables are those of half_plans.py.
    """
    key = kernel.__name__, kernel.__module__, letters
    if key not in _tables:
        table = _tables[key] = KernelTable.pack()

        def find(kind: int) -> int:
            arrays = [array_of({INDEX: INTEGERS, MASK: BOOL, SINGLE: 0}.get(letter, kind)) for letter in letters]
            compiled = kernel.compile() if hasattr(kernel, "function") else kernel
            return kernel_address(compiled, [*arrays, *[types.float64] * numbers, *[types.int64] * ints])

        KernelTable.put(table, "resolver", resolver(table[KernelTable.word("kernels") :], find))
        memory(table)
    return _tables[key]
