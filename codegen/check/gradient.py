"""Checks of the gradient formulas of an entry."""

from __future__ import annotations

from collections.abc import Iterator

from ..proof.complete import missing_slope
from ..spec.formula import names, value_reads
from ..spec.model import Formula, Problem
from .context import Context


def check_gradients(context: Context) -> Iterator[Problem]:
    """Each formula by itself, and differentiable arguments that have none."""
    entry = context.entry
    if entry.once_differentiable and all(formula.tree is None for formula in entry.gradients.values()):
        key = "once_differentiable"
        yield context.problem(entry.key_places[key], "the op has no gradient formula: leave the key out", key)
    if entry.compute.kind == "composite":
        return
    for name, formula in entry.gradients.items():
        argument = entry.schema.argument(name)
        if argument is None or not argument.type.is_tensor:
            yield context.problem(formula.where, "only a Tensor argument has a gradient", name)
        elif formula.tree is not None:
            yield from _check_formula(context, name, formula)
    if any(entry.output_differentiability) or entry.undefined_gradients:
        for argument in entry.tensor_arguments:
            if argument.name not in entry.gradients:
                message = "a differentiable argument needs a formula, or non_differentiable"
                reason = missing_slope(entry)
                message += f"; none can be derived: {reason}" * bool(reason)
                yield context.problem(entry.where, message, argument.name)


def _check_formula(context: Context, name: str, formula: Formula) -> Iterator[Problem]:
    """Names in scope, the use of `grad`, and reads of what an in-place op has overwritten."""
    entry, tree = context.entry, formula.tree
    assert tree is not None
    gradient = gradient_name(context)
    arguments = [a.name for a in entry.schema.arguments]
    yield from context.faults(context.scope([*arguments, *context.outputs, gradient]), tree, name)
    if not any(entry.output_differentiability):
        yield context.problem(formula.where, "no output is differentiable, so there is no gradient", name)
    elif not any(node.id in ("grad", "grads") for node in names(tree)):
        yield context.problem(formula.where, f"the formula never uses {gradient}", name)
    overwritten = [a.name for a in entry.schema.arguments if a.type.writes]
    for node in value_reads(tree, overwritten):
        yield context.problem(node, f"reads '{node.id}', which the op has overwritten: use result", name)


def gradient_name(context: Context) -> str:
    """`grads` for several differentiable outputs or a list of tensors, else `grad`."""
    entry = context.entry
    several = sum(entry.output_differentiability) > 1
    return "grads" if several or any(output.type.is_list for output in entry.schema.returns) else "grad"
