"""Checks of `backward`: the kernel that gives all gradients of an entry at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..spec.formula import called, names
from ..spec.model import Formula, Problem
from ..spec.suggest import did_you_mean
from .context import Context
from .gradient import gradient_name


def check_backward(context: Context) -> Iterator[Problem]:
    """A call of a kernel, over names in scope."""
    formula = context.entry.backward
    if formula is None or formula.tree is None:
        return
    call = formula.tree
    if context.entry.compute.kind not in ("kernel", "view"):
        yield context.problem(formula.where, "only ops of a kernel or a view have a kernel for backward", "backward")
    elif not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        yield context.problem(formula.where, "the call of a kernel is wanted here", "backward")
    else:
        yield from _check_call(context, formula, call)


def _check_call(context: Context, formula: Formula, call: ast.Call) -> Iterator[Problem]:
    entry, kernels, gradient = context.entry, context.known.kernels, gradient_name(context)
    if kernels is not None and called(call) not in kernels:
        message = f"there is no kernel '{called(call)}'{did_you_mean(called(call), kernels)}"
        yield context.problem(formula.where, message, "backward")
    scope = context.scope([*(a.name for a in entry.schema.arguments), *context.outputs, gradient, "wanted"])
    for part in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from context.faults(scope, part, "backward")
    trees = [f.tree for f in entry.gradients.values() if f.tree is not None]
    used = {node.id for node in names(call)}
    if gradient not in used:
        yield context.problem(formula.where, f"the kernel does not get {gradient}", "backward")
    if len(trees) > 1 and "wanted" not in used:
        yield context.problem(formula.where, "the kernel does not get 'wanted'", "backward")
