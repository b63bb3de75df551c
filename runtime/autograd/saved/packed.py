"""`Packed`: what stands in a node's slot for a saved tensor while saved-tensor hooks are in force.

Its `_writes` never equals a version that a node noted, so that reading a slot notices it by the comparison that it
makes for every saved tensor anyhow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import ShapeError, type_name
from ...modes.grad_mode import mode
from ...tensor.base import TensorBase, alias
from ...tensor.history import set_history
from ..node import LEAF, Node

PACKED_VERSION = -1


class SavedLeaf(Node):
    """The way from an unpacked copy of a leaf to the leaf itself."""

    __slots__ = ()
    op_name = "saved tensor"
    returns_owned = False

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return (grad,)


class Packed:
    """A saved tensor's value as packed by a hook, with what is needed to make a tensor of it again.

    `edge` is the place in the graph of a saved input, None for one that does not require grad; a saved output's is not
    kept, so that the node does not hold itself.
    """

    __slots__ = ("contiguous", "dtype", "edge", "shape", "tangent", "unpack_hook", "value")
    _version_counter = [PACKED_VERSION, "a pack hook"]  # a slot of tensors, spelt as theirs

    def __init__(self, tensor: Any, hooks: tuple[Callable[..., Any], Callable[..., Any]], edge: Any) -> None:
        pack, self.unpack_hook = hooks
        self.edge = edge
        self.shape, self.dtype, self.contiguous = tensor._shape, tensor._dtype, tensor.is_contiguous()
        self.tangent = tensor._tangent
        self.value = pack_unchanged(tensor, pack)

    def unpack(self) -> Any:
        """The tensor that the unpack hook returns, outside the graph that the hook may have recorded."""
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
        """The unpacked tensor at the place in the graph where the saved one was."""
        return saved_by_reference(self.unpack(), self.edge)

    def fitted(self, name: str, op_name: str) -> Any:
        """The unpacked tensor with the shape, dtype and layout that were saved: kernels read its memory."""
        tensor = self.unpack()
        if tensor._shape != self.shape:
            raise ShapeError(
                f"unpack hook: expected a tensor of shape {list(self.shape)} for {name!r} of {op_name}(), as it was "
                f"saved, but got {list(tensor._shape)}"
            )
        before, mode.grad = mode.grad, False
        try:
            tensor = tensor if tensor._dtype is self.dtype else tensor.to(self.dtype)
            tensor = tensor.contiguous() if self.contiguous else tensor
        finally:
            mode.grad = before
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
    """Call a pack hook, which records nothing and must not write to what it is given."""
    version = tensor._version
    before, mode.grad = mode.grad, False
    try:
        value = pack(tensor)
    finally:
        mode.grad = before
    if tensor._version != version:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    return value
