"""The backward pass from node to node, while nothing but formulas and leaves is on the way: see autograd/engine.

A node with a fused kernel runs without the interpreter; of others `apply` is called. What has hooks, what is asked for
by `capture`, and edges to one of several outputs are for the methods of the pass, in Python.
"""

from __future__ import annotations

from ...kernels.llvm.structs import Items, Struct
from ...kernels.llvm.typed import NULL, New, Stolen, cast, exchange, native, new
from .. import c_functions as c
from ..interned import (
    freed,
    heap_pop,
    heap_push,
    list_type,
    missing_type,
    name_apply,
    name_deliver,
    name_deliver_all,
    name_follow,
    name_gives_fresh,
    name_output_count,
    name_release,
    name_saved_slots,
    node_type,
    none,
    nowhere_type,
    outdated_type,
    output_type,
    packed_type,
    plans_of_nodes,
    true,
    tuple_type,
    unpacked_node,
    watch,
)
from ..kernel_calls import Arguments
from ..layout import Array, Dict, List, Node, Object, Output, Pass, Tensor, Tuple
from ..references import is_held, item, pair, retain, set_slot, size, slot
from ..tensors import is_tensor_anywhere, not_handled, records
from .gradients import BY_VIEWS, GradientPlan
from .leaves import as_bool, method, reach, summed
from .node_gradients import gradients_by
from .view_gradients import ViewGradients, applied


class Next(Struct):
    """The node that runs next, and its gradient; None where Python goes on. Both references are owned."""

    node: Object
    gradient: Object


@native
def is_plain(backward: Pass, node: Node) -> bool:
    """Whether a node may run here: nobody watches, no hooks, no leaves held back, and it is not asked for."""
    if watch.active is true or node.hooks is not none or backward.hooked is not none:
        return False
    return backward.capture is none or c.set_has(backward.capture.special, node) == 0


@native
def plan_of(node: Node) -> Array:
    """The words of the plan of a node whose gradients are native; NULL for others."""
    return cast(Array, c.dict_item(plans_of_nodes, node.type))


@native
def gradients_of(node: Node, gradient: Object) -> New[Object]:
    """The gradients that a node computes from one, in a tuple or list with one for each edge."""
    plan = plan_of(node)
    if plan is not NULL:  # no call of Python between two such nodes
        found = gradients_by(cast(GradientPlan, plan.memory), node, gradient)
        if found is not none:
            return found
        c.release(found)
        if cast(GradientPlan, plan.memory).kind == BY_VIEWS:
            return applied(cast(ViewGradients, plan.memory), node, gradient)
        if has_packed(cast(GradientPlan, plan.memory), node):
            return gradients_of_unpacked(cast(GradientPlan, plan.memory), node, gradient)
    return gradients_by_method(node, gradient)


@native
def gradients_by_method(node: Node, gradient: Object) -> New[Object]:
    """What the node's `apply` gives."""
    arguments = new(Arguments)
    arguments.items[1] = gradient
    return method(node, name_apply, arguments, 1)


@native
def has_packed(plan: GradientPlan, node: Node) -> bool:
    """Whether hooks have packed what a node keeps, and nothing is recorded that would have to name the node."""
    packed = False
    for i in range(plan.saved):
        packed = packed or slot(node, plan.slots[i]).type is packed_type
    return packed and records() == 0


@native
def gradients_of_unpacked(plan: GradientPlan, node: Node, gradient: Object) -> New[Object]:
    """The gradients of a node whose saved tensors are unpacked for this: by a copy that has the tensors."""
    arguments = new(Arguments)
    arguments.items[0] = node
    copy = cast(Node, c.call(unpacked_node, arguments.items, 1, 0))
    if copy is NULL:
        return NULL
    found = gradients_by(plan, copy, gradient)
    if found is none:
        c.release(found)
        found = gradients_by_method(copy, gradient)
    c.release(copy)
    return found


@native
def release_saved(node: Node) -> bool:
    """Let the node forget what it saved; False where an error is set."""
    words = plan_of(node)
    if words is NULL:
        return release_by_method(node)
    plan = cast(GradientPlan, words.memory)
    for i in range(plan.saved):
        before = slot(node, plan.slots[i])
        if before is not none:
            set_slot(node, plan.slots[i], retain(freed))  # first: what is released may look at its node
            c.release(before)
    return True


@native
def release_by_method(node: Node) -> bool:
    """Call the node's own `release` if it has saved something; False where an error is set."""
    saved = cast(Tuple, c.attribute(node, name_saved_slots))
    if saved is NULL:
        return False
    done = method(node, name_release, new(Arguments), 0) if c.checked_tuple_size(saved) > 0 else retain(none)
    c.release(saved)
    c.release(done)
    return done is not NULL


@native
def is_node(edge: Object) -> bool:
    """Whether an edge is a node of which this is the only output; what lies outside the graph counts as a leaf."""
    kind = edge.type
    return kind is not nowhere_type and kind is not outdated_type and c.is_subtype(kind, node_type) != 0


