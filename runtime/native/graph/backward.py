"""The backward pass from node to node, while nothing but formulas and leaves is on the way.

A node with a fused kernel runs without the interpreter; of others `apply` is called. What has hooks and what is asked
for by `capture` are for the methods of the pass, in Python."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.structs import Items
from ..elementwise.gradient import BY_VIEWS, GradientPlan
from ..objects import c_api as c
from ..objects import interned
from ..objects.interned import false, freed, name_apply, name_follow, name_release, none, output_type, true
from ..objects.kernel_call import Arguments, call_method, call_with, succeeded
from ..objects.layout import Array, Node, Object, Output, Pass, Tensor, Tuple
from ..objects.references import is_held, item, pair, retain, set_slot, size, slot
from ..objects.tensors import is_tensor_anywhere, not_handled, records
from .accumulate_grad import deliver_to_leaf
from .deliver import Next, deliver_held, hand_to_node, hand_to_output, is_newest, put_next, wake
from .node_gradients import ViewGradients, applied, gradients_by


@native
def leads_to_hooks(node: Node) -> bool:
    """Whether a gradient of the node goes to a leaf with hooks, which is held back until it is complete."""
    for i in range(size(node.edges)):
        edge = item(node.edges, i)
        if edge is not none and is_tensor_anywhere(edge) and cast(Tensor, edge).hooks is not none:
            return True
    return False


@native
def is_plain(backward: Pass, node: Node) -> bool:
    if interned.watch.active is true or node.hooks is not none:
        return False
    if backward.hooked is not none and leads_to_hooks(node):
        return False
    return backward.capture is none or c.set_has(backward.capture.special, node) == 0


@native
def plan_of(node: Node) -> Array:
    return cast(Array, c.dict_item(interned.plans_of_nodes, node.type))


@native
def gradients_of(node: Node, gradient: Object) -> New[Object]:
    plan = plan_of(node)
    if plan is not NULL:  # no call of Python between two such nodes
        result = gradients_by(cast(GradientPlan, plan.memory), node, gradient)
        if result is not none:
            return result
        c.release(result)
        if cast(GradientPlan, plan.memory).kind == BY_VIEWS:
            return applied(cast(ViewGradients, plan.memory), node, gradient)
        if has_packed(cast(GradientPlan, plan.memory), node):
            return gradients_of_unpacked(cast(GradientPlan, plan.memory), node, gradient)
    return call_method(node, name_apply, gradient, NULL)


@native
def has_packed(plan: GradientPlan, node: Node) -> bool:
    packed = False
    for i in range(plan.saved):
        packed = packed or slot(node, plan.slots[i]).type is interned.packed_type
    return packed and records() == 0


@native
def gradients_of_unpacked(plan: GradientPlan, node: Node, gradient: Object) -> New[Object]:
    copy = cast(Node, call_with(interned.unpacked_node, node, NULL))
    if copy is NULL:
        return NULL
    result = gradients_by(plan, copy, gradient)
    if result is none:
        c.release(result)
        result = call_method(copy, name_apply, gradient, NULL)
    c.release(copy)
    return result


@native
def release_saved(node: Node) -> bool:
    slot_values = plan_of(node)
    if slot_values is NULL:
        return release_by_method(node)
    plan = cast(GradientPlan, slot_values.memory)
    for i in range(plan.saved):
        before = slot(node, plan.slots[i])
        if before is not none:
            set_slot(node, plan.slots[i], retain(freed))  # first: what is released may look at its node
            c.release(before)
    return True


@native
def release_by_method(node: Node) -> bool:
    saved = cast(Tuple, c.attribute(node, interned.name_saved_slots))
    if saved is NULL:
        return False
    done = call_method(node, name_release, NULL, NULL) if c.checked_tuple_size(saved) > 0 else retain(none)
    c.release(saved)
    return succeeded(done)


@native
def is_node(edge: Object) -> bool:
    """Whether an edge is a node of which this is the only output; what lies outside the graph counts as a leaf."""
    kind = edge.type
    outside = kind is interned.nowhere_type or kind is interned.outdated_type
    return not outside and c.is_subtype(kind, interned.node_type) != 0


@native
def all_plain(edges: Tuple, result: Object) -> bool:
    """Whether each gradient goes to a node, or one of its outputs, or a leaf without hooks, or nowhere."""
    count = size(edges)
    if result.type is not interned.tuple_type or size(cast(Tuple, result)) != count:
        return False
    for i in range(count):
        edge, gradient = item(edges, i), item(cast(Tuple, result), i)
        if edge is none:
            continue
        leaf = is_tensor_anywhere(edge)
        if leaf and cast(Tensor, edge).hooks is not none:
            return False
        if not leaf and (gradient is none or not (is_node(edge) or edge.type is output_type)):
            return False
    return True


@native
def all_different(gradients: Tuple) -> bool:
    for i in range(size(gradients)):
        for j in range(i):
            if item(gradients, i) is item(gradients, j) and item(gradients, i) is not none:
                return False
    return True


@native
def returns_owned(node: Node) -> int:
    """Whether the gradients that the node has made are nobody else's; -1 where an error is set."""
    if plan_of(node) is not NULL:
        return 1
    answer = c.attribute(node, interned.name_returns_owned)
    c.release(answer)  # True and False stay
    return -1 if answer is NULL else int(answer is true)


