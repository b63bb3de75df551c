"""The plans of ops and nodes: what native code must know of each, and where it finds the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .forward import P
from .gradients import CASE, C, G
from .layout import TENSOR, slot_distances
from .recording import LENGTH, RESULT, R
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


def kernel_address(kernel: Any, arguments: Sequence[Any]) -> int:
    """Where the machine code of a kernel for these types of arguments begins; it is compiled if it has not been."""
    types = tuple(arguments)
    kernel.compile(types)
    found = kernel.overloads[types]
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


def array_of(kind: int) -> Any:
    """numba's type of a flat array of float32, float64 or bool."""
    from numba import types

    return types.Array((types.float32, types.float64, types.boolean)[kind], 1, "C")


def number_of(kind: int) -> Any:
    """numba's type of a number."""
    from numba import types

    return (types.float32, types.float64)[kind]


def resolver(plan: np.ndarray, distance: int, find: Callable[[int], int]) -> int:
    """The address of a function for native code, which puts the address of a kernel into the plan."""
    return address(lambda number: put(plan, distance + 8 * number, find(number)))


def forward_plan(op: Any) -> np.ndarray:
    """What `launch` must know of an op."""
    plan = np.zeros(len(P), np.int64)
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
    put(plan, P.name, address(f"{op.name}_"))
    return plan


def bits(flags: Sequence[bool]) -> int:
    """Bit i: flag i."""
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def forward_kernel(op: Any, number: int) -> int:
    """The address of kernel `number` of an op: float32, float64, then the same with a number for the second tensor."""
    with_number, kind = divmod(number, 2)
    arrays = [array_of(2 if op.is_raw(i) else kind) for i in range(len(op.operands))]
    if with_number:
        arrays[1] = number_of(1)
    result = array_of(2 if op.result_dtypes[0] == "bool" else kind)
    kernel = op.kernels.forward_number if with_number else op.kernels.forward
    return kernel_address(kernel, [*arrays, *[number_of(1)] * len(op.numbers), result])


def record_plan(node: Any, operands: Sequence[str], elementwise: bool) -> np.ndarray:
    """What `record` must know of a node: where it keeps what."""
    plan = np.zeros(LENGTH, np.int64)
    places = {name: i for i, name in enumerate(operands)} | {"result": RESULT}
    put(plan, R.type, address(node), len(node.inputs), *[places[name] for name in node.inputs])
    put(plan, R.kept, len(node.keeps))
    put(plan, R.slots, *slot_distances(node, node.keeps))
    put(plan, R.versions, *slot_distances(node, [f"{slot}_version" for slot in node.keeps]))
    put(plan, R.sources, *[places[source] for source, _ in node.keeps.values()])
    put(plan, R.needed, *[bits([name in needed for name in node.inputs]) for _, needed in node.keeps.values()])
    put(plan, R.values, len(node.values))
    put(plan, R.value_slots, *slot_distances(node, node.values))
    put(plan, R.value_sources, *[places[source] for source, _ in node.values.values()])
    put(plan, R.value_parts, *[getattr(TENSOR, part.strip("_")) if part else 0 for _, part in node.values.values()])
    put(plan, R.elementwise, elementwise)
    return plan


def view_plan(op: Any) -> np.ndarray:
    """What `launch_view` must know of a view op."""
    plan = np.zeros(len(V), np.int64)
    record = record_plan(op.node, op.operands, False)
    put(plan, V.found, address(op.found), memory(record), len(op.operands))
    return plan


def gradient_plan(node: Any) -> np.ndarray:
    """What `gradients` must know of a node."""
    plan = np.zeros(G.cases // 8 + 3 * CASE, np.int64)
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
