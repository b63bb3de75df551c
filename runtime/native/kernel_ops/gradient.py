"""The gradients of a node from a kernel with plans: what its `apply` does where nothing is recorded."""

from __future__ import annotations

from ...compiler.language.call_abi import call_native
from ...compiler.language.functions import NULL, New, address_of, cast, native, new
from ...compiler.language.memory import INTEGERS, is_float, is_half
from ...compiler.language.structs import Items, Struct, capacity
from ..elementwise.broadcast import has_layout
from ..elementwise.gradient import GradientPlan, output_mask_of, unwritten, with_rows
from ..elementwise.operands import is_on_other_device
from ..objects import c_api as c
from ..objects.interned import bool_, cpu, device_functions, float32, int64, list_type, none, tuple_type
from ..objects.layout import Array, Dict, List, Node, Object, Tensor, Tuple
from ..objects.references import Owned, item, own, own_new, put_item, retain, size, slot
from ..objects.tensors import is_tensor_anywhere, kind_of, not_handled, records, refused, same
from . import kernel_op
from .general import MAX_OPERANDS, CallPlan, Operands, note_none, note_operand, run_plan
from .kernel_op import INDEX, MAX_INDICES, TENSOR, is_integer_index, is_operand, looked_up, may_be_key, note_index

OUTPUT_MASK, GRADIENT, SAVED, RAW, INDICES, VALUE = (ord(arg_kind) for arg_kind in "wgkriv")
ALONE, ALL = -1, -2  # the one output, or each of several, has a gradient
MAX_EDGES = 63  # of a node: as many as a word has bits that say which gradients are wanted, beside its sign


class Read(Struct):
    """An operand: of a saved tensor its slot and that of its count of writes; of a gradient its output's number."""

    arg_kind: int
    slot: int
    version: int


class PlannedGradients(GradientPlan):
    listed: int  # ALONE; or which of several outputs has a gradient, for then they come in a list; or ALL
    of_any_layout: int  # whether a gradient that is one number for all elements stays that
    cached: Dict  # the plans found, or NULL: there are none on the host
    cached_bfloat16: Dict  # those for this dtype
    cached_float16: Dict
    device: Dict  # by dtypes, what is launched for a gradient of a device
    layouts: int  # how many operands are tensors
    operands: int  # how many operands
    reads: Items[Read] = capacity(MAX_OPERANDS)


@native
def matches_saved_value(node: Node, read: Read, dtype: Object, position: Object) -> bool:
    """Unwritten, and of this dtype, an index or float32 beside 16-bit floats, or of any on a device; or None."""
    obj = slot(node, read.slot)
    if obj is none:
        return True
    if not is_operand(obj, TENSOR, NULL, position) or not unwritten(cast(Tensor, obj), slot(node, read.version)):
        return False
    own_dtype = cast(Tensor, obj).dtype
    if read.arg_kind == RAW and position is cpu:
        return own_dtype is int64 or (own_dtype is bool_ and is_integer_index(obj))
    wide = own_dtype is float32 and is_half(kind_of(dtype))
    return own_dtype is dtype or own_dtype is int64 or wide or position is not cpu


@native
def indices_of(node: Node, read: Read) -> Tuple:
    """The indices that a node keeps in a tuple, on the host, unwritten; NULL where they are something else."""
    saved_count, counts = slot(node, read.slot), slot(node, read.version)
    if saved_count.type is not tuple_type or counts.type is not tuple_type:
        return cast(Tuple, NULL)
    indices, versions = cast(Tuple, saved_count), cast(Tuple, counts)
    if size(indices) > MAX_INDICES or size(versions) != size(indices):
        return cast(Tuple, NULL)
    for i in range(size(indices)):
        index = item(indices, i)
        if index is none:
            continue
        if not is_operand(index, INDEX, NULL, cpu) or not unwritten(cast(Tensor, index), item(versions, i)):
            return cast(Tuple, NULL)
    return indices


