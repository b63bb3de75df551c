"""The plans of ops and nodes as words: what native code must know of each, and where it finds the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numba import types

from ...autograd.accumulate_grad import add_each
from ...compiler.language.call_abi import MAX_ARRAYS, MAX_NUMBERS
from ...compiler.language.memory import BFLOAT16, BOOL, FLOAT16, FLOATS, KINDS
from ...compiler.language.structs import fields, length
from ...compiler.passes.float16 import HalfArray
from ...compiler.passes.strided_entry import SUFFIX
from ...device.threads.call_record import kernel_address
from ...device.threads.job import MAX_LOOPS
from ...device.threads.strided_loop import Rows
from ...dispatch.elementwise.strided import Rows as PythonRows
from ..elementwise import gradient
from ..elementwise.gradient import BY_VIEWS, HANDS_ON, HANDS_ON_AT_ONE, MAX_CASES, FusedKernel, FusedPlan, SavedTensor
from ..elementwise.operands import KERNELS, ForwardPlan
from ..elementwise.promotion import NOTHING, PROMOTES, TO_FLOAT
from ..graph.node_gradients import MAX_VALUES, ViewGradients
from ..objects import record as recording
from ..objects.interned import Adding, adding_slots
from ..objects.layout import Tensor, slot_distances
from ..objects.record import RESULT, SHAPES, RecordPlan, SavedTensorSlot, SavedValueSlot
from ..views.view_cache import ViewPlan

# By kinds: of a number, and of a flat array.
_SMALL_INTS = (types.int32, types.int16, types.int8, types.uint8)
NUMBERS = (types.float32, types.float64, types.float32, types.float32, types.boolean, types.int64, *_SMALL_INTS)
HALVES = {BFLOAT16: HalfArray("bfloat16"), FLOAT16: HalfArray("float16")}
_references: list[Any] = []  # what plans hold the addresses of


def address(obj: Any) -> int:
    """The address of an object, which lives as long as the process from now on."""
    _references.append(obj)
    return id(obj)


def memory(slot_values: np.ndarray) -> int:
    """The address of a plan's words, which stay from now on."""
    _references.append(slot_values)
    return slot_values.ctypes.data


def array_of(kind: int) -> Any:
    return HALVES[kind] if kind in HALVES else types.Array(NUMBERS[kind], 1, "C")


def resolver(kernels: np.ndarray, find: Callable[[int], int]) -> int:
    """The address of a function for native code, which puts the address of kernel `number` into the words `kernels`."""
    return address(lambda number: kernels.__setitem__(number, find(number)))


MAX_INPUTS = 2
no_plan = np.zeros(0, np.int64)  # of functions that need to know nothing


def bits(flags: Sequence[bool]) -> int:
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def fits_capacity(op: Any) -> bool:
    """One of two operands may be a number, or the same for a whole row. So may one of those beside a mask."""
    numbers = len(op.numbers) + (op.takes_number or len(op.operands) == 2 or chooses(op))
    records = () if op.node is None else (op.node.inputs, op.node.keeps, op.node.values)
    fits = max(map(len, records), default=0) <= recording.MAX_NODE_TENSORS
    return len(op.operands) < MAX_ARRAYS and numbers <= MAX_NUMBERS and fits


def has_native_gradients(node: Any) -> bool:
    """Whether native code computes them; the node then need not know what each input looks like."""
    return len(node.inputs) <= MAX_INPUTS and (bool(node.fused) or node.hands_on is True)


def fits_backward_capacity(node: Any) -> bool:
    def fits(mask: int, saved: Sequence[str], numbers: Sequence[str]) -> bool:
        arrays = mask <= MAX_CASES and 1 + len(saved) + mask.bit_count() <= MAX_ARRAYS
        # One more number may stand in the place of a kept tensor.
        return arrays and len(saved) <= gradient.MAX_NODE_TENSORS and len(numbers) < MAX_NUMBERS

    fused = all(fits(mask, *reads) for mask, reads in node.fused.items())
    return fused and len(node.keeps) <= gradient.MAX_NODE_TENSORS


