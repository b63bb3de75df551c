"""The gradients of a node from a kernel of its own on a device: what `planned_gradients` does for those."""

from __future__ import annotations

from ...kernels.llvm.native_code.typed import NULL, New, cast, native, new
from ..kernel_ops.gradients import (
    PlannedGradients,
    all_fit,
    all_of,
    all_shaped,
    dtype_of_gradients,
    gradient_key_of,
    leading_gradient,
    operand_of,
)
from ..layout import Node, Object, Tensor, Tuple
from ..references import Owned, begin, own, own_new, release_all, size
from ..tensors import not_handled
from .kernel_ops import lookup_in
from .launches import (
    BLOCKS,
    OF_BLOCK,
    OF_RESULT,
    LaunchPlan,
    Sources,
    gradients_of,
    is_here,
    plan_of,
    put_operand,
    refused,
    run,
    take_blocks,
)


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
    """Make the addresses of all tensors sources; False where one no longer has the layout that stands in the key."""
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
    """The gradients in a tuple; None where nothing has been found."""
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
    return gradients_of(launches, match, size(edges), first, device, owned) if run(launches, sources) else refused()


@native
def gradients_on_device(plan: PlannedGradients, node: Node, gradient: Object) -> New[Object]:
    """The gradients for one of a device."""
    owned = new(Owned)
    begin(owned)
    result = computed_gradients(plan, node, gradient, owned)
    release_all(owned)
    return result