@native
def operand_of(node: Node, read: Read, gradient: Object) -> Object:
    """The tensor that an operand is; NULL where it is none. Several gradients are in a tuple."""
    if read.arg_kind == GRADIENT:
        return item(cast(Tuple, gradient), read.slot) if gradient.type is tuple_type else gradient
    return slot(node, read.slot) if read.arg_kind == SAVED or read.arg_kind == RAW else cast(Object, NULL)


@native
def all_fit(plan: PlannedGradients, node: Node, dtype: Object, position: Object) -> bool:
    for i in range(plan.operands):
        read = plan.reads[i]
        if (read.arg_kind == SAVED or read.arg_kind == RAW) and not matches_saved_value(node, read, dtype, position):
            return False
        if read.arg_kind == INDICES and (position is not cpu or indices_of(node, read) is NULL):
            return False
    return True


@native
def key_length(plan: PlannedGradients, node: Node) -> int:
    """The indices have been found to fit."""
    length = plan.operands + plan.layouts
    for i in range(plan.operands):
        if plan.reads[i].arg_kind == INDICES:
            length += 2 * size(indices_of(node, plan.reads[i])) - 1
    return length


@native
def gradient_key_of(
    plan: PlannedGradients, node: Node, gradient: Object, dtype: Object, position: Object
) -> New[Tuple]:
    at, key = 0, c.new_tuple(key_length(plan, node))
    if key is NULL:
        return NULL
    # To make it, the collector may have run, and Python: what the node keeps may have been released, or written to.
    if not all_fit(plan, node, dtype, position) or size(key) != key_length(plan, node):
        c.release(key)
        return cast(Tuple, NULL)
    for i in range(plan.operands):
        read = plan.reads[i]
        if read.arg_kind in (GRADIENT, SAVED, RAW):
            obj = operand_of(node, read, gradient)
            if read.arg_kind == RAW:
                kernel_op.put_index(key, at, obj)
            else:
                kernel_op.put_layout(key, at, obj)
            at += 2
            continue
        if read.arg_kind == INDICES:
            at = kernel_op.put_layouts(key, at, indices_of(node, read))
            continue
        saved_count = slot(node, read.slot) if read.arg_kind == VALUE else none
        value = c.new_int(output_mask_of(node.edges)) if read.arg_kind == OUTPUT_MASK else retain(saved_count)
        if value is not NULL and not may_be_key(value):
            c.release(value)
            value = cast(Object, NULL)
        if value is NULL:
            c.release(key)
            return cast(Tuple, NULL)
        put_item(key, at, value)
        at += 1
    return key


@native
def note_all(
    plan: PlannedGradients,
    node: Node,
    gradient: Object,
    input_kind: int,
    key: Tuple,
    result: Tuple,
    operands: Operands,
    owned: Owned,
) -> bool:
    """Note and own the memory of all operands; False where one no longer has the layout that stands in the key."""
    calls, position = cast(CallPlan, cast(Array, item(result, 0)).memory), 0
    for i in range(plan.operands):
        if plan.reads[i].arg_kind == INDICES:  # the last operand
            return kernel_op.note_indices(calls, operands, i, indices_of(node, plan.reads[i]), key, position, owned)
        obj = operand_of(node, plan.reads[i], gradient)
        if plan.reads[i].arg_kind == RAW:
            if not note_index(calls, operands, i, obj, key, position, owned):
                return False
        elif obj is none:
            note_none(operands, i, input_kind)
        elif obj is not NULL:
            tensor = cast(Tensor, obj)
            kind = kind_of(tensor.dtype)
            if kind != INTEGERS and kind != (0 if calls.singles >> i & 1 else input_kind):
                return False
            if not has_layout(tensor, key, position) or not note_operand(calls, operands, i, tensor, kind, owned):
                return False
        position += 1 if obj is NULL else 2
    return True


@native
def all_of(metas: Tuple, dtype: Object) -> bool:
    for i in range(size(metas)):
        meta = item(metas, i)
        if meta is not none and item(cast(Tuple, meta), 1) is not dtype:
            return False
    return True


