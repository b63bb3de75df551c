"""An element-wise op on tensors of a device, and numbers: `forward.launch` and `launch_in_place` for those."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.structs import Items
from ..elementwise.broadcast import has_layout
from ..elementwise.inplace import awaited, count_write, separate
from ..elementwise.operands import ForwardPlan, needs_graph
from ..objects import c_api as c
from ..objects.interned import none
from ..objects.layout import Object, Tensor, Tuple
from ..objects.record import record
from ..objects.references import Owned, begin, item, own, own_new, put_item, release_all, retain
from ..objects.tensors import not_handled, refused, withdrawn
from .launch import LaunchPlan, Sources, holds, is_here, plan_of, put_number, put_tensor, result_of, run, take_blocks

PARTS = 3  # of a key, for each tensor


@native
def second_is_number(plan: ForwardPlan, arguments: Items[Object]) -> bool:
    return plan.takes_number != 0 and not is_here(arguments[1])


@native
def fits(plan: ForwardPlan, arguments: Items[Object]) -> bool:
    for i in range(plan.tensors):
        may_be_number = i == 1 and plan.takes_number
        if not may_be_number and not is_here(arguments[i]):
            return False
    return True


@native
def key_of(plan: ForwardPlan, arguments: Items[Object]) -> New[Tuple]:
    """The key by which a launch is found: dtype, shape and strides of each tensor, None thrice for a number."""
    key = c.new_tuple(PARTS * plan.tensors)
    if key is NULL:
        return NULL
    for i in range(plan.tensors):
        there, tensor = is_here(arguments[i]), cast(Tensor, arguments[i])
        put_item(key, PARTS * i, retain(tensor.dtype if there else none))
        put_item(key, PARTS * i + 1, retain(tensor.shape if there else none))
        put_item(key, PARTS * i + 2, retain(tensor.strides if there else none))
    return key


@native
def put_all(
    plan: ForwardPlan, launches: LaunchPlan, key: Tuple, arguments: Items[Object], sources: Sources, owned: Owned
) -> bool:
    for i in range(plan.tensors):
        if item(key, PARTS * i) is none:
            if not put_number(launches, i, arguments[i], sources):
                return False
        else:
            tensor = cast(Tensor, arguments[i])
            is_as_cached = is_here(arguments[i]) and tensor.dtype is item(key, PARTS * i)
            if (
                not is_as_cached
                or not has_layout(tensor, key, PARTS * i + 1)
                or not put_tensor(launches, i, tensor, sources, owned)
            ):
                return False
    fit = True
    for i in range(plan.tensors, plan.tensors + plan.numbers):
        fit = fit and put_number(launches, i, arguments[i], sources)
    return fit


@native
def cached_launch(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> tuple[Tuple, Tuple]:
    """What was found for the layouts of a call, and the key, both owned; NULL where nothing was, or an error is set."""
    nothing = cast(Tuple, NULL)
    if plan.device is NULL or not fits(plan, arguments):
        return nothing, nothing
    key = own_new(owned, key_of(plan, arguments))
    entry = NULL if key is NULL else c.dict_item(plan.device, key)
    if entry is NULL or not holds(plan_of(cast(Tuple, entry))):
        return nothing, nothing
    return cast(Tuple, own(owned, entry)), key  # owned: the table may forget it


@native
def computed(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    match, key = cached_launch(plan, arguments, owned)
    if match is NULL:
        return refused()
    launches, sources, is_number = plan_of(match), new(Sources), second_is_number(plan, arguments)
    device = own(owned, cast(Tensor, arguments[plan.lead]).device)
    recorded = needs_graph(plan, arguments)
    first = take_blocks(launches, match, sources, owned)
    if first < 0 or recorded < 0:
        return NULL
    if not put_all(plan, launches, key, arguments, sources, owned) or not run(launches, sources):
        return refused()
    result = result_of(launches, match, 0, first, device, owned)
    broadcasts = launches.broadcasts != 0
    if result is not NULL and recorded and not record(plan.node, result, arguments, is_number, broadcasts, owned):
        return withdrawn(result)
    return result


@native
def launch_on_device(plan: ForwardPlan, arguments: Items[Object], count: int) -> New[Object]:
    owned = new(Owned)
    begin(owned)
    result = computed(plan, arguments, owned)
    release_all(owned)
    return result


@native
def written(plan: ForwardPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    result, key = cached_launch(plan, arguments, owned)
    if result is NULL:
        return refused()
    first, launches, sources = cast(Tensor, arguments[0]), plan_of(result), new(Sources)
    is_number = second_is_number(plan, arguments)
    recorded = needs_graph(plan, arguments)
    two = plan.tensors == 2 and not is_number
    # Python knows what to say.
    if recorded == 1 or (two and not separate(first, cast(Tensor, arguments[1]))) or awaited(first):
        return not_handled()
    # Before the write: no reader may take the old count for the new values.
    if recorded < 0 or not count_write(first, plan.name):
        return NULL
    if not put_all(plan, launches, key, arguments, sources, owned):
        return refused()
    return retain(first) if run(launches, sources) else refused()


@native
def launch_inplace_on_device(plan: ForwardPlan, arguments: Items[Object], count: int) -> New[Object]:
    owned = new(Owned)
    begin(owned)
    result = written(plan, arguments, owned)
    release_all(owned)
    return result
