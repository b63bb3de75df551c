"""Saved tensors as generated nodes keep and check them, and the edges of tensors."""

from __future__ import annotations

from math import prod
from typing import Any

from ...errors import InplaceError
from ...modes.grad_mode import mode
from ...modes.inference import current_version
from ...tensor.base import alias, from_flat
from ...tensor.devices import CPU
from ...tensor.history import set_history
from ...tensor.memory import zeros
from ..inplace.writers import last_writer
from ..node import Node, Output
from .packed import PACKED_VERSION, Packed

NUMBER = [0, "nobody: it stands for a number"]  # the count of writes of tensors that stand for numbers


def unpack(node: Node, name: str) -> Any:
    """A saved input (None when it was not needed); an error when it was freed or has been written to since."""
    tensor = getattr(node, name)
    if tensor is None:
        return None
    writes = tensor._version_counter
    if writes is not None:
        count, _ = writes
        if count != getattr(node, f"{name}_version"):
            return unpack_unequal(node, name, tensor, getattr(node, f"{name}_version"))
    return tensor


def unpack_unequal(node: Node, name: str, tensor: Any, expected: int) -> Any:
    """A saved tensor that is not at the version it had: what hooks have packed, or one that was written to."""
    if type(tensor) is Packed:
        return tensor.fitted(name.removeprefix("kept_"), node.op_name)
    raise modified(node, name.removeprefix("kept_"), tensor, expected)


def unpacked(node: Node) -> Node:
    """A copy of a node that has, of what hooks have packed, the tensors."""
    copy = node.with_edges(node.edges)
    for slot in node.saved_slots:
        value = getattr(node, slot)
        if type(value) is Packed:
            tensor = unpack_unequal(node, slot, value, PACKED_VERSION)
            setattr(copy, slot, tensor)
            setattr(copy, f"{slot}_version", version_of(tensor))
    return copy


def unpack_list(node: Node, name: str) -> Any:
    tensors = getattr(node, name)
    result: Any = None
    for i, (tensor, version) in enumerate(zip(tensors or (), getattr(node, f"{name}_version") or (), strict=True)):
        if tensor is not None and current_version(tensor) != version:
            result = result or list(tensors)
            result[i] = unpack_unequal(node, name, tensor, version)
    return result or tensors


def unpack_output(node: Node, name: str, index: int = 0) -> Any:
    """A saved output: an alias that gets its place in the graph back only now, so that no cycle is ever kept."""
    tensor = unpack(node, name)
    if tensor is not None and mode.grad:
        tangent = tensor._tangent
        tensor = alias(tensor, tensor._shape, tensor._strides, tensor._offset)
        tensor._tangent = tangent
        set_history(tensor, edge_from(node, index))
    return tensor


def edge_from(node: Node, index: int) -> Any:
    """The edge of an output of a node; where that was written to a view, of the part of the base that it became."""
    outer = getattr(node, "outer", None)
    if outer is not None and outer().inner_index == index:
        return outer().region()
    return node if node.output_count == 1 else Output(node, index)


def version_of(tensor: Any) -> int:
    """The version counter of a tensor that is to be saved: the number of writes to its memory."""
    writes = tensor._version_counter
    return 0 if writes is None else writes[0]


def modified(node: Node, name: str, tensor: Any, expected: int) -> InplaceError:
    return InplaceError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{name!r} of {node.op_name}() ({node.spec_location}), a tensor of shape {list(tensor._shape)}, was last written "
        f"to by {last_writer(tensor)} and is at version {current_version(tensor)}; expected version {expected} instead. "
        "Hint: clone() it before it is written to"
    )


def edge_of(tensor: Any) -> Any:
    """Where the gradient of a tensor goes: its node, the leaf itself, or None."""
    return (tensor._grad_fn or tensor) if tensor._requires_grad else None


def meta_of(tensor: Any) -> tuple[Any, Any]:
    return tensor._shape, tensor._dtype


def alias_of(output: Any) -> Any:
    """An output as a node keeps it: the same memory and version, without a way back to the node."""
    flat = output._flat
    if flat is None:
        return alias(output, output._shape, output._strides, output._offset)
    t = from_flat(flat, output._shape, output._dtype)
    if output._version_counter is None:
        output._version_counter = [0, ""]
    t._version_counter = output._version_counter
    return t


def missing_output(node: Any, index: int, grads: Any) -> Any:
    """Zeros for the gradient of an output that nothing used; they lie where the others' gradients lie."""
    return zeros_of(node.output_metas[index], next((grad._device for grad in grads if grad is not None), CPU))


def zeros_of(meta: tuple[Any, Any], device: Any) -> Any:
    shape, dtype = meta
    return from_flat(zeros(prod(shape), dtype.np, device), shape, dtype)
