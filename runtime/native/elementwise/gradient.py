"""The gradients of an element-wise node by one fused kernel, and sums of them for inputs that were broadcast."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, call_native, put_array
from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import BOOL, FLOATS, is_float, is_half, itemsize, number_at
from ...compiler.language.structs import Items, Struct, capacity
from ..objects import c_api as c
from ..objects.convert import as_kind
from ..objects.interned import cpu, device_functions, fit_gradient, float_type, in_rows, int_type, none
from ..objects.kernel_call import call_with, kernel_address, put_object, run_kernel
from ..objects.layout import Array, Dict, Float, Node, Object, Tensor, Tuple
from ..objects.references import Owned, is_held, item, own, own_new, put_item, retain, size, slot, swap_item
from ..objects.strided import MAX_COPIED, broadcast_to, count_of, gathered_array, is_one_number, large_count, standing
from ..objects.tensors import (
    dtype_of,
    elements,
    holds_kind,
    is_tensor,
    is_tensor_anywhere,
    kind_of,
    new_flat,
    new_tensor,
    not_handled,
    records,
    same,
)

MAX_NODE_TENSORS = 4  # saved tensors that one kernel reads, and room for numbers
MAX_SAVED_TENSORS = 12  # tensors that a node saves
MAX_CASES = 3  # sets of wanted gradients, of two inputs
HANDS_ON, HANDS_ON_AT_ONE, BY_PLANS, BY_VIEWS = 1, 2, 3, 4  # see GradientPlan.kind


class SavedTensor(Struct):
    """The distances of its slot and of that of its count of writes."""

    slot: int
    version: int


class FusedKernel(Struct):
    saved: int  # how many saved tensors it reads
    tensors: Items[SavedTensor] = capacity(MAX_NODE_TENSORS)
    masks: int  # bit i: saved tensor i is a mask of bools
    number: int  # which of them may be one number instead, -1 for none
    numbers: int  # how many numbers it reads; their slots
    number_slots: Items[int] = capacity(MAX_NODE_TENSORS)
    resolver: Object  # finds kernels: see plans.py
    kernels: Items[int] = capacity(2 * FLOATS)  # for each kind of floats, then the same with that number
    device: Dict  # the launches found, for tensors of a device


class GradientPlan(Struct):
    # HANDS_ON: every gradient is that of the result; HANDS_ON_AT_ONE: it is where a number is 1; BY_PLANS; BY_VIEWS; 0
    kind: int
    number_slot: int  # of that number
    saved: int  # how many tensors it saves; their slots
    slots: Items[int] = capacity(MAX_SAVED_TENSORS)


class FusedPlan(GradientPlan):
    """A kernel for each set of wanted gradients, as bits."""

    cases: Items[FusedKernel] = capacity(MAX_CASES)


class Incoming(Struct):
    """The gradient that a node was given; what is read of it is owned."""

    gradient: Tensor
    flat: Array  # its elements, side by side; or STANDING times one of them, which stands for all
    stands: int  # whether it does
    count: int  # how many elements the gradient has
    shape: Tuple
    kind: int
    edges: Tuple
    metas: Tuple  # shapes and dtypes of inputs that are not all like the result; NULL where they are


@native
def output_mask_of(edges: Tuple) -> int:
    """Bit i: the gradient of input i is wanted."""
    result = 0
    for i in range(size(edges)):
        result |= (item(edges, i) is not none) << i
    return result


@native
def fitted(gradient: Tensor, meta: Tuple, owned: Owned) -> New[Object]:
    if same(item(meta, 0), gradient.shape):
        if item(meta, 1) is gradient.dtype:
            return retain(gradient)
        result = as_kind(gradient, kind_of(item(meta, 1)), owned) if is_tensor(gradient) else not_handled()
        if result is not none:
            return result
        c.release(result)
    return call_with(fit_gradient, gradient, meta)


@native
def with_rows(gradient: Object, owned: Owned) -> Object:
    """An expanded number is copied into rows, owned. NULL where an error is set."""
    if not is_tensor(gradient) or not is_one_number(cast(Tensor, gradient)):
        return gradient
    return own_new(owned, call_with(in_rows, gradient, NULL))


@native
def handed_on(gradient: Tensor, output_mask: int, count: int, metas: Tuple, owned: Owned) -> New[Object]:
    results = c.new_tuple(count)
    if results is NULL:
        return NULL
    for i in range(count):
        if output_mask >> i & 1 == 0:
            value = retain(none)
        else:
            value = retain(gradient) if metas is none else fitted(gradient, cast(Tuple, item(metas, i)), owned)
        if value is NULL:
            c.release(results)
            return NULL
        put_item(results, i, value)
    return results


@native
def only_hands_on(plan: GradientPlan, node: Node) -> bool:
    if plan.kind != HANDS_ON_AT_ONE:
        return plan.kind == HANDS_ON
    number = slot(node, plan.number_slot)
    if number.type is int_type:
        return c.as_double(number) == 1.0
    return number.type is float_type and cast(Float, number).value == 1.0


@native
def unwritten(tensor: Tensor, version: Object) -> bool:
    return tensor.version_counter is none or same(c.list_item(tensor.version_counter, 0), version)


@native
def saved_array(kernel: FusedKernel, node: Node, i: int, kind: int, incoming: Incoming, owned: Owned) -> Array:
    """The flat array of a saved tensor, owned, or of its elements packed, or broadcast to the gradient's shape.

    NULL where something was written to it, or it is gone or hidden."""
    saved = kernel.tensors[i]
    obj, version = slot(node, saved.slot), slot(node, saved.version)
    if not is_tensor(obj) or not unwritten(cast(Tensor, obj), version):
        return cast(Array, NULL)
    tensor = cast(Tensor, own(owned, obj))  # other threads may release what the node saved
    alone = kernel.number == i and count_of(tensor.shape) == 1
    spreads = (kind == BOOL or (incoming.metas is not NULL and not alone)) and not same(tensor.shape, incoming.shape)
    if tensor.flat is none or spreads:
        own(owned, version)
        flat = broadcast_to(tensor, kind, incoming.shape, owned) if spreads else gathered_array(tensor, kind, owned)
        return flat if unwritten(tensor, version) else cast(Array, NULL)  # still, as when they were read
    fits = kind_of(tensor.dtype) == kind and holds_kind(tensor.flat, kind)
    return own(owned, tensor.flat) if fits else cast(Array, NULL)


@native
def prepared(kernel: FusedKernel, node: Node, incoming: Incoming, frame: CallFrame, owned: Owned) -> int:
    """The number of arrays, negative with a number instead of one saved tensor, or 0 for the general path."""
    flat, kind, arrays, numbers = incoming.flat, incoming.kind, 1, 0
    put_array(frame, 0, flat.memory, 0 if incoming.stands else itemsize(kind))
    for i in range(kernel.saved):
        own_kind = BOOL if kernel.masks >> i & 1 else kind
        result = saved_array(kernel, node, i, own_kind, incoming, owned)
        if result is NULL:
            return 0
        memory = result.memory
        if elements(result) == incoming.count:
            put_array(frame, arrays, memory, itemsize(own_kind))
            arrays += 1
        elif kernel.number == i and elements(result) == 1:
            frame.numbers[0] = number_at(memory, kind)
            numbers = 1
        else:
            return 0
    for i in range(kernel.numbers):
        if not put_object(frame, numbers + i, slot(node, kernel.number_slots[i])):
            return 0
    return -arrays if numbers else arrays


@native
def match_elements(incoming: Incoming, owned: Owned) -> bool:
    """The gradient's elements, owned: its own, those of a small one packed, or the number that a large one repeats."""
    gradient, kind = incoming.gradient, incoming.kind
    incoming.stands = 0
    if gradient.flat is not none:
        incoming.flat = own(owned, gradient.flat)
    else:
        incoming.flat = standing(gradient, kind, owned)
        incoming.stands = int(incoming.flat is not NULL)
        if not incoming.stands:
            incoming.flat = gathered_array(gradient, kind, owned)
    if incoming.flat is NULL or not holds_kind(incoming.flat, kind):
        return False
    incoming.count = large_count(incoming.shape) if incoming.stands else elements(incoming.flat)
    return incoming.count >= 0


