"""In-place ops and views: how writing to one tensor rewrites the history of all that share its memory.

Writing to a view is, for its base, a new base in which one region was replaced: `CopySlices` is that operation's node.
Every live view of the base is then a view of the new base, and gets a node that says so.
"""

from __future__ import annotations

from typing import Any

from ..namespace import op
from ..writing import check_not_leaf
from .grad_mode import enable_grad, mode
from .hooks import RemovableHandle, retain_grad
from .node import OUTPUT, Node, next_sequence
from .saved import edge_of


class CopySlices(Node):
    """A region of the base was replaced by the output of `inner`, whose first input was that region's old value."""

    __slots__ = ("geometry", "inner", "inner_index")

    gives_fresh = False

    def __init__(self, base: Any, view: Any, edge: Any) -> None:
        self.sequence = next_sequence()
        self.hooks = None
        self.metas = None
        several = edge.edge_kind == OUTPUT
        self.inner: Node = edge.node if several else edge
        self.inner_index: int = edge.index if several else 0
        self.geometry = (view._shape, view.stride(), view._offset - base._offset)
        self.edges = (edge_of(base), *self.inner.edges[1:])

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The region's gradient goes through the inner node; the rest of the base's passes by."""
        inner = self.inner
        passed = grad.clone()
        region = passed.as_strided(*self.geometry)
        given = region.clone()
        if inner.output_count > 1:
            given = [given if i == self.inner_index else None for i in range(inner.output_count)]
        grads = inner.apply(given)
        if self.edges[0] is None:
            return (None, *grads[1:])
        if grads[0] is None:
            region.zero_()
        else:
            region.copy_(grads[0])
        return (passed, *grads[1:])

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


def is_recording(*tensors: Any) -> bool:
    """Whether an op on these tensors is to be recorded."""
    return mode.grad and any(t._rg for t in tensors)
