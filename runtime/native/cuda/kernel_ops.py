"""Ops with kernels of their own on a device, and their gradients: all launches for a call's layouts and arguments."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.structs import Items
from ..kernel_ops import kernel_op
from ..kernel_ops.gradient import (
    PlannedGradients,
    all_fit,
    all_of,
    all_shaped,
    dtype_of_gradients,
    gradient_key_of,
    leading_gradient,
    operand_of,
)
from ..kernel_ops.kernel_op import TENSORS, KernelOpPlan, common_dtype, items_of, key_of, leading_of, listed_operands
from ..objects import c_api as c
from ..objects.kernel_call import Arguments
from ..objects.layout import Dict, Node, Object, Tensor, Tuple
from ..objects.references import Owned, begin, item, own, own_new, release_all, size
from ..objects.tensors import not_handled, refused, withdrawn
from .launch import (
    BLOCKS,
    OF_BLOCK,
    OF_RESULT,
    LaunchPlan,
    Sources,
    holds,
    is_here,
    plan_of,
    put_operand,
    result_of,
    results_of,
    run,
    take_blocks,
)


@native
def lookup_in(tables: Dict, dtype: Object, key: Tuple, owned: Owned) -> Tuple:
    """What was found for a dtype and a key, owned; NULL where nothing was for this driver and stream."""
    table = cast(Dict, NULL) if key is NULL else cast(Dict, c.dict_item(tables, dtype))
    result = cast(Tuple, NULL) if table is NULL else kernel_op.looked_up(table, key)
    if result is NULL or not holds(plan_of(result)):
        return cast(Tuple, NULL)
    return own(owned, result)  # which the table may forget


@native
def put_all(
    plan: KernelOpPlan,
    launches: LaunchPlan,
    key: Tuple,
    value: Arguments,
    dtype: Object,
    device: Object,
    sources: Sources,
    owned: Owned,
) -> bool:
    position = 0
    for j in range(listed_operands(plan, value)):  # no tensor follows
        if not put_operand(launches, j, item(items_of(value), j), key, position, sources, owned):
            return False
        position += 2
    for i in range(plan.operands):
        arg_kind, argument = plan.arg_kinds[i], value.items[i]
        if arg_kind not in TENSORS:
            position += 1
            continue
        if not put_operand(launches, i, argument, key, position, sources, owned):
            return False
        position += 2
    return common_dtype(plan, value, device) is dtype


@native
def computed(plan: KernelOpPlan, arguments: Items[Object], owned: Owned) -> New[Object]:
    value, sources = new(Arguments), new(Sources)
    leading = leading_of(plan, arguments)
    if not is_here(leading):
        return not_handled()
    device = own(owned, cast(Tensor, leading).device)
    if not kernel_op.take_arguments(plan, arguments, value, owned):
        return refused()
    dtype = common_dtype(plan, value, device)
    if dtype is NULL:
        return refused()
    key = own_new(owned, key_of(plan, value))
    match = lookup_in(plan.device, dtype, key, owned)
    if match is NULL:
        return refused()
    launches = plan_of(match)
    first = take_blocks(launches, match, sources, owned)
    if first < 0:
        return NULL
    if not put_all(plan, launches, key, value, dtype, device, sources, owned) or not run(launches, sources):
        return refused()
    if plan.outputs == 1:
        result = result_of(launches, match, 0, first, device, owned)
    else:
        result = cast(Object, results_of(launches, match, plan.outputs, first, device, owned))
    behind = BLOCKS + OF_BLOCK * launches.blocks + OF_RESULT * plan.outputs
    if result is not NULL and not kernel_op.recorded(plan, match, behind, result, value, owned):
        return withdrawn(result)
    return result


@native
def launch_on_device(plan: KernelOpPlan, arguments: Items[Object], count: int) -> New[Object]:
    owned = new(Owned)
    begin(owned)
    result = computed(plan, arguments, owned)
    release_all(owned)
    return result


@native
def put_all_of_gradient(
    plan: PlannedGradients,
    launches: LaunchPlan,
    node: Node,
    gradient: Object,
    key: Tuple,
    sources: Sources,
    owned: Owned,
) -> bool:
    position = 0
    for i in range(plan.operands):
        obj = operand_of(node, plan.reads[i], gradient)
        if obj is NULL:
            position += 1
            continue
        if not put_operand(launches, i, obj, key, position, sources, owned):
            return False
        position += 2
    return True


@native
def computed_gradients(plan: PlannedGradients, node: Node, value: Object, owned: Owned) -> New[Object]:
    sources, leading = new(Sources), leading_gradient(plan, value)
    if leading is NULL or not is_here(leading):
        return not_handled()
    edges, device = own(owned, node.edges), own(owned, cast(Tensor, leading).device)
    dtype = dtype_of_gradients(plan, value, device)
    if dtype is NULL:
        return not_handled()
    own(owned, dtype)
    if not all_of(node.metas, dtype) or not all_fit(plan, node, dtype, device):
        return not_handled()
    key = own_new(owned, gradient_key_of(plan, node, value, dtype, device))
    match = lookup_in(plan.device, dtype, key, owned)
    if match is NULL:
        return refused()
    launches = plan_of(match)
    metas = own(owned, node.metas)
    if not all_shaped(match, BLOCKS + OF_BLOCK * launches.blocks, OF_RESULT, metas):
        return not_handled()
    first = take_blocks(launches, match, sources, owned)
    if first < 0:
        return NULL
    # Again, after Python may have run.
    if not all_fit(plan, node, dtype, device) or not put_all_of_gradient(
        plan, launches, node, value, key, sources, owned
    ):
        return not_handled()
    return results_of(launches, match, size(edges), first, device, owned) if run(launches, sources) else refused()


@native
def gradients_on_device(plan: PlannedGradients, node: Node, gradient: Object) -> New[Object]:
    owned = new(Owned)
    begin(owned)
    result = computed_gradients(plan, node, gradient, owned)
    release_all(owned)
    return result
