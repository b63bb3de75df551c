"""Putting the result of an op into the graph: what the generated `record` of its node does."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, Stolen, atomic_xchg, cast, native
from ...compiler.language.structs import Items, Struct, capacity
from . import c_api as c
from . import interned
from .interned import constant, counter, false, float_type, inference_type, int_type, name_note, none, true, watch
from .kernel_call import call_method, call_with, succeeded
from .layout import Node, Object, Output, Tensor, Tuple, Type
from .references import Owned, item, nothing_changed, put_item, retain, set_slot, size, slot
from .tensors import meta_of, new_tensor_on, new_writes

MAX_NODE_TENSORS = 12  # tensors, and other values, that one node keeps
RESULT = -1  # as a source: the result; the ones before it are the further results
SHAPES = -1  # as a part: the shapes of a tuple of tensors


class SavedTensorSlot(Struct):
    slot: int  # the distances of its slot and of that of its count of writes
    version: int
    source: int  # its number among the operands, RESULT for the result
    needed: int  # for which edges' gradients, as bits
    alias: int  # whether a result is kept as an alias, because it is in the graph itself


class SavedValueSlot(Struct):
    slot: int
    source: int
    part: int  # 0, or the slot of the operand in which the value stands


class RecordPlan(Struct):
    type: Type
    edges: int  # how many inputs have gradients
    inputs: Items[int] = capacity(MAX_NODE_TENSORS)  # their numbers among the operands
    saved_count: int
    tensors: Items[SavedTensorSlot] = capacity(MAX_NODE_TENSORS)
    saved_values: int
    values: Items[SavedValueSlot] = capacity(MAX_NODE_TENSORS)
    elementwise: int  # whether all inputs look like the result
    listed: int  # whether the inputs are the items of the first operand
    outputs: int  # how many results; of several: which of them are differentiable, as bits,
    differentiable: int
    output_metas: int  # and the slot in which their shapes and dtypes are kept


@native
def edge_of(obj: Object) -> Object:
    """Where the gradient of a tensor goes: its node, the leaf itself, or None, also for None."""
    tensor = cast(Tensor, obj)
    if obj is none or tensor.requires_grad is not true:
        return none
    return obj if tensor.grad_fn is none else tensor.grad_fn


@native
def version_of(obj: Object) -> New[Object]:
    """0 for None; NULL for an inference tensor, of which Python knows whether it may be saved."""
    tensor = cast(Tensor, obj)
    if obj is none or tensor.version_counter is none:
        return retain(interned.zero)
    if tensor.version_counter.type is inference_type:
        return NULL
    return retain(c.list_item(tensor.version_counter, 0))


@native
def versions_of(objects: Tuple) -> New[Object]:
    versions = c.new_tuple(size(objects))
    if versions is NULL:
        return NULL
    for i in range(size(objects)):
        version = version_of(item(objects, i))
        if version is NULL:
            c.release(versions)
            return NULL
        put_item(versions, i, version)
    return versions


@native
def alias_of(result: Tensor) -> New[Tensor]:
    """A result as its node keeps it: the same memory and count of writes, without a way back."""
    version_counter = new_writes()
    if version_counter is NULL:
        return cast(Tensor, NULL)
    # Nobody but who makes it knows the result yet: its slots stay.
    c.release(atomic_xchg(result, "version_counter", version_counter))
    alias = new_tensor_on(result.device, retain(result.flat), result.shape, result.dtype)
    if alias is not NULL:
        c.release(atomic_xchg(alias, "version_counter", retain(version_counter)))
        c.release(atomic_xchg(alias, "storage", retain(result.storage)))
        c.release(atomic_xchg(alias, "strides", retain(result.strides)))
    return alias


@native
def as_tensor(operand: Object, like: Tensor) -> New[Object]:
    """The value that a node keeps of an operand: itself, or the 0-d tensor that stands for a number."""
    a_number = operand.type is float_type or operand.type is int_type
    return call_with(constant, operand, like.dtype) if a_number else retain(operand)


@native
def count_of(plan: RecordPlan, arguments: Items[Object]) -> int:
    return size(cast(Tuple, arguments[0])) if plan.listed else plan.edges


@native
def input_of(plan: RecordPlan, arguments: Items[Object], i: int) -> Object:
    return item(cast(Tuple, arguments[0]), i) if plan.listed else arguments[plan.inputs[i]]


@native
def edges_of(plan: RecordPlan, arguments: Items[Object], is_number: bool) -> tuple[Tuple, int]:
    """The edges of the inputs, a new reference, as bits which inputs have any; (NULL, 0) without memory."""
    count, there = count_of(plan, arguments), 0
    edges = c.new_tuple(count)
    if edges is NULL:
        return edges, there
    for i in range(count):
        obj = input_of(plan, arguments, i)
        a_number = is_number and (obj.type is float_type or obj.type is int_type)
        edge = none if a_number else edge_of(obj)
        put_item(edges, i, retain(edge))
        # All items of a list are one input.
        there |= (edge is not none) << (0 if plan.listed else i)
    return edges, there


@native
def metas_of(plan: RecordPlan, arguments: Items[Object]) -> New[Tuple]:
    """Which shapes and dtypes the gradients of the inputs must have; None for numbers in the place of tensors."""
    count = count_of(plan, arguments)
    metas = c.new_tuple(count)
    if metas is NULL:
        return NULL
    for i in range(count):
        obj = input_of(plan, arguments, i)
        value = obj is not none and obj.type is not float_type and obj.type is not int_type
        meta = meta_of(cast(Tensor, obj)) if value else retain(none)
        if meta is NULL:
            c.release(metas)
            return cast(Tuple, NULL)
        put_item(metas, i, meta)
    return metas


@native
def result_of(plan: RecordPlan, result: Object, i: int) -> Tensor:
    return cast(Tensor, result if plan.outputs == 1 else item(cast(Tuple, result), i))


@native
def keep(plan: RecordPlan, node: Node, there: int, result: Object, arguments: Items[Object]) -> bool:
    for i in range(plan.saved_count):
        saved_count = plan.tensors[i]
        if saved_count.needed & there == 0:
            set_slot(node, saved_count.slot, retain(none))
            continue
        if saved_count.source > RESULT:
            tensor = as_tensor(arguments[saved_count.source], result_of(plan, result, 0))
        else:
            output = result_of(plan, result, RESULT - saved_count.source)
            tensor = alias_of(output) if saved_count.alias else retain(output)
        if tensor is NULL:
            return False
        # Read first: to count a write replaces this object.
        version = versions_of(cast(Tuple, tensor)) if tensor.type is interned.tuple_type else version_of(tensor)
        if version is NULL:
            c.release(tensor)
            return False
        set_slot(node, saved_count.version, version)
        set_slot(node, saved_count.slot, tensor)
    return True


@native
def value_of(operand: Object, part: int) -> New[Object]:
    """The value that a node keeps of an operand: itself, one of its slots, or the shapes of tensors in a tuple."""
    if part != SHAPES:
        return retain(slot(operand, part) if part and operand is not none else operand)
    count = size(cast(Tuple, operand))
    shapes = c.new_tuple(count)
    for i in range(count if shapes is not NULL else 0):
        put_item(shapes, i, retain(cast(Tensor, item(cast(Tuple, operand), i)).shape))
    return shapes


@native
def put_behind(tensor: Tensor, edge: Stolen[Object]) -> None:
    # Exchanged first: the release may run Python, which sees a whole tensor.
    c.release(atomic_xchg(tensor, "grad_fn", edge))
    c.release(atomic_xchg(tensor, "requires_grad", retain(true)))


@native
def put_outputs(plan: RecordPlan, node: Node, results: Tuple) -> bool:
    metas = c.new_tuple(plan.outputs)
    if metas is NULL:
        return False
    set_slot(node, plan.output_metas, metas)
    for i in range(plan.outputs):
        tensor = cast(Tensor, item(results, i))
        meta = meta_of(tensor)
        if meta is NULL:
            return False
        put_item(metas, i, meta)
        if plan.differentiable >> i & 1:
            output = new_output(node, i)
            if output is NULL:
                return False
            put_behind(tensor, output)
    return True


@native
def new_output(node: Node, number: int) -> New[Output]:
    output = cast(Output, c.allocate(interned.output_type, 0))
    index = NULL if output is NULL else c.new_int(number)
    if index is NULL:
        c.release(output)
        return NULL
    output.index = index
    output.node = retain(node)
    return output


@native
def fill(
    plan: RecordPlan, node: Node, result: Object, arguments: Items[Object], is_number: bool, broadcasts: bool
) -> bool:
    """Give a new node its slots; False where an error is set, or no input needs a gradient any more."""
    edges, there = edges_of(plan, arguments, is_number)
    node.edges = edges  # before anything can fail: a node that is released visits its slots
    # No edges: another thread made the inputs need no gradients while the op ran, so it is not recorded after all.
    if edges is NULL or there == 0 or not keep(plan, node, there, result, arguments):
        return False
    node.hooks = retain(none)
    metas = cast(Tuple, retain(none)) if plan.elementwise and not broadcasts else metas_of(plan, arguments)
    node.metas = metas
    if metas is NULL:
        return False
    for i in range(plan.saved_values):
        saved_count = plan.values[i]
        value = value_of(arguments[saved_count.source], saved_count.part)
        if value is NULL:
            return False
        set_slot(node, saved_count.slot, value)
    number = c.next_of(counter)  # after its inputs' nodes have theirs: newer nodes run first in backward
    node.sequence = number
    return number is not NULL


@native
def record(
    plan: RecordPlan, result: Object, arguments: Items[Object], is_number: bool, broadcasts: bool, owned: Owned
) -> bool:
    """False where there is no memory, or the inputs have changed meanwhile.

    The caller holds the result, or the tuple of several, which nobody else knows yet, and the arguments."""
    node = cast(Node, c.allocate(plan.type, 0))
    if node is NULL:
        return False
    if not fill(plan, node, result, arguments, is_number, broadcasts) or not nothing_changed(owned):
        c.release(node)  # slots that are still empty count as deleted
        return False
    done = True
    if plan.outputs == 1:
        put_behind(cast(Tensor, result), node)
    else:
        done = put_outputs(plan, node, cast(Tuple, result))  # the outputs hold the node from now on
        c.release(node)
    silent = watch.saving is false or plan.saved_count == 0
    return done and (silent or succeeded(call_method(watch, name_note, result, NULL)))
