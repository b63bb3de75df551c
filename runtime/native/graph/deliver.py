"""Where gradients go: to a node that may run next, which is held back, or to those that wait in buffers and a heap."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, Stolen, atomic_xchg, cast, native
from ...compiler.language.structs import Struct
from ..objects import c_api as c
from ..objects import interned
from ..objects.interned import heap_pop, heap_push, list_type, missing_type, name_deliver, name_deliver_all, none
from ..objects.kernel_call import call_method, call_with, succeeded
from ..objects.layout import Dict, List, Node, Object, Output, Pass, Tuple
from ..objects.references import item, pair, retain
from ..objects.tensors import not_handled
from .accumulate_grad import summed


class Next(Struct):
    """The node that runs next, and its gradient; None where Python goes on. Both references are owned."""

    node: Object
    gradient: Object


@native
def deliver(backward: Pass, edge: Object, gradient: Object) -> bool:
    if edge.type is interned.output_type:
        return succeeded(call_method(backward, name_deliver, edge, gradient))
    buffers = retain(backward.buffers)
    waiting = c.dict_item(buffers, edge)
    if waiting is NULL:
        done = c.error_set() is NULL and push(backward, cast(Node, edge))
        done = done and c.set_dict_item(buffers, edge, gradient) == 0
    else:
        total = accumulated(retain(waiting), gradient)
        done = total is not NULL and c.set_dict_item(buffers, edge, total) == 0
        c.release(total)
    c.release(buffers)
    return done


@native
def push(backward: Pass, node: Node) -> bool:
    number, entry = c.new_int(-c.as_int(node.sequence)), cast(Object, NULL)
    if number is not NULL:
        entry = pair(number, node)
        c.release(number)
    if entry is NULL:
        return False
    heap = retain(backward.heap)
    done = succeeded(call_with(heap_push, heap, entry))
    c.release(heap)
    c.release(entry)
    return done


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
    node = retain(item(cast(Tuple, c.list_item(heap, 0)), 1))
    waiting = c.dict_item(buffers, node)
    if waiting is NULL or waiting.type is missing_type:
        c.release(node)
        return c.error_set() is NULL
    c.release(atomic_xchg(following, "gradient", retain(waiting)))
    c.release(atomic_xchg(following, "node", node))
    return succeeded(call_with(heap_pop, heap, NULL)) and c.delete_item(buffers, node) == 0


@native
def accumulated(first: Stolen[Object], gradient: Object) -> New[Object]:
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
def put_next(following: Next, node: Stolen[Object], gradient: Stolen[Object]) -> None:
    following.node = node
    following.gradient = gradient


@native
def listed(node: Node, index: int, gradient: Object) -> New[List]:
    number = c.attribute(node, interned.name_output_count)
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
    before = retain(c.list_item(gradients, index))
    if before is none:
        c.release(before)
        total = retain(gradient)
    else:
        total = accumulated(before, gradient)
    return total is not NULL and c.set_list_item(gradients, index, total) == 0


@native
def hand_to_output(backward: Pass, output: Output, gradient: Object, held: Next) -> bool:
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
    if node is held.node:
        held.gradient = accumulated(held.gradient, gradient)
        return held.gradient is not NULL
    if held.node is NULL and c.dict_has(backward.buffers, node) == 0:
        put_next(held, retain(node), retain(gradient))
        return True
    return deliver(backward, node, gradient)


@native
def deliver_held(backward: Pass, held: Next) -> bool:
    if held.gradient.type is not list_type:
        return deliver(backward, held.node, held.gradient)
    return succeeded(call_method(backward, name_deliver_all, held.node, held.gradient))
