"""In-place ops and views: how writing to one tensor rewrites the history of all that share its memory.

Writing to a view is, for its base, a new base in which one region was replaced: `CopySlices` is that operation's node.
Every live view of the base is then a view of the new base, and gets a node that says so.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..namespace import op
from ..shapes import contiguous_strides
from ..views import span
from ..writing import check_not_leaf, overlaps, unchanged, write
from .formulas_shape import as_strided_backward
from .grad_mode import enable_grad, mode
from .hooks import RemovableHandle, retain_grad
from .node import OUTPUT, Node, next_sequence
from .saved import edge_of
from .tangents import write_tangents

LAYOUT = ("_flat", "_nd", "_shape", "_strides", "_offset")  # the slots of a tensor that say where its elements lie


class CopySlices(Node):
    """A region of the base was replaced by the output of `inner`, whose first input was that region's old value."""

    __slots__ = ("base_shape", "geometry", "inner", "inner_index", "layout")

    gives_fresh = False

    def __init__(self, base: Any, view: Any, edge: Any) -> None:
        self.sequence = next_sequence()
        self.hooks = None
        self.metas = None
        several = edge.edge_kind == OUTPUT
        self.inner: Node = edge.node if several else edge
        self.inner_index: int = edge.index if several else 0
        self.geometry = (view._shape, view.stride(), view._offset - base._offset)
        self.inner.outer = weakref.ref(self)
        self.base_shape = base._shape
        self.layout = None if base.is_contiguous() else (base._shape, base.stride())
        self.edges = (edge_of(base), *self.inner.edges[1:])

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The region's gradient goes through the inner node; the rest of the base's passes by."""
        inner = self.inner
        passed = self._laid_out_as_base(grad)
        region = passed.as_strided(*self.geometry)
        given = region.clone()
        if inner.output_count > 1:
            given = [given if i == self.inner_index else None for i in range(inner.output_count)]
        grads = inner.apply(given)
        if self.edges[0] is None:
            return (None, *grads[1:])
        if grads[0] is None or overlaps(region):  # only one value for all can be written to what overlaps
            region.zero_()
        else:
            region.copy_(grads[0])
        return (passed.contiguous(), *grads[1:])

    def _laid_out_as_base(self, grad: Any) -> Any:
        """A copy of the gradient in which the region lies where it lies in the base's memory."""
        if self.layout is None:
            return grad.clone()
        storage = grad.new_zeros(span(*self.layout))
        return storage.as_strided(*self.layout).copy_(grad)

    def region(self) -> Region:
        """The node of the region's new value, as a part of the new base."""
        node = Region()
        node.sequence, node.hooks, node.metas, node.edges = next_sequence(), None, None, (self,)
        return node

    @property
    def saved_slots(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the inner node."""
        return self.inner.saved_slots

    def release(self) -> None:
        """Release what the inner node saved."""
        self.inner.release()

    def name(self) -> str:
        """PyTorch's name for this node."""
        return "CopySlices"


class Region(Node):
    """What the inner node of a CopySlices made, read from the base that it was written to."""

    __slots__ = ()
    op_name = "as_strided"

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradient in its place in the base, and zeros around it."""
        copy = self.edges[0]
        shape, strides = copy.layout or (copy.base_shape, contiguous_strides(copy.base_shape))
        return (as_strided_backward(grad, shape, strides, 0, *copy.geometry),)


def after_write(tensor: Any, before: Any) -> Any:
    """Bring the histories of base and views up to date when an in-place op changed the edge of `tensor`."""
    if tensor._fn is before:
        return tensor
    base = tensor._base
    if base is not None:
        check_not_leaf("in-place operation", tensor)
        take_history(base, CopySlices(base, tensor, tensor._fn))
        refresh_views(base)
    else:
        take_history(tensor, tensor._fn)
        if tensor._views is not None:
            refresh_views(tensor)
    return tensor


def adopt_result(name: str, into: Any, result: Any) -> Any:
    """The in-place form of a composite: `into` takes the values of the result, its tangents and place in the graph."""
    write(name, into, result)
    before, into._tangent = into._tangent, result._tangent
    if before is not None or into._tangent is not None:
        write_tangents(into, before)
    into._fn, into._rg = result._fn, result._rg or into._rg
    return into


def view_in_place(name: str, tensor: Any, view: Any, *args: Any) -> Any:
    """The in-place form of a view op: the tensor itself gets the view's layout and place in the graph."""
    result = view(unchanged(name, tensor), *args)
    for slot in LAYOUT:
        setattr(tensor, slot, getattr(result, slot))
    tensor._tangent = result._tangent
    tensor._bump_version(name)
    if result._fn is not None:
        take_history(tensor, result._fn)
    return tensor


def refresh_views(base: Any) -> None:
    """Give each live view of `base` a node that derives it from the base's new history."""
    for reference in base._views or ():
        view = reference()
        if view is None or view._dtype is not base._dtype:
            continue
        with enable_grad():
            again = op.as_strided(base, view._shape, view.stride(), view._offset)
        take_history(view, again._fn)


def take_history(tensor: Any, edge: Any) -> None:
    """Put a tensor elsewhere in the graph; `retain_grad` is about the tensor as it is now, so its hook moves too."""
    tensor._fn, tensor._rg = edge, True
    if type(tensor._hooks) is RemovableHandle:
        tensor._hooks.remove()
        tensor._hooks = retain_grad(tensor)


def is_recording(*operands: Any) -> bool:
    """Whether an op on these tensors, numbers and Nones is to be recorded."""
    return mode.grad and any(getattr(operand, "_rg", False) for operand in operands)