@native
def is_output(edge: Object) -> bool:
    """Whether an edge is one of several outputs."""
    return edge.type is output_type


@native
def all_plain(edges: Tuple, found: Object) -> bool:
    """Whether each gradient goes to a node, or one of its outputs, or a leaf without hooks, or nowhere."""
    count = size(edges)
    if found.type is not tuple_type or size(cast(Tuple, found)) != count:
        return False
    for i in range(count):
        edge, gradient = item(edges, i), item(cast(Tuple, found), i)
        if edge is none:
            continue
        leaf = is_tensor_anywhere(edge)
        if leaf and cast(Tensor, edge).hooks is not none:
            return False
        if not leaf and (gradient is none or not (is_node(edge) or is_output(edge))):
            return False
    return True


@native
def all_different(gradients: Tuple) -> bool:
    """Whether no gradient stands twice among those of several inputs."""
    for i in range(size(gradients)):
        for j in range(i):
            if item(gradients, i) is item(gradients, j) and item(gradients, i) is not none:
                return False
    return True


@native
def deliver(backward: Pass, edge: Object, gradient: Object) -> bool:
    """Let a gradient wait for its node; False where an error is set."""
    if is_output(edge):
        return deliver_by_method(backward, edge, gradient)
    buffers = retain(backward.buffers)
    waiting = c.dict_item(buffers, edge)
    if waiting is NULL:
        done = c.error_set() is NULL and push(backward, cast(Node, edge))
        done = done and c.set_dict_item(buffers, edge, gradient) == 0
    else:
        total = joined(retain(waiting), gradient)
        done = total is not NULL and c.set_dict_item(buffers, edge, total) == 0
        c.release(total)
    c.release(buffers)
    return done


@native
def push(backward: Pass, node: Node) -> bool:
    """Put a node into the heap of those that wait; False where an error is set."""
    number, entry = c.new_int(-c.as_int(node.sequence)), cast(Object, NULL)
    if number is not NULL:
        entry = pair(number, node)
        c.release(number)
    if entry is NULL:
        return False
    heap, arguments = retain(backward.heap), new(Arguments)
    arguments.items[0] = heap
    arguments.items[1] = entry
    answer = c.call(heap_push, arguments.items, 2, 0)
    c.release(heap)
    c.release(entry)
    c.release(answer)
    return answer is not NULL


@native
def wake(backward: Pass, following: Next) -> bool:
    """Note the newest node that waits, and its gradient; None where this is for Python. False where an error is set."""
    heap, buffers = retain(backward.heap), retain(backward.buffers)
    put_next(following, not_handled(), not_handled())
    done = c.list_size(heap) == 0 or wake_first(heap, buffers, following)
    c.release(heap)
    c.release(buffers)
    return done


@native
def wake_first(heap: List, buffers: Dict, following: Next) -> bool:
    """`wake` for a heap that is not empty."""
    node, arguments = retain(item(cast(Tuple, c.list_item(heap, 0)), 1)), new(Arguments)
    waiting = c.dict_item(buffers, node)
    if waiting is NULL or waiting.type is missing_type:
        c.release(node)
        return c.error_set() is NULL
    c.release(exchange(following, "gradient", retain(waiting)))
    c.release(exchange(following, "node", node))
    arguments.items[0] = heap
    entry = c.call(heap_pop, arguments.items, 1, 0)
    c.release(entry)
    return entry is not NULL and c.delete_item(buffers, node) == 0


@native
def deliver_by_method(backward: Pass, edge: Object, gradient: Object) -> bool:
    """Call `BackwardPass.deliver`: for one of several outputs; False where an error is set."""
    arguments = new(Arguments)
    arguments.items[1] = edge
    arguments.items[2] = gradient
    done = method(backward, name_deliver, arguments, 2)
    c.release(done)
    return done is not NULL


@native
def joined(first: Stolen[Object], gradient: Object) -> New[Object]:
    """The sum of what has come for a node before and of another gradient; NULL where an error is set."""
    total = cast(Object, summed(first, gradient))
    if total is NULL and c.error_set() is NULL:
        total = c.add(first, gradient)  # made while both terms are held
    c.release(first)
    return total


@native
def is_newest(backward: Pass, node: Node) -> bool:
    """Whether no other node that waits is newer: the heap holds (-sequence, node)."""
    heap = backward.heap
    if c.list_size(heap) == 0:  # a chain: no node has ever waited
        return True
    first = cast(Tuple, c.list_item(heap, 0))
    return -c.as_int(item(first, 0)) <= c.as_int(node.sequence)


@native
def gives_fresh(node: Node) -> int:
    """Whether the gradients that the node has made are nobody else's; -1 where an error is set."""
    if plan_of(node) is not NULL:
        return 1
    answer = c.attribute(node, name_gives_fresh)
    c.release(answer)  # True and False stay
    return -1 if answer is NULL else int(answer is true)