def forward_plan(op: Any, name: str) -> np.ndarray:
    masks = [op.is_raw(i) for i in range(len(op.operands))]
    by_rows = len(op.operands) in (1, 2) and not any(masks)
    node = op.node
    inputs, arguments = () if node is None else node.inputs, (*op.operands, *op.numbers)
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
        computed=bits([computes(op, kind) for kind in range(KINDS)]),
        promotes={"promote": PROMOTES, "float": TO_FLOAT}.get(op.rule, NOTHING) if op.converts else NOTHING,
        converts_bools="b" in op.converts,
        positive="p" in op.integral_kinds,
        node=0 if node is None else memory(record_plan(node, arguments, has_native_gradients(node))),
        differentiable=bits([name in inputs or name in op.refuses or op.overwrites for name in op.operands]),
        refused=bits([name in op.refuses for name in op.operands]),
        name=address(f"{op.name.removesuffix('_')}_"),
        complexes=op.complexes and 2 * len(op.numbers) <= MAX_NUMBERS,
        gives_real=op.result_dtypes[0] == "real",
        rows=address(op.rows) if by_rows else 0,
        device=address(op.launches[name]),
    )
    for prefix, find in (("complex_", complex_kernel), ("", forward_kernel)):
        kernels = plan[ForwardPlan.word(f"{prefix}kernels") :]
        ForwardPlan.put(plan, f"{prefix}resolver", resolver(kernels, partial(find, op)))
    return plan


def computes(op: Any, kind: int) -> bool:
    if kind < FLOATS:
        return not op.allowed or "float" in op.allowed
    return "b" in op.integral_kinds if kind == BOOL else bool({"i", "p"} & {*op.integral_kinds})


def chooses(op: Any) -> bool:
    """Whether a number may stand for one of two operands that are no masks, where no kernel is made for numbers."""
    if any(op.raw):
        return op.raw.count(False) == 2 and not op.takes_number
    return len(op.operands) == 2 and op.rule in ("promote", "float") and not op.takes_number


def forward_kernel(op: Any, number: int) -> int:
    in_rows, number = divmod(number, KERNELS)
    variant, kind = divmod(number, KINDS)
    arrays = [array_of(BOOL if op.is_raw(i) else kind) for i in range(len(op.operands))]
    if variant:
        read = [i for i in range(len(op.operands)) if not op.is_raw(i)]
        arrays[read[variant == 1 or variant == 3]] = NUMBERS[1 if variant == 1 else kind]
    result = array_of(BOOL if op.result_dtypes[0] == "bool" else kind)
    kernel = op.kernels.forward_number if variant == 1 else op.kernels.forward
    if kind in HALVES and len(arrays) == 1 and not op.numbers and result == arrays[0]:
        kernel = op.kernels.of_halves("forward")
    suffix = SUFFIX if in_rows else ""
    return kernel_address(kernel, [*arrays, *[types.float64] * len(op.numbers), result], suffix)


def complex_kernel(op: Any, number: int) -> int:
    own = (types.complex64, types.complex128)[number]
    value = {"bool": types.boolean, "real": NUMBERS[number]}.get(op.result_dtypes[0], own)
    operands, result = [types.Array(own, 1, "C")] * len(op.operands), types.Array(value, 1, "C")
    return kernel_address(op.kernels.forward_complex, [*operands, *[types.complex128] * len(op.numbers), result])


def rows_plan(rows: PythonRows, count: int, is_long: bool) -> np.ndarray:
    around, inner = rows.loops[:-1], rows.loops[-1]
    padding_zeros = [0] * (MAX_LOOPS - len(rows.loops))
    return Rows.pack(
        around=len(around),
        outer=rows.outer,
        inner=inner,
        size=rows.size,
        elements=count,
        repeated=rows.repeated[0] + 1 if rows.repeated else 0,
        long=is_long,
        read_extent=[rows.read_extent(k) for k in (0, 1)],
        extents=[*reversed(around)],
        steps=[word for k in (0, 1, -1) for word in [*map(int, rows.steps[k][::-1]), *padding_zeros]],
    )