@native
def is_spare(gradient: Tensor, flat: Array, output_mask: int) -> bool:
    """Whether one gradient is wanted, and may be written over the one that came, which only who calls holds."""
    alone = gradient.base is none and gradient.array is none
    own_flat = gradient.flat is flat and gradient.storage is flat
    # The array is held by the gradient, as flat and as storage, and by `fused`.
    return output_mask & (output_mask - 1) == 0 and is_held(gradient, 1) and own_flat and is_held(flat, 3) and alone


@native
def new_gradient(incoming: Incoming, spare: bool) -> New[Tensor]:
    if spare:
        return retain(incoming.gradient)
    flat = new_flat(incoming.count, incoming.kind)
    return cast(Tensor, NULL) if flat is NULL else new_tensor(flat, incoming.shape, dtype_of(incoming.kind))


@native
def computed(fused_kernel: FusedKernel, node: Node, incoming: Incoming, owned: Owned) -> New[Object]:
    frame, kind, count = new(CallFrame), incoming.kind, size(incoming.edges)
    output_mask = output_mask_of(incoming.edges)
    arrays = prepared(fused_kernel, node, incoming, frame, owned)
    if arrays == 0:
        return not_handled()
    kernel = kernel_address(fused_kernel.kernels, kind + FLOATS * (arrays < 0), fused_kernel.resolver)
    results, position = NULL if kernel == 0 else c.new_tuple(count), abs(arrays)
    if results is NULL:
        return NULL
    spare = is_spare(incoming.gradient, incoming.flat, output_mask)
    for i in range(count):
        if output_mask >> i & 1 == 0:
            put_item(results, i, retain(none))
            continue
        result = new_gradient(incoming, spare)
        if result is NULL:
            c.release(results)
            return NULL
        put_item(results, i, result)
        put_array(frame, position, result.flat.memory, itemsize(kind))
        position += 1
    # Element i is read before it is written: `spare` is safe.
    run_kernel(kernel, position, incoming.count, frame)
    if incoming.metas is not NULL and not all_fitted(results, incoming.metas, owned):
        c.release(results)
        return cast(Object, NULL)
    return results


