"""The gradients of a node of any kind: element-wise, with a kernel that has plans, or views.

Which nodes hand on a view is not said: a node that keeps no tensors is seen to, and then its geometry is kept."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.structs import Items, capacity
from ..elementwise.gradient import BY_PLANS, BY_VIEWS, FusedPlan, GradientPlan, fused_gradients
from ..kernel_ops.gradient import PlannedGradients, planned_gradients
from ..objects import c_api as c
from ..objects.interned import false, name_apply, none, outdated_type, remember_gradient, true, tuple_type
from ..objects.kernel_call import Arguments, call_method, succeeded
from ..objects.layout import Array, Node, Object, Tensor, Tuple
from ..objects.references import Owned, begin, item, own_new, put_item, release_all, retain, size, slot
from ..objects.tensors import is_tensor, not_handled, records
from ..views.view_cache import ViewPlan, look_up, make_view, may_be_looked_up

MAX_VALUES = 8  # that a node keeps


class ViewGradients(GradientPlan):
    views: ViewPlan  # what was found: places; True for the gradient itself, False for what is no view of it
    values: int  # how many values the node keeps; their slots
    value_slots: Items[int] = capacity(MAX_VALUES)
    missed: int  # whether nothing is known of the gradient that was asked for last


@native
def note_arguments(plan: ViewGradients, node: Node, gradient: Object, arguments: Arguments) -> bool:
    """Note what the place of a gradient depends on besides its layout; False where there can be no view of it here."""
    if node.metas is none or size(node.metas) != 1 or item(node.edges, 0) is none or not is_tensor(gradient):
        return False
    tensor, meta = cast(Tensor, gradient), cast(Tuple, item(node.metas, 0))
    if tensor.grad_fn.type is outdated_type or item(meta, 1) is not tensor.dtype:
        return False
    arguments.items[0] = gradient
    arguments.items[1] = item(meta, 0)
    for i in range(plan.values):
        arguments.items[2 + i] = slot(node, plan.value_slots[i])
    return may_be_looked_up(arguments.items, 2 + plan.values)


@native
def view_gradients(plan: ViewGradients, node: Node, value: Object, owned: Owned) -> New[Object]:
    plan.missed = 0
    recorded, arguments, first = records(), new(Arguments), owned.count
    if recorded != 0:
        return NULL if recorded < 0 else not_handled()
    if not note_arguments(plan, node, value, arguments):
        return not_handled()
    gradient = cast(Tensor, value)
    result = look_up(plan.views, gradient, arguments.items, 2 + plan.values, owned)
    if result is NULL:
        c.clear_error()
        plan.missed = 1
        return not_handled()
    if cast(Object, result) is false:
        return not_handled()
    gradients = cast(Tuple, own_new(owned, c.new_tuple(1)))
    if gradients is NULL:
        return NULL
    if cast(Object, result) is true:
        view = retain(value)
    else:
        version_counter, storage = owned.items[first], cast(Array, owned.items[first + 2])
        view = make_view(gradient, storage, version_counter, gradient.dtype, result)
    if view is NULL or view is none:
        return view
    put_item(gradients, 0, view)
    return retain(gradients)


@native
def remember(plan: ViewGradients, node: Node, value: Object, gradients: Object) -> bool:
    """Keep what a node has made of a gradient, if nothing is known of that; False where an error is set."""
    if plan.missed == 0 or gradients.type is not tuple_type:
        return True
    arguments, count = new(Arguments), 4 + plan.values
    if not note_arguments(plan, node, value, arguments):
        return True
    for i in range(2 + plan.values):
        arguments.items[count - 1 - i] = arguments.items[1 + plan.values - i]
    arguments.items[0] = plan.views.cached
    arguments.items[1] = item(cast(Tuple, gradients), 0)
    return succeeded(c.call(remember_gradient, arguments.items, count, 0))


@native
def applied(plan: ViewGradients, node: Node, gradient: Object) -> New[Object]:
    result = call_method(node, name_apply, gradient, NULL)
    if result is not NULL and not remember(plan, node, gradient, result):
        c.release(result)
        return NULL
    return result


@native
def gradients_by(plan: GradientPlan, node: Node, value: Object) -> New[Object]:
    owned = new(Owned)
    begin(owned)
    if plan.kind == BY_PLANS:
        result = planned_gradients(cast(PlannedGradients, plan), node, value, owned)
    elif plan.kind == BY_VIEWS:
        result = view_gradients(cast(ViewGradients, plan), node, value, owned)
    else:
        result = fused_gradients(cast(FusedPlan, plan), node, value, owned)
    release_all(owned)
    return result


@native
def gradients(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    # From CPython 3.14 on a caller lends what a local variable holds, and counts no reference for that: the gradient
    # would seem to be nobody else's, and be written over.
    gradient = retain(arguments[1])
    result = gradients_by(cast(GradientPlan, self.memory), cast(Node, arguments[0]), gradient)
    c.release(gradient)
    return result
