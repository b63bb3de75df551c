"""Native code as the fast path: which function, with which plan, takes the calls of an op.

Modules of native code need the compiler, so they are loaded when the first op asks, not with specgrad."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .. import fast_path
from ..compiler.cache.precompile import begin_early
from ..compiler.passes.loading import load_compiler
from ..fast_path import FastPath, no_native, not_handled


@functools.cache
def supported() -> bool:
    """Whether native code runs here; its compiler is then loaded."""
    from .objects import layout

    if result := layout.supported():
        begin_early()
        load_compiler()
    return result


def learn_gradients(node: Any) -> None:
    """Let a backward pass run nodes that hand on the gradient of the result, or keep what it sees of views of it."""
    from .objects.interned import node_plans
    from .plans.op_plans import gradient_plan, has_view_gradient, view_gradients_plan

    if node is None or node in node_plans:
        return
    if node.hands_on is True:
        node_plans[node] = gradient_plan(node)
    elif has_view_gradient(node):
        node_plans[node] = view_gradients_plan(node)


class NativePath(FastPath):
    def element_wise(self, op: Any, name: str) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared, public_function
        from .elementwise.inplace import launch_in_place, launch_out
        from .elementwise.launch import launch
        from .graph.node_gradients import gradients
        from .objects.interned import node_plans
        from .plans import op_plans
        from .plans.builtins import HOST, builtin
        from .plans.kernel_op_plans import let_convert

        doc = f"{op.name} of contiguous tensors of one shape and native dtype; None for all others."
        if name == "gradients":
            if not op_plans.fits_backward_capacity(op.node):
                return not_handled
            plan = node_plans[op.node] = op_plans.gradient_plan(op.node)
            return compared(builtin(HOST, gradients, plan, doc), op.node.__name__, op.node.apply)
        if not op_plans.fits_capacity(op):
            return not_handled
        if op.converts:
            let_convert()
        function, written, more = {
            "launch": (launch, None, ()),
            "launch_in_place": (launch_in_place, 0, ()),
            "launch_out": (launch_out, -1, ("out",)),
        }[name]
        again = public_function(op, (*op.operands, *op.numbers, *more), written == 0)
        return compared(builtin(HOST, function, op_plans.forward_plan(op, name), doc), op.name, again, written)

    def view(self, op: Any) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared, public_function
        from .plans.builtins import HOST, builtin
        from .plans.op_plans import view_plan
        from .views.view_cache import launch_made_view, launch_view, launch_views

        doc = f"{op.name} of a tensor whose layout it has seen; None for others."
        launch = launch_views if op.multiple_views else launch_made_view
        if op.node is not None and not op.multiple_views:
            launch = launch_view
            learn_gradients(op.node)
        return compared(builtin(HOST, launch, view_plan(op), doc), op.name, public_function(op, op.operands))

    def kernel_op(self, op: Any, name: str) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared, public_function
        from .kernel_ops.inplace import launch_in_place
        from .kernel_ops.kernel_op import launch
        from .plans.builtins import HOST, builtin
        from .plans.kernel_op_plans import kernel_op_plan

        learn_gradients(op.node)
        doc, writes = f"{op.name} of tensors whose layouts it has seen; None for others.", name == "launch_in_place"
        again = public_function(op, op.operands, writes)
        return compared(
            builtin(HOST, launch_in_place if writes else launch, kernel_op_plan(op, writes), doc),
            op.name,
            again,
            0 if writes else None,
        )

    def planned_gradients(self, op: Any) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared
        from .graph.node_gradients import gradients
        from .objects.interned import node_plans
        from .plans.builtins import HOST, builtin
        from .plans.kernel_op_plans import planned_gradients_plan

        plan = node_plans[op.node] = planned_gradients_plan(op)
        doc = f"The gradients of {op.node.op_name} for layouts that it has seen; None for others."
        return compared(builtin(HOST, gradients, plan, doc), op.node.__name__, op.node.apply)

    def creation(self, creation: Any) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared
        from .creation.plans import UNIT, general_path_of, launch_of

        if UNIT.comes_later():  # the general path can wait for it
            return not_handled
        return compared(launch_of(creation), creation.name, general_path_of(creation))

    def conversion(self, op: Any) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared, public_function
        from .objects.convert import convert
        from .plans.builtins import HOST, builtin
        from .plans.kernel_op_plans import conversion_plan

        learn_gradients(op.node)
        doc = f"{op.name} of a tensor and a dtype; None for pairs of dtypes that have no kernel yet."
        return compared(builtin(HOST, convert, conversion_plan(op), doc), op.name, public_function(op, op.operands))

    def item_getter(self) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared
        from .plans.builtins import HOST, builtin
        from .plans.kernel_op_plans import getitem_plan
        from .views.getitem import getitem

        doc = "x[key] for ints and slices; None where select and slice have yet to find it."
        return compared(builtin(HOST, getitem, getitem_plan(), doc), "getitem", operator.getitem)

    def detacher(self) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .check_mode import compared
        from .plans.builtins import HOST, builtin
        from .plans.op_plans import no_plan
        from .views.view_cache import detach

        doc = "A tensor over the same memory outside the graph."
        return compared(builtin(HOST, detach, no_plan, doc), "detach", operator.methodcaller("detach"))

    def native_backward(self) -> Callable[..., Any]:
        if not supported():
            return no_native
        from .check_mode import compared_native_backward
        from .graph.backward import walk
        from .plans.builtins import HOST, builtin
        from .plans.op_plans import adding_kernels

        doc = "Run nodes of a backward pass from one to the next."
        return compared_native_backward(builtin(HOST, walk, adding_kernels(), doc))

    def starter(self) -> Callable[..., Any]:
        if not supported():
            return not_handled
        from .graph.start import start
        from .plans.builtins import HOST, builtin
        from .plans.op_plans import adding_kernels

        return builtin(
            HOST, start, adding_kernels(), "Run the backward pass of a tensor of one float; None for others."
        )

    def launches_on_devices(self) -> Any:
        if not supported():
            return None
        from .cuda.cached_launches import Devices

        return Devices()

    def rows(self, plan: Any, count: int, is_long: bool) -> Any:
        if not supported():
            return None
        from .plans.op_plans import rows_plan

        return rows_plan(plan, count, is_long)

    def call_plan(
        self,
        plan: Any,
        layouts: Sequence[Any],
        arg_kinds: str,
        outputs: int,
        arguments: Sequence[Any],
        singles: int | None,
        in_pairs: bool,
    ) -> Any:
        if not supported():
            return None
        from .plans.kernel_op_plans import call_plan

        return call_plan(plan, layouts, arg_kinds, outputs, arguments, singles, in_pairs)


fast_path.register(NativePath())
