"""The gradients of a node of any kind: element-wise, with a kernel that has plans, or views."""

from __future__ import annotations

from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import New, cast, native, new
from .. import c_functions as c
from ..kernel_ops.gradients import PlannedGradients, planned_gradients
from ..layout import Array, Node, Object
from ..references import Owned, begin, release_all, retain
from .gradients import BY_PLANS, BY_VIEWS, FusedPlan, GradientPlan, fused_gradients
from .view_gradients import ViewGradients, view_gradients


@native
def gradients_by(plan: GradientPlan, node: Node, value: Object) -> New[Object]:
    """The gradients in a tuple; None where this is for Python."""
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
    """gradients(node, gradient): the gradients of the node's inputs, or None where this is for the general path."""
    # From CPython 3.14 on a caller lends what a local variable holds, and counts no reference for that: the gradient
    # would seem to be nobody else's, and be written over.
    gradient = retain(arguments[1])
    result = gradients_by(cast(GradientPlan, self.memory), cast(Node, arguments[0]), gradient)
    c.release(gradient)
    return result
