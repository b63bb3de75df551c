"""Regions of a base, also where a view reads complex numbers as pairs of real ones, or pairs as complex numbers.

The gradient of a complex number is that of its parts, so a gradient is read in the other dtype as the numbers are."""

from typing import Any, NamedTuple

from ..namespace import op
from ..tensor.view_shapes import span
from .copy_slices import CopySlices, Region, take_history
from .node import Node
from .saved_tensors import edge_of

Layout = tuple[Any, Any, int]  # shape, strides and offset


class RegionLayouts(NamedTuple):
    """Where a base and a view of another dtype lie in fresh memory, each counted in elements of its own dtype."""

    base_size: int  # elements in that memory, for the base
    view_size: int  # and for the view
    base: Layout
    view: Layout


def layouts_of(base: Any, view: Any) -> RegionLayouts:
    """The memory begins with the base, at whole elements of both dtypes."""
    own, other = base._dtype.itemsize, view._dtype.itemsize
    step = max(own, other)
    start = base._offset * own // step * step
    lead = (base._offset * own - start) // own
    size = -(-(lead + span(base._shape, base.stride())) * own // step) * step
    layout = view._shape, view.stride(), (view._offset * other - start) // other
    return RegionLayouts(size // own, size // other, (base._shape, base.stride(), lead), layout)


def are_related(base: Any, view: Any) -> bool:
    """Whether a view has its base's dtype, or is of the parts of its base's elements, or of what these are parts of."""
    return view._dtype is base._dtype or view._dtype.real is base._dtype.real


def in_other_dtype(memory: Any) -> Any:
    return op.view_as_real(memory) if memory.is_complex() else op.view_as_complex(memory.view(-1, 2))


class PermutedNode(Node):
    """The elements of a view that shows conjugates or negatives, of those that lie in memory."""

    __slots__ = ("conjugated", "negated")
    op_name = "conj"

    def __init__(self, edge: Any, view: Any) -> None:
        super().__init__((edge,))
        self.conjugated, self.negated = view.conjugated, view.negated

    def apply(self, grad: Any) -> tuple[Any, ...]:
        grad = op.conj_physical(grad) if self.conjugated else grad
        return (op.neg(grad) if self.negated else grad,)

    def name(self) -> str:
        return "ConjBackward0" if self.conjugated else "NegViewBackward0"


class RetypedSlices(CopySlices):
    """A region of the base was replaced that the op saw in another dtype."""

    __slots__ = ("layouts",)

    def __init__(self, base: Any, view: Any, edge: Any) -> None:
        super().__init__(base, view, edge)
        self.layouts = layouts_of(base, view)

    def split_gradient(self, grad: Any) -> tuple[Any, Any]:
        memory = grad.new_zeros(self.layouts.base_size)
        passed = memory.as_strided(*self.layouts.base).copy_(grad)
        return passed, in_other_dtype(memory).as_strided(*self.layouts.view)

    def region(self) -> Region:
        return RetypedRegion(self, self.layouts)


class RetypedRegion(Region):
    __slots__ = ("layouts",)

    def __init__(self, edge: Any, layouts: RegionLayouts) -> None:
        super().__init__(edge, layouts.base, layouts.view)
        self.layouts = layouts

    def apply(self, grad: Any) -> tuple[Any, ...]:
        _, strides, offset = self.layouts.view
        memory = op.restride(grad, strides, offset, (self.layouts.view_size,), (1,), 0)
        return (in_other_dtype(memory).as_strided(*self.layouts.base),)


def slices(base: Any, view: Any, edge: Any) -> CopySlices:
    return (CopySlices if view._dtype is base._dtype else RetypedSlices)(base, view, edge)


def follow_base(view: Any, base: Any) -> None:
    edge = edge_of(base)
    same = view._dtype is base._dtype
    node = Region(edge, layout_of(base), layout_of(view)) if same else RetypedRegion(edge, layouts_of(base, view))
    take_history(view, PermutedNode(node, view) if view.lazy_conj else node)


def region_of(full: Any, base: Any, view: Any) -> Any:
    """`full` is laid out as the contiguous `base`; None if there is none."""
    if view._dtype is base._dtype:
        start = full.storage_offset() + view._offset - base._offset
        return shown_by(view, full.as_strided(view._shape, view.stride(), start))
    _, _, (_, _, lead), (shape, strides, offset) = layouts_of(base, view)
    ratio = max(view._dtype.itemsize // full._dtype.itemsize, 1)
    start = full.storage_offset() - lead
    if start < 0 or start % ratio:
        return None
    memory = full.as_strided(((lead + full.numel()) // ratio * ratio,), (1,), start)
    result = in_other_dtype(memory)
    return shown_by(view, result.as_strided(shape, strides, result.storage_offset() + offset))


def shown_by(view: Any, region: Any) -> Any:
    """A region as a view of it shows it, which may be one of conjugates or negatives."""
    region = op.conj(region) if view.conjugated else region
    return op._neg_view(region) if view.negated else region


def placed_like(tangent: Any, tensor: Any) -> Any:
    """A tangent, copied where its offset does not let it be read as complex numbers as the tensor's does."""
    if tangent._flat is None or not (tangent._offset ^ tensor._offset) & 1 or tangent.is_complex():
        return tangent
    if not tensor._offset & 1:
        return tangent.clone()
    return op.cat([tangent.new_zeros(1), tangent.reshape(-1)])[1:].view(tangent._shape)


def layout_of(tensor: Any) -> Layout:
    return tensor._shape, tensor.stride(), tensor._offset