def record_plan(node: Any, operands: Sequence[str], elementwise: bool, listed: bool = False) -> np.ndarray:
    positions = {name: i for i, name in enumerate(operands)}
    positions |= {f"output {i}": RESULT - i for i in range(node.output_count)}
    tensors = [
        SavedTensorSlot.pack(
            slot=slot_distances(node, [slot]),
            version=slot_distances(node, [f"{slot}_version"]),
            source=positions[source],
            needed=bits([name in needed for name in node.inputs]),
            alias=slot in node.saved_outputs,
        )
        for slot, (source, needed) in node.keeps.items()
    ]
    values = [
        SavedValueSlot.pack(slot=slot_distances(node, [slot]), source=positions[source], part=value_part(part))
        for slot, (source, part) in node.values.items()
    ]
    return RecordPlan.pack(
        type=address(node),
        edges=len(node.inputs),
        inputs=[positions[name] for name in node.inputs],
        saved_count=len(tensors),
        tensors=tensors,
        saved_values=len(values),
        values=values,
        elementwise=elementwise,
        listed=listed,
        outputs=node.output_count,
        differentiable=sum(1 << i for i in node.differentiable),
        output_metas=slot_distances(node, ["output_metas"]) if node.output_count > 1 else 0,
    )


def value_part(part: str) -> int:
    if part == "shapes":
        return SHAPES
    return fields(Tensor)[part.strip("_")].distance if part else 0


def view_plan(op: Any) -> np.ndarray:
    if op.multiple_views or op.node is None:
        return ViewPlan.pack(cached=address(op.cached), operands=len(op.operands), typed=op.node is None)
    record = record_plan(op.node, op.operands, False)
    retypes = ("", "real", "complex").index(op.retypes)
    return ViewPlan.pack(cached=address(op.cached), node=memory(record), operands=len(op.operands), retypes=retypes)


def has_view_gradient(node: Any) -> bool:
    """Whether the gradient of a node may be a view of its own: it keeps no tensors, and no kernel computes it."""
    alone = len(node.inputs) == node.output_count == 1 and len(node.values) <= MAX_VALUES
    computed = node.elementwise is not None or node.saved_slots or hasattr(node, "plans")
    return bool(alone and node.returns_owned and not computed)


def view_gradients_plan(node: Any) -> np.ndarray:
    views = ViewPlan.pack(cached=address({}))
    slots = slot_distances(node, node.values)
    return ViewGradients.pack(kind=BY_VIEWS, views=memory(views), values=len(slots), value_slots=slots)


def gradient_plan(node: Any) -> np.ndarray:
    plan = FusedPlan.pack(
        kind=HANDS_ON if node.hands_on is True else HANDS_ON_AT_ONE if node.hands_on else 0,
        number_slot=slot_distances(node, [node.hands_on]) if isinstance(node.hands_on, str) else 0,
        saved=len(node.keeps),
        slots=slot_distances(node, node.keeps),
    )
    size = length(FusedKernel)
    for mask, (saved_count, numbers) in node.fused.items():
        first = FusedPlan.word("cases") + size * (mask - 1)
        put_fused_kernel(plan[first : first + size], node, mask, saved_count, numbers)
    return plan


def put_fused_kernel(
    slot_values: np.ndarray, node: Any, mask: int, saved_count: Sequence[str], numbers: Sequence[str]
) -> None:
    op = node.elementwise
    names = [slot.removeprefix("kept_") for slot in saved_count]
    masks = [name in op.operands and op.is_raw(op.operands.index(name)) for name in names]
    second = f"kept_{op.operands[1]}" if op.takes_number and mask == 1 else ""

    def find(number: int) -> int:
        with_number, kind = divmod(number, FLOATS)
        arrays = [array_of(BOOL if is_mask else kind) for is_mask in masks]
        if with_number:
            arrays[saved_count.index(second)] = NUMBERS[kind]
        results = [array_of(kind)] * mask.bit_count()
        kernel = getattr(op.kernels, f"backward_{mask}")
        return kernel_address(kernel, [array_of(kind), *arrays, *[types.float64] * len(numbers), *results])

    slots, versions = slot_distances(node, saved_count), slot_distances(node, [f"{s}_version" for s in saved_count])
    slot_values[:] = FusedKernel.pack(
        saved=len(saved_count),
        tensors=[SavedTensor.pack(slot=a, version=b) for a, b in zip(slots, versions, strict=True)],
        masks=bits(masks),
        number=saved_count.index(second) if second in saved_count else -1,
        numbers=len(numbers),
        number_slots=slot_distances(node, numbers),
        resolver=resolver(slot_values[FusedKernel.word("kernels") :], find),
        device=address(op.launches[mask]),
    )


def adding_kernels() -> np.ndarray:
    def find(kind: int) -> int:
        return kernel_address(add_each, [array_of(kind), array_of(kind)])

    Adding.put(adding_slots, "resolver", resolver(adding_slots[Adding.word("kernels") :], find))
    return adding_slots