@native
def hand_each(backward: Pass, edges: Tuple, gradients: Tuple, incoming: Object, owned: bool, held: Next) -> bool:
    """Give each gradient to its edge, but hold one node back; False where an error is set."""
    for i in range(size(edges)):
        edge, gradient, done = item(edges, i), item(gradients, i), True
        if is_tensor_anywhere(edge):
            own = owned and (gradient is not incoming or is_held(gradient, 2))  # here, and in the tuple
            done = deliver_to_leaf(backward, cast(Tensor, edge), gradient, incoming, own)
        elif edge.type is output_type:
            done = hand_to_output(backward, cast(Output, edge), gradient, held)
        elif edge is not none:
            done = hand_to_node(backward, edge, gradient, held)
        if not done:
            return False
    return True


@native
def hand_on(backward: Pass, edges: Tuple, gradients: Tuple, incoming: Object, owned: bool, following: Next) -> bool:
    """`BackwardPass.follow`; False where an error is set. The caller holds edges and gradients, and so all in them."""
    held = new(Next)
    put_next(held, cast(Object, NULL), cast(Object, NULL))
    done = hand_each(backward, edges, gradients, incoming, owned, held)
    if done and held.node is not NULL and is_newest(backward, cast(Node, held.node)):
        put_next(following, held.node, held.gradient)
        return True
    if done and held.node is not NULL:
        done = deliver_held(backward, held)
    c.release(held.node)
    c.release(held.gradient)
    if done:
        put_next(following, not_handled(), not_handled())
    return done


@native
def hand_on_with_care(
    backward: Pass, edges: Tuple, gradients: Object, incoming: Object, owned: bool, following: Next
) -> bool:
    """Call `BackwardPass.follow`: for hooks, where several outputs have gradients, and for gradients that are None."""
    arguments = new(Arguments)
    arguments.items[0] = backward
    arguments.items[1] = edges
    arguments.items[2] = gradients
    arguments.items[3] = true if owned else false
    arguments.items[4] = incoming
    result = cast(Tuple, c.call_method(name_follow, arguments.items, 5, 0))
    if result is NULL:
        return False
    put_next(following, retain(item(result, 0)), retain(item(result, 1)))
    c.release(result)
    return True


@native
def step(backward: Pass, node: Node, gradient: Object, following: Next) -> bool:
    result = gradients_of(node, gradient)
    if result is NULL:
        return False
    edges, from_flat = retain(node.edges), returns_owned(node)  # `release` may run Python, which detaches nodes
    done = from_flat >= 0 and (backward.retain is true or release_saved(node))
    if done and all_plain(edges, result):
        gradients = cast(Tuple, result)
        done = hand_on(backward, edges, gradients, gradient, from_flat > 0 and all_different(gradients), following)
    elif done:
        done = hand_on_with_care(backward, edges, result, gradient, from_flat > 0, following)
    c.release(edges)
    c.release(result)
    return done


@native
def walk_on(backward: Pass, following: Next) -> bool:
    """Run nodes as far as possible, and note, owned, where Python must go on; False where an error is set."""
    while True:
        if following.node is none:
            c.release(following.node)
            c.release(following.gradient)
            put_next(following, cast(Object, NULL), cast(Object, NULL))
            if not wake(backward, following):
                return False
        node, gradient = following.node, following.gradient
        if node is none or not is_plain(backward, cast(Node, node)):
            return True
        put_next(following, cast(Object, NULL), cast(Object, NULL))
        done = step(backward, cast(Node, node), gradient, following)
        c.release(gradient)  # before the next node runs: its kernel may write over a gradient that nobody else holds
        c.release(node)
        if not done:
            return False


@native
def walk(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """walk(backward_pass, node, gradient): the node at which Python must go on, and its gradient; or (None, None)."""
    backward, following = cast(Pass, arguments[0]), new(Next)
    put_next(following, retain(arguments[1]), retain(arguments[2]))
    done = walk_on(backward, following)
    result = pair(following.node, following.gradient) if done else cast(Tuple, NULL)
    c.release(following.node)
    c.release(following.gradient)
    return result
