"""Running the fused backward kernel of an element-wise op on operands of any layout, dtype and shape."""

from __future__ import annotations

from typing import Any

from ...dispatch.elementwise import backward
from ...tensor.dtypes import bool_
from ..saved.saved import unpack


def run_fused(node: Any, grad: Any) -> tuple[Any, ...]:
    """The wanted gradients of an element-wise node from one kernel, fitted to the inputs."""
    wanted = [edge is not None for edge in node.edges]
    mask = sum(1 << index for index, yes in enumerate(wanted) if yes)
    saved_slots, number_slots = node.fused[mask]
    saved = tuple([unpack(node, slot) for slot in saved_slots])
    masks = [is_mask(node, slot, tensor) for slot, tensor in zip(saved_slots, saved, strict=True)]
    numbers = tuple([getattr(node, slot) for slot in number_slots])
    found = iter(backward(node.elementwise, mask, grad, saved, masks, numbers, sum(wanted)))
    return node.fitted([next(found) if yes else None for yes in wanted])


def is_mask(node: Any, slot: str, tensor: Any) -> bool:
    """Whether a saved tensor is one of bools that are chosen by, not one of the numbers that an op computes with."""
    return tensor._dtype is bool_ and slot.removeprefix("kept_") not in node.inputs
