"""Which function, with which plan, takes the calls of an op. Loaded with the compiler, when the first op asks."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..fast_path import FastPath, not_handled
from .check_mode import compared, compared_native_backward, public_function
from .elementwise.inplace import launch_in_place, launch_out
from .elementwise.launch import launch
from .graph.backward import walk
from .graph.node_gradients import gradients
from .graph.start import start
from .kernel_ops import inplace as kernel_op_inplace
from .kernel_ops import kernel_op
from .objects.convert import convert
from .objects.interned import node_plans
from .plans import kernel_op_plans, op_plans
from .plans.builtins import HOST, builtin
from .views.getitem import getitem
from .views.view_cache import detach, launch_made_view, launch_view, launch_views


def learn_gradients(node: Any) -> None:
    """Let a backward pass run nodes that hand on the gradient of the result, or keep what it sees of views of it."""
    if node is None or node in node_plans:
        return
    if node.hands_on is True:
        node_plans[node] = op_plans.gradient_plan(node)
    elif op_plans.has_view_gradient(node):
        node_plans[node] = op_plans.view_gradients_plan(node)


class NativePath(FastPath):
    rows = staticmethod(op_plans.rows_plan)
    call_plan = staticmethod(kernel_op_plans.call_plan)

    def element_wise(self, op: Any, name: str) -> Callable[..., Any]:
        doc = f"{op.name} of contiguous tensors of one shape and native dtype; None for all others."
        if name == "gradients":
            if not op_plans.fits_backward_capacity(op.node):
                return not_handled
            plan = node_plans[op.node] = op_plans.gradient_plan(op.node)
            return compared(builtin(HOST, gradients, plan, doc), op.node.__name__, op.node.apply)
        if not op_plans.fits_capacity(op):
            return not_handled
        if op.converts:
            kernel_op_plans.let_convert()
        function, written, more = {
            "launch": (launch, None, ()),
            "launch_in_place": (launch_in_place, 0, ()),
            "launch_out": (launch_out, -1, ("out",)),
        }[name]
        again = public_function(op, (*op.operands, *op.numbers, *more), written == 0)
        return compared(builtin(HOST, function, op_plans.forward_plan(op, name), doc), op.name, again, written)

    def view(self, op: Any) -> Callable[..., Any]:
        doc = f"{op.name} of a tensor whose layout it has seen; None for others."
        function = launch_views if op.multiple_views else launch_made_view
        if op.node is not None and not op.multiple_views:
            function = launch_view
            learn_gradients(op.node)
        return compared(builtin(HOST, function, op_plans.view_plan(op), doc), op.name, public_function(op, op.operands))

    def kernel_op(self, op: Any, name: str) -> Callable[..., Any]:
        learn_gradients(op.node)
        doc, writes = f"{op.name} of tensors whose layouts it has seen; None for others.", name == "launch_in_place"
        function = kernel_op_inplace.launch_in_place if writes else kernel_op.launch
        made = builtin(HOST, function, kernel_op_plans.kernel_op_plan(op, writes), doc)
        return compared(made, op.name, public_function(op, op.operands, writes), 0 if writes else None)

    def planned_gradients(self, op: Any) -> Callable[..., Any]:
        plan = node_plans[op.node] = kernel_op_plans.planned_gradients_plan(op)
        doc = f"The gradients of {op.node.op_name} for layouts that it has seen; None for others."
        return compared(builtin(HOST, gradients, plan, doc), op.node.__name__, op.node.apply)

    def creation(self, creation: Any) -> Callable[..., Any]:
        from .creation.plans import UNIT, general_path_of, launch_of

        if UNIT.comes_later():  # the general path can wait for it
            return not_handled
        return compared(launch_of(creation), creation.name, general_path_of(creation))

    def conversion(self, op: Any) -> Callable[..., Any]:
        learn_gradients(op.node)
        doc = f"{op.name} of a tensor and a dtype; None for pairs of dtypes that have no kernel yet."
        made = builtin(HOST, convert, kernel_op_plans.conversion_plan(op), doc)
        return compared(made, op.name, public_function(op, op.operands))

    def item_getter(self) -> Callable[..., Any]:
        doc = "x[key] for ints and slices; None where select and slice have yet to find it."
        return compared(builtin(HOST, getitem, kernel_op_plans.getitem_plan(), doc), "getitem", operator.getitem)

    def detacher(self) -> Callable[..., Any]:
        doc = "A tensor over the same memory outside the graph."
        return compared(builtin(HOST, detach, op_plans.no_plan, doc), "detach", operator.methodcaller("detach"))

    def native_backward(self) -> Callable[..., Any]:
        doc = "Run nodes of a backward pass from one to the next."
        return compared_native_backward(builtin(HOST, walk, op_plans.adding_kernels(), doc))

    def starter(self) -> Callable[..., Any]:
        doc = "Run the backward pass of a tensor of one float; None for others."
        return builtin(HOST, start, op_plans.adding_kernels(), doc)

    def launches_on_devices(self) -> Any:
        from .cuda.cached_launches import Devices

        return Devices()
