"""Saved tensors as generated nodes keep and check them, and the edges of tensors.

`Packed` stands in a node's slot while hooks are in force. Its `_version_counter` never equals a version that a node
noted, so that reading a slot notices it by the comparison that it makes anyhow."""

from collections.abc import Callable
from math import prod
from typing import Any

from ..device.device import CPU
from ..errors import InplaceError, ShapeError, type_name
from ..tensor.grad_mode import current_version, mode, no_grad
from ..tensor.history import set_history
from ..tensor.memory import zeros
from ..tensor.tensor import TensorBase, alias, from_flat
from .node import FREED, LEAF, Node, Output, next_sequence
from .version_counter import last_writer

PACKED_VERSION = -1


class SavedLeaf(Node):
    """The way from an unpacked copy of a leaf to the leaf itself."""

    __slots__ = ()
    op_name = "saved tensor"
    returns_owned = False

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return (grad,)


class Packed:
    """`edge`: the place in the graph of a saved input; a saved output has none, lest the node hold itself."""

    __slots__ = ("contiguous", "dtype", "edge", "shape", "tangent", "unpack_hook", "value")
    _version_counter = [PACKED_VERSION, "a pack hook"]  # a slot of tensors, spelt as theirs

    def __init__(self, tensor: Any, hooks: tuple[Callable[..., Any], Callable[..., Any]], edge: Any) -> None:
        pack, self.unpack_hook = hooks
        self.edge = edge
        self.shape, self.dtype, self.contiguous = tensor._shape, tensor._dtype, tensor.is_contiguous()
        self.tangent = tensor._tangent
        self.value = pack_unchanged(tensor, pack)

    def unpack(self) -> Any:
        """Outside the graph that the unpack hook may have recorded."""
        tensor = self.unpack_hook(self.value)
        if not isinstance(tensor, TensorBase):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type_name(tensor)}"
            )
        if tensor is self.edge or (self.edge is None and not tensor._requires_grad and tensor._tangent is self.tangent):
            return tensor
        tensor = alias(tensor, tensor._shape, tensor._strides, tensor._offset)
        tensor._tangent = self.tangent
        return tensor

    def placed(self) -> Any:
        return saved_by_reference(self.unpack(), self.edge)

    def fitted(self, name: str, op_name: str) -> Any:
        """The unpacked tensor with the shape, dtype and layout that were saved: kernels read its memory."""
        tensor = self.unpack()
        if tensor._shape != self.shape:
            raise ShapeError(
                f"unpack hook: expected a tensor of shape {list(self.shape)} for {name!r} of {op_name}(), as it was "
                f"saved, but got {list(tensor._shape)}"
            )
        with no_grad():
            tensor = tensor if tensor._dtype is self.dtype else tensor.to(self.dtype)
            tensor = tensor.contiguous() if self.contiguous else tensor
        return saved_by_reference(tensor, self.edge) if mode.grad else tensor


def saved_by_reference(tensor: Any, edge: Any) -> Any:
    """Put an unpacked tensor, that nobody else holds, where the edge is; a leaf itself stays what it is."""
    if edge is None or tensor is edge:
        return tensor
    if edge.edge_kind == LEAF:
        edge = SavedLeaf((edge,))
    set_history(tensor, edge)
    return tensor


def pack_unchanged(tensor: Any, pack: Callable[..., Any]) -> Any:
    """A pack hook records nothing, and must not write to what it is given."""
    version = tensor._version
    with no_grad():
        value = pack(tensor)
    if tensor._version != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    return value


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
    """What hooks have packed, or a tensor that was written to."""
    if type(tensor) is Packed:
        return tensor.fitted(name.removeprefix("kept_"), node.op_name)
    raise modified(node, name.removeprefix("kept_"), tensor, expected)


def by_result(node: Node) -> Node | None:
    """The node that computes the same gradients from the result, where the operand has been written to since."""
    operand = node.kept_self  # type: ignore[attr-defined]
    if operand is FREED or type(operand) is Packed or current_version(operand) == node.kept_self_version:  # type: ignore[attr-defined]
        return None
    assert node.by_result is not None
    other: Any = object.__new__(node.by_result)
    for name in ("metas", "edges", "outer", "kept_result", "kept_result_version"):
        if hasattr(node, name):
            setattr(other, name, getattr(node, name))
    other.hooks, other.sequence = None, next_sequence()
    return other


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
    writes = tensor._version_counter
    return 0 if writes is None else writes[0]


def modified(node: Node, name: str, tensor: Any, expected: int) -> InplaceError:
    return InplaceError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{name!r} of {node.op_name}() ({node.spec_location}), a tensor of shape {list(tensor._shape)}, was "
        "last written "
        f"to by {last_writer(tensor)} and is at version {current_version(tensor)}; expected version {expected} "
        "instead. "
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