@native
def all_fitted(results: Tuple, metas: Tuple, owned: Owned) -> bool:
    for i in range(size(results)):
        if item(results, i) is not none:
            result = fitted(cast(Tensor, item(results, i)), cast(Tuple, item(metas, i)), owned)
            if result is NULL:
                return False
            c.release(swap_item(results, i, result))
    return True


@native
def fused_gradients(plan: FusedPlan, node: Node, value: Object, owned: Owned) -> New[Object]:
    recorded = records()
    if recorded != 0:
        return NULL if recorded < 0 else not_handled()
    if not is_tensor_anywhere(value):
        return not_handled()
    gradient, incoming = cast(Tensor, value), new(Incoming)
    kind, shape = kind_of(gradient.dtype), own(owned, gradient.shape)  # kernels are looked up: Python may run
    edges, metas = own(owned, node.edges), own(owned, node.metas)
    output_mask = output_mask_of(edges)
    if output_mask == 0 or only_hands_on(plan, node):  # as for add: no kernel and no memory
        if metas is not none:  # for inputs of several shapes
            gradient = cast(Tensor, with_rows(gradient, owned))
        return NULL if gradient is NULL else handed_on(gradient, output_mask, size(edges), metas, owned)
    if gradient.device is not cpu and metas is none and gradient.flat is not none:
        function = device_functions.gradients
        if function == 0:
            return not_handled()
        return cast(Object, call_native(function, address_of(plan), address_of(node), address_of(value)))
    if gradient.device is not cpu or not is_float(kind):
        return not_handled()
    # Python takes no longer to sum many elements, and adds up those of 16 bits before it rounds them.
    if metas is not none and (is_half(kind) or count_of(shape) > MAX_COPIED):
        return not_handled()
    incoming.metas = cast(Tuple, NULL if metas is none else metas)
    incoming.gradient, incoming.shape, incoming.kind, incoming.edges = gradient, shape, kind, edges
    if not match_elements(incoming, owned):
        return not_handled()
    return computed(plan.cases[output_mask - 1], node, incoming, owned)