@native
def put_next(following: Next, node: Stolen[Object], gradient: Stolen[Object]) -> None:
    """Note which node runs next, and its gradient."""
    following.node = node
    following.gradient = gradient


@native
def listed(node: Node, index: int, gradient: Object) -> New[List]:
    """The list of the gradients of a node's outputs, of which one is known."""
    number = c.attribute(node, name_output_count)
    if number is NULL:
        return NULL
    gradients = c.new_list(c.as_int(number))
    c.release(number)
    if gradients is NULL:
        return NULL
    for i in range(c.list_size(gradients)):
        c.set_list_item(gradients, i, retain(gradient if i == index else none))
    return gradients


@native
def join_listed(gradients: List, index: int, gradient: Object) -> bool:
    """Add a gradient to that of one of several outputs; False where an error is set."""
    before = retain(c.list_item(gradients, index))
    if before is none:
        c.release(before)
        total = retain(gradient)
    else:
        total = joined(before, gradient)
    return total is not NULL and c.set_list_item(gradients, index, total) == 0


@native
def hand_to_output(backward: Pass, output: Output, gradient: Object, held: Next) -> bool:
    """Hand a gradient to one of several outputs of a node, which is held back if none is yet."""
    node, index = retain(output.node), c.as_int(output.index)
    if node is held.node:
        done = join_listed(cast(List, held.gradient), index, gradient)
    elif held.node is NULL and c.dict_has(backward.buffers, node) == 0:
        gradients = listed(node, index, gradient)
        done = gradients is not NULL
        if done:
            put_next(held, retain(node), gradients)
    else:
        done = deliver(backward, output, gradient)
    c.release(node)
    return done


@native
def hand_to_node(backward: Pass, node: Object, gradient: Object, held: Next) -> bool:
    """Hand a gradient to a node, which is held back if none is yet."""
    if node is held.node:
        held.gradient = joined(held.gradient, gradient)
        return held.gradient is not NULL
    if held.node is NULL and c.dict_has(backward.buffers, node) == 0:
        put_next(held, retain(node), retain(gradient))
        return True
    return deliver(backward, node, gradient)


@native
def hand_each(backward: Pass, edges: Tuple, gradients: Tuple, incoming: Object, owned: bool, held: Next) -> bool:
    """Give each gradient to its edge, but hold one node back; False where an error is set."""
    for i in range(size(edges)):
        edge, gradient, done = item(edges, i), item(gradients, i), True
        if is_tensor_anywhere(edge):
            own = owned and (gradient is not incoming or is_held(gradient, 2))  # here, and in the tuple
            done = reach(backward, cast(Tensor, edge), gradient, incoming, own)
        elif is_output(edge):
            done = hand_to_output(backward, cast(Output, edge), gradient, held)
        elif edge is not none:
            done = hand_to_node(backward, edge, gradient, held)
        if not done:
            return False
    return True


@native
def deliver_held(backward: Pass, held: Next) -> bool:
    """Let the gradients of a node that is held back wait for it; False where an error is set."""
    if held.gradient.type is not list_type:
        return deliver(backward, held.node, held.gradient)
    arguments = new(Arguments)
    arguments.items[1] = held.node
    arguments.items[2] = held.gradient
    done = method(backward, name_deliver_all, arguments, 2)
    c.release(done)
    return done is not NULL


@native
def hand_on(backward: Pass, edges: Tuple, gradients: Tuple, incoming: Object, owned: bool, following: Next) -> bool:
    """`BackwardPass.follow`: give each gradient to its edge, and note the next node if one may run at once.

    False where an error is set. The caller holds edges and gradients, and so all that is in them.
    """
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
    arguments.items[1] = edges
    arguments.items[2] = gradients
    arguments.items[3] = as_bool(owned)
    arguments.items[4] = incoming
    found = cast(Tuple, method(backward, name_follow, arguments, 4))
    if found is NULL:
        return False
    put_next(following, retain(item(found, 0)), retain(item(found, 1)))
    c.release(found)
    return True


@native
def step(backward: Pass, node: Node, gradient: Object, following: Next) -> bool:
    """Run one node, and note the next; False where an error is set."""
    found = gradients_of(node, gradient)
    if found is NULL:
        return False
    edges, fresh = retain(node.edges), gives_fresh(node)  # retained: `release` may run Python, which detaches nodes
    done = fresh >= 0 and (backward.retain is true or release_saved(node))
    if done and all_plain(edges, found):
        gradients = cast(Tuple, found)
        done = hand_on(backward, edges, gradients, gradient, fresh > 0 and all_different(gradients), following)
    elif done:
        done = hand_on_with_care(backward, edges, found, gradient, fresh > 0, following)
    c.release(edges)
    c.release(found)
    return done


@native
def walk_on(backward: Pass, following: Next) -> bool:
    """Run the node that is noted, and those after it, as far as possible here, and note the one at which Python must
    go on, and its gradient, or None; False where an error is set. What is noted is owned."""
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
