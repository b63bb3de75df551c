"""Views that have been found before, for the same layout and arguments: of one op, several of one op, of composites.

Those of several ops and of composites are made outside of graphs alone."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, atomic_xchg, cast, native, new
from ...compiler.language.memory import COMPLEX, is_complex, part_kind
from ...compiler.language.structs import Items, Struct
from ..objects import c_api as c
from ..objects import interned, references, tensors
from ..objects.interned import array_type, drop_dead, int_type, list_type, none, outdated_type, true, untracked
from ..objects.kernel_call import Arguments, Size, call_with, succeeded
from ..objects.layout import Array, Dict, DType, List, Object, Tensor, Tuple
from ..objects.record import RecordPlan, record
from ..objects.references import Owned, begin, item, own, own_new, owning, put_item, release_all, retain, size
from ..objects.tensors import dtype_of, elements, is_tensor, not_handled, recording, shared_writes, withdrawn

SHARED_FLAGS = 0x503  # of an array's: contiguous, aligned, writeable; not that it owns its memory


TO_REAL, TO_COMPLEX = 1, 2


class ViewPlan(Struct):
    cached: Dict  # the views found
    node: RecordPlan
    operands: int  # how many `record` is given: the tensor, and what the view op has found of its arguments
    typed: int  # whether what is kept holds for the dtype that stands behind it
    retypes: int  # whether its elements are parts of the tensor's (TO_REAL), or such parts are its (TO_COMPLEX)


@native
def only_ints_listed(sizes: List) -> bool:
    others = 0
    for i in range(c.list_size(sizes)):
        others += c.list_item(sizes, i).type is not int_type
    return others == 0


@native
def key_of(tensor: Tensor, arguments: Items[Object], count: int) -> New[Tuple]:
    """(shape, strides, offset, *arguments), with a tuple in the place of a list; NULL where there is no memory."""
    key = c.new_tuple(count + 2)
    if key is NULL:
        return NULL
    put_item(key, 0, retain(tensor.shape))
    put_item(key, 1, retain(tensor.strides))
    put_item(key, 2, retain(tensor.offset))
    for i in range(1, count):
        is_list = arguments[i].type is list_type
        part = cast(Object, c.as_tuple(cast(List, arguments[i]))) if is_list else retain(arguments[i])
        if part is NULL:
            c.release(key)
            return cast(Tuple, NULL)
        put_item(key, i + 2, part)
    return key


@native
def may_be_looked_up(arguments: Items[Object], count: int) -> bool:
    fit = True
    for i in range(1, count):
        argument = arguments[i]
        is_list = argument.type is list_type
        fit &= argument is none or (
            only_ints_listed(cast(List, argument)) if is_list else tensors.is_int_or_ints(argument)
        )
    return fit


@native
def part_of(storage: Array, offset: int, count: int) -> New[Array]:
    if offset == 0 and count == elements(storage):  # no array of its own: most views of whole tensors
        return retain(storage)
    shape = new(Size)
    shape.items[0] = count
    memory = storage.memory + offset * storage.strides[0]
    flags = storage.flags & SHARED_FLAGS
    part = c.new_array(array_type, retain(storage.descr), 1, shape.items, 0, memory, flags, 0)
    if part is not NULL and c.set_base(part, retain(storage)) < 0:
        c.release(part)
        return NULL
    return part


@native
def list_view(base: Tensor, view: Tensor) -> bool:
    """Let a base know its view, weakly; False where there is no memory."""
    reference = c.weak_reference(view, cast(Object, NULL))  # weak: a base must not keep its views alive
    if reference is NULL:
        return False
    if base.views is none:
        made = c.new_list(0)
        if made is NULL:
            c.release(reference)
            return False
        if base.views is none:  # still: a finalizer may have made a view
            c.release(atomic_xchg(base, "views", made))
        else:
            c.release(made)
    views = cast(List, retain(base.views))
    done = c.append(views, reference) == 0
    c.release(reference)
    count = c.list_size(views)
    if done and count & (count - 1) == 0 and count > 16:  # powers of two: dead ones cost a constant time each
        done = succeeded(call_with(drop_dead, views, NULL))
    c.release(views)
    return done


@native
def make_view(
    source: Tensor, storage: Array, version_counter: Object, dtype: DType, view_geometry: Tuple
) -> New[Object]:
    """The same memory, count of writes and base; None where the memory is too short. The caller owns all arguments."""
    count, offset = item(view_geometry, 3), c.as_int(item(view_geometry, 2))
    number = c.as_int(count) if count is not none else 0
    if offset + number > elements(storage):  # rule 3: what was found for a layout may meet shorter memory
        return not_handled()
    flat = part_of(storage, offset, number) if count is not none else cast(Array, retain(none))
    view = cast(Tensor, NULL) if flat is NULL else tensors.new_tensor(flat, cast(Tuple, item(view_geometry, 0)), dtype)
    if view is NULL:
        return NULL
    c.release(atomic_xchg(view, "storage", retain(storage)))
    c.release(atomic_xchg(view, "strides", retain(item(view_geometry, 1))))
    c.release(atomic_xchg(view, "offset", retain(item(view_geometry, 2))))
    c.release(atomic_xchg(view, "version_counter", cast(List, retain(version_counter))))
    c.release(atomic_xchg(view, "device", retain(source.device)))
    if source.base is none:
        base = cast(Tensor, retain(source))
    else:
        base = cast(Tensor, retain(source.base))
        c.release(atomic_xchg(view, "views", retain(source.views)))
    c.release(atomic_xchg(view, "base", base))
    if not list_view(base, view):
        c.release(view)
        return NULL
    return view


@native
def note_unrecorded(view: Tensor) -> bool:
    if view.version_counter is untracked:
        return True  # nothing is to be noted of views of inference tensors
    return succeeded(call_with(interned.note_not_recorded, view, NULL))


@native
def recorded(plan: ViewPlan, view: Object, tensor: Tensor, result: Tuple, owned: Owned) -> bool:
    state = recording()
    if state == 0:
        return note_unrecorded(cast(Tensor, view))
    if state != 1 or tensor.requires_grad is not true:
        return state > 0
    value = new(Arguments)
    value.items[0] = tensor
    for i in range(1, plan.operands):
        value.items[i] = item(result, i)
    return record(plan.node, view, value.items, False, False, owned)


@native
def look_up(plan: ViewPlan, tensor: Tensor, arguments: Items[Object], count: int, owned: Owned) -> Tuple:
    """The view kept for this layout and these arguments, owned from here on; NULL where there is nothing.

    The first that is owned is the count of writes, the third the storage that has this layout."""
    version_counter = own_new(owned, shared_writes(tensor))
    key = cast(Tuple, NULL) if version_counter is NULL else own_new(owned, key_of(tensor, arguments, count))
    if key is NULL:
        return NULL
    result = c.dict_item(plan.cached, key)
    if result is NULL or tensor.version_counter is not version_counter or tensor.offset is not item(key, 2):
        return NULL
    own(owned, tensor.storage)
    return cast(Tuple, own(owned, result))


@native
def dtype_of_parts(retypes: int, dtype: DType) -> DType:
    kind = tensors.kind_of_number(dtype)
    if retypes == TO_REAL and kind >= 0 and is_complex(kind):
        return dtype_of(part_kind(kind))
    return dtype_of(COMPLEX + kind) if retypes == TO_COMPLEX and kind in (0, 1) else cast(DType, NULL)


@native
def retyped(storage: Array, dtype: DType, owned: Owned) -> Array:
    """The array of a dtype over the memory of a storage, owned; NULL for none, or where that fails."""
    if dtype is NULL:
        return cast(Array, NULL)
    result = own_new(owned, call_with(interned.storage_as, storage, dtype))
    c.clear_error()
    return cast(Array, result)


@native
def view_of(plan: ViewPlan, tensor: Tensor, arguments: Items[Object], count: int) -> New[Object]:
    """`arguments[0]` is not read: it is `tensor`."""
    if tensor.grad_fn.type is outdated_type or not may_be_looked_up(arguments, count):
        return not_handled()
    owned = new(Owned)
    begin(owned)
    result = look_up(plan, tensor, arguments, count, owned)
    if result is NULL:
        c.clear_error()
        view = not_handled()
    else:
        storage, version_counter, dtype = cast(Array, owned.items[2]), owned.items[0], tensor.dtype
        if plan.retypes:
            dtype = dtype_of_parts(plan.retypes, dtype)
            storage = retyped(storage, dtype, owned)
        geometry = cast(Tuple, item(result, 0))
        view = make_view(tensor, storage, version_counter, dtype, geometry) if storage is not NULL else not_handled()
        if view is not NULL and view is not none and not recorded(plan, view, tensor, result, owned):
            view = withdrawn(view)
    release_all(owned)
    return view


@owning(ViewPlan)
def detach(plan: ViewPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    """detach(tensor): another tensor over its memory, without a place in the graph or among the views."""
    if not tensors.is_tensor_anywhere(arguments[0]):
        return not_handled()
    tensor = cast(Tensor, arguments[0])
    if tensor.version_counter is untracked and not tensors.in_inference_mode():
        return not_handled()  # writes to it are counted apart
    version_counter = own_new(owned, shared_writes(tensor))
    flat, storage, shape = own(owned, tensor.flat), own(owned, tensor.storage), own(owned, tensor.shape)
    strides, offset, dtype = own(owned, tensor.strides), own(owned, tensor.offset), own(owned, tensor.dtype)
    alias = (
        cast(Tensor, NULL)
        if version_counter is NULL
        else tensors.new_tensor_on(tensor.device, retain(flat), shape, dtype)
    )
    if alias is NULL:
        return NULL
    c.release(atomic_xchg(alias, "storage", retain(storage)))
    c.release(atomic_xchg(alias, "strides", retain(strides)))
    c.release(atomic_xchg(alias, "offset", retain(offset)))
    c.release(atomic_xchg(alias, "made", retain(tensor.made)))
    c.release(atomic_xchg(alias, "version_counter", cast(List, retain(version_counter))))
    return alias


@native
def launch_view(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    if not is_tensor(arguments[0]):
        return not_handled()
    return view_of(cast(ViewPlan, self.memory), cast(Tensor, arguments[0]), arguments, count)


@native
def fill_views(
    tensor: Tensor, storage: Array, version_counter: Object, view_geometries: Tuple, views: Tuple, state: int
) -> bool:
    for i in range(size(view_geometries)):
        view = make_view(tensor, storage, version_counter, tensor.dtype, cast(Tuple, item(view_geometries, i)))
        if view is NULL:
            return False
        c.release(references.swap_item(views, i, view))
        if not is_tensor(view):
            return False
        if state == 1:
            c.release(atomic_xchg(cast(Tensor, view), "views", cast(List, retain(interned.multi_views))))
        if state == 0 and not note_unrecorded(cast(Tensor, view)):
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
    views = references.tuple_of_none(size(view_geometries))
    if views is NULL:
        return NULL
    state = recording()
    if fill_views(tensor, storage, version_counter, view_geometries, views, 2 if alone and state == 1 else state):
        return views
    return withdrawn(views)


@native
def made_of(plan: ViewPlan, arguments: Items[Object], count: int, multiple_views: bool, owned: Owned) -> New[Object]:
    if not is_tensor(arguments[0]) or not may_be_looked_up(arguments, count):
        return not_handled()
    tensor = cast(Tensor, arguments[0])
    if tensor.grad_fn.type is outdated_type:
        return not_handled()
    value = looked_up_outside(plan, tensor, arguments, count, owned)
    if value is NULL:
        return tensors.refused()
    geometries, storage, version_counter = cast(Tuple, item(value, 0)), cast(Array, owned.items[2]), owned.items[0]
    if not multiple_views:
        view = make_view(tensor, storage, version_counter, tensor.dtype, geometries)
        if view is NULL or view is none or recording() != 0 or note_unrecorded(cast(Tensor, view)):
            return view
        return withdrawn(view)
    alone = plan.typed != 0 and item(value, 2) is not true
    return views_at(tensor, geometries, storage, version_counter, alone)


@owning(ViewPlan)
def launch_views(plan: ViewPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    return made_of(plan, arguments, count, True, owned)


@owning(ViewPlan)
def launch_made_view(plan: ViewPlan, arguments: Items[Object], count: int, owned: Owned) -> New[Object]:
    return made_of(plan, arguments, count, False, owned)