@native
def all_shaped(result: Tuple, first: int, step: int, metas: Tuple) -> bool:
    """A key has layouts of kept tensors alone. The first shape is `result[first]`, others follow by `step`."""
    for i in range(size(metas)):
        meta, shape = item(metas, i), item(result, first + step * i)
        if meta is not none and shape is not none and not same(item(cast(Tuple, meta), 0), shape):
            return False
    return True


@native
def gradient_of(plan: PlannedGradients, value: Object, owned: Owned) -> Object:
    """The gradient of the one output that has one; of several outputs all of them in a tuple, NULL without memory."""
    if plan.listed == ALONE:
        return own(owned, value)
    if plan.listed != ALL:
        return own(owned, c.list_item(cast(List, value), plan.listed))
    return own_new(owned, c.as_tuple(cast(List, value))) if value.type is list_type else own(owned, value)


@native
def leading_gradient(plan: PlannedGradients, gradient: Object) -> Object:
    for i in range(plan.operands):
        read = plan.reads[i]
        if read.arg_kind != GRADIENT or (gradient.type is tuple_type and read.slot >= size(cast(Tuple, gradient))):
            continue
        obj = operand_of(cast(Node, NULL), read, gradient)
        if is_tensor_anywhere(obj):
            return obj
    return cast(Object, NULL)


@native
def dtype_of_gradients(plan: PlannedGradients, gradient: Object, position: Object) -> Object:
    dtype = cast(Object, NULL)
    for i in range(plan.operands):
        read = plan.reads[i]
        if read.arg_kind == GRADIENT:
            if plan.listed == ALL and read.slot >= size(cast(Tuple, gradient)):
                return cast(Object, NULL)
            obj = operand_of(cast(Node, NULL), read, gradient)
            if plan.listed == ALL and obj is none:
                continue
            if not is_operand(obj, TENSOR, dtype, position):
                return cast(Object, NULL)
            dtype = cast(Tensor, obj).dtype
    return dtype


@native
def planned_gradients(plan: PlannedGradients, node: Node, value: Object, owned: Owned) -> New[Object]:
    operands, recorded = new(Operands), records()
    # Owned: a list below, and `records`, may run Python.
    edges, metas = own(owned, node.edges), own(owned, node.metas)
    gradient = gradient_of(plan, value, owned)
    if gradient is not NULL and recorded == 0 and not plan.of_any_layout:
        gradient = with_rows(gradient, owned)
    if gradient is NULL:
        return NULL
    if metas is none or size(edges) > MAX_EDGES or (plan.listed == ALL) != (gradient.type is tuple_type):
        return not_handled()
    if recorded != 0:
        return NULL if recorded < 0 else not_handled()
    leading = leading_gradient(plan, gradient)
    if leading is not NULL and is_on_other_device(leading) and device_functions.planned_gradients != 0:
        function = device_functions.planned_gradients
        return cast(Object, call_native(function, address_of(plan), address_of(node), address_of(gradient)))
    dtype = cast(Object, NULL) if plan.cached is NULL else dtype_of_gradients(plan, gradient, cpu)
    kind = kind_of(dtype)
    if dtype is NULL or not is_float(kind) or not all_of(metas, dtype):
        return not_handled()
    if not all_fit(plan, node, dtype, cpu):  # what was released is no tensor, and has no layout to look up
        return not_handled()
    key = own_new(owned, gradient_key_of(plan, node, gradient, dtype, cpu))
    if key is NULL:
        return refused()
    result = looked_up(kernel_op.table_for(plan.cached, plan.cached_bfloat16, plan.cached_float16, kind), key)
    if result is NULL:
        return not_handled()
    own(owned, result)  # which the table may forget
    if not all_shaped(result, 1, 1, metas):
        return not_handled()
    # Again, after the key was made.
    if not all_fit(plan, node, dtype, cpu) or not note_all(plan, node, gradient, kind, key, result, operands, owned):
        return not_handled()
    results = run_plan(result, size(edges), kind, operands)
    return refused() if results is NULL else results
