"""Regions of a base, also where a view reads complex numbers as pairs of real ones, or pairs as complex numbers.

The gradient of a complex number is that of its parts, so a gradient is read in the other dtype as the numbers are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...namespace import op
from ...tensor.views import span
from ..saved.saved import edge_of
from .copy_slices import CopySlices, Region, take_history

Place = tuple[Any, Any, int]  # shape, strides and offset


class Between(NamedTuple):
    """Where a base and a view of another dtype lie in fresh memory, each counted in elements of its own dtype."""

    base_size: int  # elements in that memory, for the base
    view_size: int  # and for the view
    base: Place
    view: Place


def between(base: Any, view: Any) -> Between:
    """The places of a base and a view of it in memory that begins with the base, at whole elements of both dtypes."""
    own, other = base._dtype.itemsize, view._dtype.itemsize
    step = max(own, other)
    start = base._offset * own // step * step
    lead = (base._offset * own - start) // own
    size = -(-(lead + span(base._shape, base.stride())) * own // step) * step
    place = view._shape, view.stride(), (view._offset * other - start) // other
    return Between(size // own, size // other, (base._shape, base.stride(), lead), place)


def are_related(base: Any, view: Any) -> bool:
    """Whether a view has its base's dtype, or is of the parts of its base's elements, or of what these are parts of."""
    return view._dtype is base._dtype or view._dtype.real is base._dtype.real


def in_other_dtype(memory: Any) -> Any:
    """One-dimensional memory as the parts of its complex numbers, or as the complex numbers of its pairs."""
    return op.view_as_real(memory) if memory.is_complex() else op.view_as_complex(memory.view(-1, 2))


class RetypedSlices(CopySlices):
    """A region of the base was replaced that the op saw in another dtype."""

    __slots__ = ("places",)

    def __init__(self, base: Any, view: Any, edge: Any) -> None:
        super().__init__(base, view, edge)
        self.places = between(base, view)

    def taken_apart(self, grad: Any) -> tuple[Any, Any]:
        """A copy of the gradient, and in the same memory the region."""
        memory = grad.new_zeros(self.places.base_size)
        passed = memory.as_strided(*self.places.base).copy_(grad)
        return passed, in_other_dtype(memory).as_strided(*self.places.view)

    def region(self) -> Region:
        """The node of the region's new value, as a part of the new base."""
        return RetypedRegion(self, self.places)


class RetypedRegion(Region):
    """Elements of a base read in another dtype."""

    __slots__ = ("places",)

    def __init__(self, edge: Any, places: Between) -> None:
        super().__init__(edge, places.base, places.view)
        self.places = places

    def apply(self, grad: Any) -> tuple[Any, ...]:
        """The gradient in its place in the base, and zeros around it."""
        _, strides, offset = self.places.view
        memory = op.restride(grad, strides, offset, (self.places.view_size,), (1,), 0)
        return (in_other_dtype(memory).as_strided(*self.places.base),)


def slices(base: Any, view: Any, edge: Any) -> CopySlices:
    """The node of a base of which the region that `view` shows was replaced."""
    return (CopySlices if view._dtype is base._dtype else RetypedSlices)(base, view, edge)


def follow_base(view: Any, base: Any) -> None:
    """Derive a view from the history that its base has now."""
    edge = edge_of(base)
    same = view._dtype is base._dtype
    node = Region(edge, place_of(base), place_of(view)) if same else RetypedRegion(edge, between(base, view))
    take_history(view, node)


def region_of(whole: Any, base: Any, view: Any) -> Any:
    """What lies in `whole`, which is laid out as the contiguous `base`, where a view of that lies; None if none can."""
    if view._dtype is base._dtype:
        return whole.as_strided(view._shape, view.stride(), whole.storage_offset() + view._offset - base._offset)
    _, _, (_, _, lead), (shape, strides, offset) = between(base, view)
    ratio = max(view._dtype.itemsize // whole._dtype.itemsize, 1)
    start = whole.storage_offset() - lead
    if start < 0 or start % ratio:
        return None
    memory = whole.as_strided(((lead + whole.numel()) // ratio * ratio,), (1,), start)
    found = in_other_dtype(memory)
    return found.as_strided(shape, strides, found.storage_offset() + offset)


def placed_like(tangent: Any, tensor: Any) -> Any:
    """A tangent, copied where its memory cannot be read as complex numbers in the places in which the tensor's can."""
    if tangent._flat is None or not (tangent._offset ^ tensor._offset) & 1 or tangent.is_complex():
        return tangent
    if not tensor._offset & 1:
        return tangent.clone()
    return op.cat([tangent.new_zeros(1), tangent.reshape(-1)])[1:].view(tangent._shape)


def place_of(tensor: Any) -> Place:
    """Shape, strides and offset in the storage."""
    return tensor._shape, tensor.stride(), tensor._offset
