"""View ops that give several views, which have been found before: `unbind` and `split`, outside of graphs."""

from __future__ import annotations

from ..kernels.llvm.structs import Items
from ..kernels.llvm.typed import NULL, New, cast, exchange, native, new
from . import c_functions as c
from .interned import outdated_type, several_views, true
from .layout import Array, List, Object, Tensor, Tuple
from .references import Owned, begin, exchange_item, item, put_item, release_all, retain, size
from .tensors import is_tensor, not_handled, recording
from .views import ViewPlan, look_up, make_view, may_be_looked_up, note_unrecorded


@native
def marked(view: Tensor, state: int) -> bool:
    """Note of a view that it is one of several, or that nothing is recorded; False where an error is set."""
    if state == 1:
        c.release(exchange(view, "views", cast(List, retain(several_views))))
    return state != 0 or note_unrecorded(view)


@native
def fill_views(tensor: Tensor, storage: Array, writes: Object, places: Tuple, views: Tuple, state: int) -> bool:
    """Make the views at all places; False where one cannot be made."""
    for i in range(size(places)):
        view = make_view(tensor, storage, writes, tensor.dtype, cast(Tuple, item(places, i)))
        if view is NULL:
            return False
        c.release(exchange_item(views, i, view))
        if not is_tensor(view) or not marked(cast(Tensor, view), state):
            return False
    return True


@native
def views_of(plan: ViewPlan, tensor: Tensor, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    """The views in a tuple; None where they have not been found, or belong into a graph."""
    state = recording()
    if state < 0 or (state == 1 and tensor.rg is true):
        return not_handled() if state > 0 else NULL
    found = look_up(plan, tensor, arguments, count, owned)
    if found is NULL:
        c.clear_error()
        return not_handled()
    places = cast(Tuple, item(found, 0))
    views = c.new_tuple(size(places))
    if views is NULL:
        return NULL
    for i in range(size(places)):
        put_item(views, i, not_handled())  # none is NULL: the collector sees the tuple as soon as it exists
    if fill_views(tensor, cast(Array, owned.items[2]), owned.items[0], places, views, state):
        return views
    c.release(views)
    return not_handled() if c.error_set() is NULL else NULL


@native
def launch_views(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The views in a tuple; None where none have been found for this layout and these arguments, or for a graph."""
    if not is_tensor(arguments[0]) or not may_be_looked_up(arguments, count):
        return not_handled()
    tensor, owned = cast(Tensor, arguments[0]), new(Owned)
    if tensor.fn.type is outdated_type:
        return not_handled()
    begin(owned)
    result = views_of(cast(ViewPlan, self.memory), tensor, arguments, count, owned)
    release_all(owned)
    return result
