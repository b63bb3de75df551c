"""The nodes that writes and changes of layout put into the graph, so that base and views of one memory stay consistent.

`Relaid` stands before the node of a tensor that got another layout outside the graph: what comes back is in today's
shape and dtype, and is summed, cast or else refused before the node gets it, as PyTorch does."""

import weakref
from typing import Any

from ..errors import GraphError, ShapeError
from ..namespace import op
from ..tensor.history import set_history
from ..tensor.memory_overlap import overlaps
from ..tensor.view_shapes import span
from .as_strided_formulas import as_strided_backward
from .hooks import RemovableHandle, retain_grad
from .node import FREED, Node, broadcasts, fit, node_at, output_at
from .saved_tensors import edge_of, meta_of


class CopySlices(Node):
    """A region of the base was replaced by the output of `inner`, whose first input was that region's old value."""

    __slots__ = ("freed", "geometry", "inner", "inner_index", "layout")

    returns_owned = False

    def __init__(self, base: Any, view: Any, edge: Any) -> None:
        self.inner: Node
        self.inner_index: int
        self.inner, self.inner_index = output_at(edge)
        super().__init__((edge_of(base), *self.inner.edges[1:]))
        self.freed = False
        self.geometry = (view._shape, view.stride(), view._offset - base._offset)  # counted from the base's start
        self.inner.outer = weakref.ref(self)
        self.layout = (base._shape, base.stride())

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The region's gradient goes through the inner node; the rest of the base's passes by."""
        if self.freed:
            iter(FREED)
        inner = self.inner
        passed, region = self.split_gradient(grad)
        value = region.clone()
        if inner.output_count > 1:
            value = [value if i == self.inner_index else None for i in range(inner.output_count)]
        grads = inner.apply(value)
        if self.edges[0] is None:
            return (None, *grads[1:])
        if overlaps(region):
            keep_unwritten(region, grads)
        elif grads[0] is None:
            region.zero_()
        else:
            region.copy_(grads[0])
        return (passed.contiguous(), *grads[1:])

    def split_gradient(self, grad: Any) -> tuple[Any, Any]:
        """A copy of the gradient, and in it the region, which lies where it lies in the base's memory."""
        if grad.is_contiguous() and grad.stride() == self.layout[1]:
            passed = grad.clone()
        else:
            passed = grad.new_zeros(span(*self.layout)).as_strided(*self.layout).copy_(grad)
        return passed, passed.as_strided(*self.geometry)

    def region(self) -> "Region":
        return Region(self, (*self.layout, 0), self.geometry)

    @property
    def saved_slots(self) -> tuple[str, ...]:  # type: ignore[override]
        """The inner node, so that the engine always has something to release, as in PyTorch."""
        return ("inner",)

    def release(self) -> None:
        """Release what the inner node saved; this node runs only once then."""
        self.inner.release()
        self.freed = True

    def name(self) -> str:
        return "CopySlices"


def keep_unwritten(region: Any, grads: Any) -> None:
    """Keep the gradient of elements that share memory where none of them was written to."""
    if any(grad is not None for grad in grads[1:]):
        raise GraphError(
            "backward(): unsupported operation: more than one element of the written-to tensor refers to a single "
            "memory location, so that what was written has no gradient. Please clone() the tensor before performing "
            "the operation."
        )
    if grads[0] is None:
        region.zero_()
    else:
        region.masked_fill_(grads[0] == 0, 0)


class Region(Node):
    """Elements of a base read through the layout of a view: what a view is after its base was written to."""

    __slots__ = ("geometry", "layout")
    op_name = "as_strided"

    def __init__(self, edge: Any, layout: tuple[Any, Any, int], geometry: tuple[Any, Any, int]) -> None:
        super().__init__((edge,))
        self.layout = layout
        self.geometry = geometry

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return (as_strided_backward(grad, *self.layout, *self.geometry),)

    def name(self) -> str:
        return "AsStridedBackward0"


class Replaced(Node):
    """A region that got values computed from elsewhere: its own old value is gone."""

    __slots__ = ()
    op_name = "copy_"
    returns_owned = False

    def __init__(self, edge: Any) -> None:
        super().__init__((None, edge))

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return (None, grad)


class Overwritten(Node):
    """Values that have no gradient were written over others: those get zeros."""

    __slots__ = ("writer",)

    def __init__(self, edge: Any, writer: str) -> None:
        super().__init__((edge,))
        self.writer = writer

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return (op.zeros_like(grad),)

    def name(self) -> str:
        """PyTorch's name for this node: EqBackward1 for `eq_`."""
        return f"{self.writer.title().replace('_', '')}Backward1"


def take_history(tensor: Any, edge: Any) -> None:
    """Put a tensor elsewhere in the graph; `retain_grad` is about the tensor as it is now, so its hook moves too."""
    set_history(tensor, edge)
    if type(tensor._hooks) is RemovableHandle:
        tensor._hooks.remove()
        tensor._hooks = retain_grad(tensor)


class Relaid(Node):
    """The edge of a tensor that got another shape or dtype outside the graph; users see the edge behind it."""

    __slots__ = ("meta",)
    returns_owned = False

    def __init__(self, edge: Any, meta: tuple[Any, Any]) -> None:
        super().__init__((edge,))
        self.meta = meta

    def apply(self, grad: Any) -> tuple[Any, ...]:
        shape = self.meta[0]
        if not broadcasts(shape, grad._shape):
            made_by = node_of(self).name()
            raise ShapeError(
                f"backward(): invalid gradient for {made_by}: got {list(grad._shape)} but expected shape compatible "
                f"with {list(shape)}, which its result had until its layout was changed outside the graph"
            )
        return (fit(grad, self.meta),)

    def name(self) -> str:
        return node_of(self).name()


def shown(edge: Any) -> Any:
    return edge.edges[0] if type(edge) is Relaid else edge


def node_of(edge: Any) -> Any:
    return node_at(shown(edge))


def keep_in_graph(tensor: Any, before: tuple[Any, Any]) -> None:
    """Keep the node of a result whose layout changed outside the graph, behind an edge that makes gradients fit."""
    edge = tensor._grad_fn
    if type(edge) is Relaid:
        edge, before = edge.edges[0], edge.meta
    set_history(tensor, edge if meta_of(tensor) == before else Relaid(edge, before))
