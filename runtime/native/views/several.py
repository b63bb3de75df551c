"""Views that have been found before, outside of graphs: several of one op, and those that composites have given."""

from __future__ import annotations

from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import NULL, New, atomic_xchg, cast, native, new
from .. import c_functions as c
from ..interned import multi_views, none, outdated_type, true
from ..layout import Array, List, Object, Tensor, Tuple
from ..references import Owned, begin, item, put_item, release_all, retain, size, swap_item
from ..tensors import is_tensor, not_handled, recording, withdrawn
from .one import ViewPlan, look_up, make_view, may_be_looked_up, note_unrecorded


@native
def is_lazy_conj(view: Tensor, state: int) -> bool:
    """Note of a view that it is one of several, or that nothing is recorded; False where an error is set."""
    if state == 1:
        c.release(atomic_xchg(view, "views", cast(List, retain(multi_views))))
    return state != 0 or note_unrecorded(view)


@native
def fill_views(
    tensor: Tensor, storage: Array, version_counter: Object, view_geometries: Tuple, views: Tuple, state: int
) -> bool:
    """Make the views at all places; False where one cannot be made."""
    for i in range(size(view_geometries)):
        view = make_view(tensor, storage, version_counter, tensor.dtype, cast(Tuple, item(view_geometries, i)))
        if view is NULL:
            return False
        c.release(swap_item(views, i, view))
        if not is_tensor(view) or not is_lazy_conj(cast(Tensor, view), state):
            return False
    return True


@native
def looked_up_outside(plan: ViewPlan, tensor: Tensor, arguments: Items[Object], count: int, owned: Owned) -> Tuple:
    """What was found for such views, owned, as `look_up` gives it; NULL where nothing was, or for a graph."""
    state = recording()
    if state < 0 or (state == 1 and tensor.requires_grad is true):
        return cast(Tuple, NULL)
    result = look_up(plan, tensor, arguments, count, owned)
    if result is NULL or (plan.typed and item(result, 1) is not tensor.dtype):
        c.clear_error()
        return cast(Tuple, NULL)
    return result


@native
def views_at(
    tensor: Tensor, view_geometries: Tuple, storage: Array, version_counter: Object, alone: bool
) -> New[Object]:
    """The views at places in a tuple, each as if it had been made `alone`, or not; None where one is for Python."""
    views = c.new_tuple(size(view_geometries))
    if views is NULL:
        return NULL
    for i in range(size(view_geometries)):
        put_item(views, i, not_handled())  # none is NULL: the collector sees the tuple as soon as it exists
    state = recording()
    if fill_views(tensor, storage, version_counter, view_geometries, views, 2 if alone and state == 1 else state):
        return views
    return withdrawn(views)


@native
def view_at(tensor: Tensor, view_geometry: Tuple, storage: Array, version_counter: Object) -> New[Object]:
    """The view at a place; None where it is for Python."""
    view = make_view(tensor, storage, version_counter, tensor.dtype, view_geometry)
    if view is NULL or view is none or recording() != 0 or note_unrecorded(cast(Tensor, view)):
        return view
    return withdrawn(view)


@native
def made_of(plan: ViewPlan, arguments: Items[Object], count: int, multiple_views: bool) -> New[Object]:
    """The view, or the views in a tuple; None where this is for Python."""
    if not is_tensor(arguments[0]) or not may_be_looked_up(arguments, count):
        return not_handled()
    tensor, owned = cast(Tensor, arguments[0]), new(Owned)
    if tensor.grad_fn.type is outdated_type:
        return not_handled()
    begin(owned)
    value = looked_up_outside(plan, tensor, arguments, count, owned)
    if value is NULL:
        result = not_handled() if c.error_set() is NULL else cast(Object, NULL)
    else:
        view_geometries, storage, version_counter = (
            cast(Tuple, item(value, 0)),
            cast(Array, owned.items[2]),
            owned.items[0],
        )
        alone = plan.typed != 0 and item(value, 2) is not true
        result = (
            views_at(tensor, view_geometries, storage, version_counter, alone)
            if multiple_views
            else view_at(tensor, view_geometries, storage, version_counter)
        )
    release_all(owned)
    return result


@native
def launch_views(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The views in a tuple; None where none have been found for this layout and these arguments, or for a graph."""
    return made_of(cast(ViewPlan, self.memory), arguments, count, True)


@native
def launch_made_view(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The view that a composite has given; None where none has been found, or for a graph."""
    return made_of(cast(ViewPlan, self.memory), arguments, count, False)
