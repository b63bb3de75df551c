"""The plans of ops and nodes: what native code must know of each, and where it finds the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dispatch.loop_nest import Rows
from ..dispatch.view_cache import view_ops
from ..kernels.llvm.memory import MOST_ARRAYS, MOST_NUMBERS
from ..pool.calls import kernel_address
from .forward import KERNELS, P
from .gradients import BY_RECIPES, CASE, MOST_CASES, C, G
from .gradients import MOST as MOST_READ
from .layout import TENSOR, slot_distances
from .recording import LENGTH, MOST, RESULT, SHAPES, R
from .structured import D
from .structured_gradients import N
from .views import V

_kept: list[Any] = []  # what plans hold the addresses of


def address(thing: Any) -> int:
    """The address of an object, which lives as long as the process from now on."""
    _kept.append(thing)
    return id(thing)


def memory(plan: np.ndarray) -> int:
    """The address of a plan's words."""
    _kept.append(plan)
    return plan.ctypes.data


def put(plan: np.ndarray, distance: int, *words: int) -> None:
    """Write words into a plan."""
    plan[distance // 8 : distance // 8 + len(words)] = words


def array_of(kind: int) -> Any:
    """numba's type of a flat array of float32, float64, bool or int64."""
    from numba import types

    return types.Array((types.float32, types.float64, types.boolean, types.int64)[kind], 1, "C")


def number_of(kind: int) -> Any:
    """numba's type of a number."""
    from numba import types

    return (types.float32, types.float64)[kind]


def resolver(plan: np.ndarray, distance: int, find: Callable[[int], int]) -> int:
    """The address of a function for native code, which puts the address of a kernel into the plan."""
    return address(lambda number: put(plan, distance + 8 * number, find(number)))


def has_room(op: Any) -> bool:
    """Whether an element-wise op has no more arrays, numbers and kept values than a frame and a record have places."""
    numbers = len(op.numbers) + op.takes_number
    return len(op.operands) < MOST_ARRAYS and numbers <= MOST_NUMBERS and (op.node is None or can_record(op.node))


def can_record(node: Any) -> bool:
    """Whether a record has places for what a node keeps."""
    return max(len(node.inputs), len(node.keeps), len(node.values)) <= MOST


def has_room_backward(node: Any) -> bool:
    """Whether a plan has places for all fused kernels of a node, and a frame for their arguments."""

    def fits(mask: int, kept: Sequence[str], numbers: Sequence[str]) -> bool:
        arrays = 1 + len(kept) + mask.bit_count()
        return mask <= MOST_CASES and arrays <= MOST_ARRAYS and max(len(kept), len(numbers)) <= MOST_READ

    return len(node.keeps) <= MOST_READ and all(fits(mask, *reads) for mask, reads in node.fused.items())


def forward_plan(op: Any) -> np.ndarray:
    """What `launch` must know of an op."""
    plan = np.zeros(len(P) + KERNELS - 1, np.int64)
    masks = [op.is_raw(i) for i in range(len(op.operands))]
    put(plan, P.tensors, len(op.operands), len(op.numbers), bits(masks), masks.index(False))
    put(plan, P.gives_bool, op.result_dtypes[0] == "bool", op.takes_number)
    put(plan, P.resolver, resolver(plan, P.kernels, lambda number: forward_kernel(op, number)))
    if op.node is not None:
        put(
            plan,
            P.node,
            memory(record_plan(op.node, (*op.operands, *op.numbers), True)),
            bits([name in op.node.inputs for name in op.operands]),
        )
    put(plan, P.name, address(f"{op.name}_"), address(op.rows) if len(op.operands) == 2 and not any(masks) else 0)
    return plan


def rows_plan(rows: Rows, count: int) -> np.ndarray:
    """What `broadcast` must know of two layouts."""
    repeated = rows.repeated[0] + 1 if rows.repeated else 0
    reach = [rows.reach(k) for k in (0, 1)]
    words = [rows.outer, rows.inner, rows.size, count, repeated, *reach, *rows.steps[[0, 1, -1]].ravel()]
    return np.array(words, np.int64)


def bits(flags: Sequence[bool]) -> int:
    """Bit i: flag i."""
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def forward_kernel(op: Any, number: int) -> int:
    """The address of kernel `number` of an op, as `forward.Plan` counts them."""
    variant, kind = divmod(number, 2)
    arrays = [array_of(2 if op.is_raw(i) else kind) for i in range(len(op.operands))]
    if variant:
        arrays[variant == 1 or variant == 3] = number_of(1 if variant == 1 else kind)
    result = array_of(2 if op.result_dtypes[0] == "bool" else kind)
    kernel = op.kernels.forward_number if variant == 1 else op.kernels.forward
    return kernel_address(kernel, [*arrays, *[number_of(1)] * len(op.numbers), result])


def record_plan(node: Any, operands: Sequence[str], elementwise: bool, listed: bool = False) -> np.ndarray:
    """What `record` must know of a node: where it keeps what."""
    plan = np.zeros(LENGTH, np.int64)
    outputs = {f"output {i}": RESULT - i for i in range(node.output_count)}
    places = {name: i for i, name in enumerate(operands)} | outputs
    put(plan, R.type, address(node), len(node.inputs))
    put(plan, R.places, *[places[name] for name in node.inputs])
    put(plan, R.kept, len(node.keeps))
    put(plan, R.slots, *slot_distances(node, node.keeps))
    put(plan, R.versions, *slot_distances(node, [f"{slot}_version" for slot in node.keeps]))
    put(plan, R.sources, *[places[source] for source, _ in node.keeps.values()])
    put(plan, R.needed, *[bits([name in needed for name in node.inputs]) for _, needed in node.keeps.values()])
    put(plan, R.aliases, *[slot in node.saved_outputs for slot in node.keeps])
    put(plan, R.outputs, node.output_count, sum(1 << i for i in node.differentiable))
    if node.output_count > 1:
        put(plan, R.output_metas, *slot_distances(node, ["output_metas"]))
    put(plan, R.values, len(node.values))
    put(plan, R.value_slots, *slot_distances(node, node.values))
    put(plan, R.value_sources, *[places[source] for source, _ in node.values.values()])
    put(plan, R.value_parts, *[value_part(part) for _, part in node.values.values()])
    put(plan, R.elementwise, elementwise, listed)
    return plan


def value_part(part: str) -> int:
    """Which part of an argument a node keeps: 0 for all of it."""
    return SHAPES if part == "shapes" else getattr(TENSOR, part.strip("_")) if part else 0


def view_plan(op: Any) -> np.ndarray:
    """What `launch_view` must know of a view op."""
    plan = np.zeros(len(V), np.int64)
    record = record_plan(op.node, op.operands, False)
    put(plan, V.found, address(op.found), memory(record), len(op.operands))
    return plan


def getitem_plan() -> np.ndarray:
    """What `getitem` must know: the plans of the view ops that it is made of."""
    return np.array([memory(view_plan(view_ops[name])) for name in ("select", "slice")], np.int64)


def structured_plan(op: Any) -> np.ndarray:
    """What `structured.launch` must know of an op."""
    plan = np.zeros(D.letters // 8 + len(op.letters), np.int64)
    put(plan, D.found, address(op.found))
    if op.node is not None:
        put(plan, D.node, memory(record_plan(op.node, op.operands, False, "L" in op.letters)))
        put(plan, D.differentiable, bits([name in op.node.inputs for name in op.operands]))
    put(plan, D.outputs, op.outputs)
    put(plan, D.refused, bits([op.node is not None and name in op.node.refuses for name in op.operands]))
    put(plan, D.tensors, sum(letter in "TOI" for letter in op.letters), len(op.letters), *map(ord, op.letters))
    return plan


def recipe_gradient_plan(op: Any) -> np.ndarray:
    """What `structured_gradients` must know of a node."""
    node, reads = op.node, op.reads
    plan = np.zeros(N.items // 8 + 3 * len(reads), np.int64)
    put(plan, G.hands_on, BY_RECIPES)
    put(plan, G.kept, len(node.saved_slots), *slot_distances(node, node.saved_slots))
    put(plan, N.listed, node.differentiable[0] if node.output_count > 1 else -1)
    put(plan, N.found, address(op.found), sum(letter in "gk" for letter, _ in reads), len(reads))
    for i, (letter, slot) in enumerate(reads):
        names = {"k": [slot, f"{slot}_version"], "v": [slot]}.get(letter, [])
        put(plan, N.items + 24 * i, ord(letter), *slot_distances(node, names))
    return plan


def gradient_plan(node: Any) -> np.ndarray:
    """What `gradients` must know of a node."""
    plan = np.zeros(G.cases // 8 + MOST_CASES * CASE, np.int64)
    put(plan, G.kept, len(node.keeps), *slot_distances(node, node.keeps))
    put(plan, G.hands_on, 1 if node.hands_on is True else 2 if node.hands_on else 0)
    if node.hands_on and node.hands_on is not True:
        put(plan, G.hands_on_slot, *slot_distances(node, [node.hands_on]))
    for mask, (kept, numbers) in node.fused.items():
        put_case(plan, G.cases + 8 * CASE * (mask - 1), node, mask, kept, numbers)
    return plan


def put_case(plan: np.ndarray, case: int, node: Any, mask: int, kept: Sequence[str], numbers: Sequence[str]) -> None:
    """What it must know of the kernel for one set of wanted gradients."""
    op = node.elementwise
    masks = [name in op.operands and op.is_raw(op.operands.index(name)) for name in map(kept_name, kept)]
    second = f"kept_{op.operands[1]}" if op.takes_number and mask == 1 else ""
    put(plan, case + C.saved, len(kept))
    put(plan, case + C.slots, *slot_distances(node, kept))
    put(plan, case + C.versions, *slot_distances(node, [f"{slot}_version" for slot in kept]))
    put(plan, case + C.masks, bits(masks), kept.index(second) if second in kept else -1, len(numbers))
    put(plan, case + C.number_slots, *slot_distances(node, numbers))

    def find(number: int) -> int:
        with_number, kind = divmod(number, 2)
        arrays = [array_of(2 if is_mask else kind) for is_mask in masks]
        if with_number:
            arrays[kept.index(second)] = number_of(kind)
        results = [array_of(kind)] * mask.bit_count()
        kernel = getattr(op.kernels, f"backward_{mask}")
        return kernel_address(kernel, [array_of(kind), *arrays, *[number_of(1)] * len(numbers), *results])

    put(plan, case + C.resolver, resolver(plan, case + C.kernels, find))


def kept_name(slot: str) -> str:
    """The operand or result that a slot holds."""
    return slot.removeprefix("kept_")
