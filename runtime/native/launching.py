"""The native functions of an op; where native code is not supported, what answers None in their place."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..kernels.loading import load_compiler


def never(*arguments: Any) -> None:
    """In the place of a native function where there is none: the general path is for every call."""


def supported() -> bool:
    """Whether there are native functions here, whose compiler is then loaded."""
    from .layout import supported

    if found := supported():
        load_compiler()
    return found


def native_function(op: Any, name: str) -> Any:
    """An element-wise op's `launch(*tensors, *numbers)`, `launch_in_place` or `gradients(node, gradient)`."""
    if not supported():
        return never
    from . import forward, plans
    from .builtins import builtin
    from .node_gradients import gradients
    from .world import node_plans

    doc = f"{op.name} of contiguous tensors of one shape and native dtype; None for all others."
    if name == "gradients":
        if not plans.has_room_backward(op.node):
            return never
        plan = node_plans[op.node] = plans.gradient_plan(op.node)
        return builtin(gradients, plan, doc)
    return builtin(getattr(forward, name), plans.forward_plan(op), doc) if plans.has_room(op) else never


def view_function(op: Any) -> Any:
    """A view op's `launch(tensor, *arguments)`."""
    if not supported():
        return never
    from .builtins import builtin
    from .plans import view_plan
    from .views import launch_view

    return builtin(launch_view, view_plan(op), f"{op.name} of a tensor whose layout it has seen; None for others.")


def written_rows(plan: Any, count: int) -> Any:
    """Rows as words that native code reads."""
    from .plans import rows_plan

    return rows_plan(plan, count)


@functools.cache
def item_getter() -> Any:
    """getitem(x, key): a view that has been found before."""
    if not supported():
        return never
    from .builtins import builtin
    from .getitem import getitem
    from .plans import getitem_plan

    return builtin(
        getitem, getitem_plan(), "x[key] for ints and slices; None where select and slice have yet to find it."
    )


def structured_function(op: Any) -> Any:
    """A structured op's `launch(*arguments)`."""
    if not supported():
        return never
    from .builtins import builtin
    from .plans import structured_plan
    from .structured import launch

    return builtin(launch, structured_plan(op), f"{op.name} of tensors whose layouts it has seen; None for others.")


def recipe_gradients(op: Any) -> Any:
    """`gradients(node, gradient)` of a node whose gradients may come by recipes; the backward pass knows of it too."""
    if not supported():
        return never
    from .builtins import builtin
    from .node_gradients import gradients
    from .plans import recipe_gradient_plan
    from .world import node_plans

    plan = node_plans[op.node] = recipe_gradient_plan(op)
    return builtin(
        gradients, plan, f"The gradients of {op.node.op_name} for layouts that it has seen; None for others."
    )


@functools.cache
def walker() -> Any:
    """walk(backward_pass, node, gradient): runs nodes as long as it can; gives the node at which Python must go on."""
    if not supported():
        return stay
    from .builtins import builtin
    from .walk import walk

    return builtin(walk, np.zeros(1, np.int64), "Run nodes of a backward pass from one to the next.")


def stay(_: Any, node: Any, gradient: Any) -> tuple[Any, Any]:
    """In the place of `walk` where each step is for Python."""
    return node, gradient
