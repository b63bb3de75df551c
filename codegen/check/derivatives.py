"""Checks of an entry's derivatives: gradient formulas, the kernel for `backward`, and forward-mode formulas."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from ..language.syntax import did_you_mean
from ..proof.derive import missing_derivative
from ..spec.fields import WITHOUT_GRADIENT
from ..spec.formula import FORWARD_KEYWORDS, called, names, value_reads
from ..spec.model import Entry, Formula, Problem
from .scope import Context


def check_gradients(context: Context) -> Iterator[Problem]:
    entry = context.entry
    yield from _check_derivative_of(context)
    yield from _check_if_written(context)
    if entry.once_differentiable and not entry.formulas:
        yield context.at("once_differentiable", "the op has no gradient formula: leave the key out")
    if entry.compute.kind == "composite":
        return
    for name, formula in entry.gradients.items():
        argument = entry.schema.argument(name)
        if argument is None or not argument.type.is_tensor:
            yield context.problem(formula.where, "only a Tensor argument has a gradient", name)
        elif formula.tree is not None and not (formula.derived and context.expression_faults):
            yield from _check_gradient(context, name, formula)
    if not context.expression_faults and (any(entry.output_differentiability) or entry.undefined_gradients):
        for argument in entry.tensor_arguments:
            if argument.name not in entry.gradients:
                message = "a differentiable argument needs a formula, or non_differentiable"
                reason = missing_derivative(entry)
                message += f"; none can be derived: {reason}" * bool(reason)
                yield context.problem(entry.where, message, argument.name)


def _check_derivative_of(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if entry.derivative_of is None:
        return
    if entry.compute.kind != "elementwise":
        yield context.at("slope_of", "only an elementwise op has the derivative of another expression")
    elif "complex" in entry.dtypes:
        yield context.at("slope_of", "it is for real numbers: leave complex out of dtypes")
    elif not any(entry.output_differentiability):
        yield context.at("slope_of", "no output is differentiable, so there is no derivative")
    elif entry.derivative_of.tree is not None:
        yield from context.faults(context.of_scalars, entry.derivative_of.tree, "slope_of")


def _check_if_written(context: Context) -> Iterator[Problem]:
    """The other op computes the same, stands above, so that its node does, and has a gradient that reads the result."""
    entry = context.entry
    if entry.if_written is None:
        return
    above = {e.name: e for e in context.ops.entries.values() if e.section == entry.section and e.where < entry.where}
    other = above.get(entry.if_written)
    if other is None:
        hint = did_you_mean(entry.if_written, above)
        yield context.at("if_written", f"there is no op '{entry.if_written}' above this one in the section{hint}")
    elif other.compute.kind != "elementwise" or other.compute.text != entry.compute.text:
        yield context.at("if_written", f"'{other.name}' computes another expression than this op")
    elif any(node.id == "self" for tree in other.formulas.values() for node in names(tree)):
        yield context.at("if_written", f"the gradient of '{other.name}' reads self, which has been written to")


def _check_gradient(context: Context, name: str, formula: Formula) -> Iterator[Problem]:
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
    entry = context.entry
    multiple = sum(entry.output_differentiability) > 1
    return "grads" if multiple or any(output.type.is_list for output in entry.schema.returns) else "grad"


def check_backward(context: Context) -> Iterator[Problem]:
    formula = context.entry.backward
    if formula is None or formula.tree is None:
        return
    call = formula.tree
    if context.entry.compute.kind not in ("kernel", "view"):
        yield context.problem(formula.where, "only ops of a kernel or a view have a kernel for backward", "backward")
    elif not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        yield context.problem(formula.where, "the call of a kernel is wanted here", "backward")
    else:
        entry, kernels, gradient = context.entry, context.known.named.get("kernel"), gradient_name(context)
        if kernels is not None and called(call) not in kernels:
            message = f"there is no kernel '{called(call)}'{did_you_mean(called(call), kernels)}"
            yield context.problem(formula.where, message, "backward")
        scope = context.scope([*(a.name for a in entry.schema.arguments), *context.outputs, gradient, "output_mask"])
        if call.keywords:
            message = "the kernel takes its arguments by their order, without names"
            yield context.problem(formula.where, message, "backward")
        for part in call.args:
            yield from context.faults(scope, part, "backward")
        used = {node.id for node in names(call)}
        if gradient not in used:
            yield context.problem(formula.where, f"the kernel does not get {gradient}", "backward")
        if len(entry.formulas) > 1 and "output_mask" not in used:
            yield context.problem(formula.where, "the kernel does not get 'output_mask'", "backward")


def check_forward(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if entry.compute.kind == "composite":
        return
    tensors = [argument.name for argument in entry.tensor_arguments]
    # A derivative that could be derived and is not wanted is renounced twice: one word is soon written by mistake
    if (
        _renounces(entry)
        and not entry.forward
        and not missing_derivative(replace(entry, output_differentiability=(True,)))
    ):
        message = "the output has a derivative: if it is to have no gradient, say `result: zero` as well"
        yield context.at("output_differentiability", message)
    for output, differentiable in zip(entry.schema.returns, entry.output_differentiability, strict=True):
        formula = entry.forward.get(output.name)
        if formula is None:
            if differentiable and entry.formulas:
                message = "a differentiable output needs a forward formula, such as auto_linear"
                yield context.problem(entry.where, message, output.name)
        elif not differentiable and not (formula.keyword == "zero" and _renounces(entry)):
            yield context.problem(formula.where, "the output is not differentiable", output.name)
        elif all(name in entry.gradients and not _has_tangent(entry, name) for name in tensors):
            yield context.problem(formula.where, "a forward formula, but no argument has a gradient", output.name)
        elif formula.tree is not None:
            yield from _check_tangent(context, output.name, formula.tree)
        else:
            yield from _check_keyword(context, output.name, formula)


def _renounces(entry: Entry) -> bool:
    computes = entry.compute.kind == "elementwise" and {"float", "complex"} & {*entry.dtypes}
    floats = not {*entry.result_dtype} & {*WITHOUT_GRADIENT} and not any(entry.output_differentiability)
    return bool(computes and floats and not entry.gradients) and "output_differentiability" in entry.key_locations


def _check_tangent(context: Context, name: str, tree: ast.expr) -> Iterator[Problem]:
    """Names in scope: x_p and x_t of a tensor x with a gradient, x_p or x of others, and the results."""
    arguments = context.entry.schema.arguments
    constant = [a.name for a in arguments if not _has_tangent(context.entry, a.name)]
    primals = [f"{a.name}_p" for a in arguments if a.type.is_tensor]
    tangents = [f"{a.name}_t" for a in arguments if a.name not in constant]
    values = [*constant, *primals, *tangents, *context.outputs]
    word = tree.id if isinstance(tree, ast.Name) and tree.id not in values else ""
    if word and (hint := did_you_mean(word, FORWARD_KEYWORDS)):
        yield context.problem(tree, f"unknown name '{word}'{hint}", name)
        return
    yield from context.faults(context.scope(values), tree, name)
    if not any(node.id in tangents for node in names(tree)):
        yield context.problem(tree, f"the formula never uses a tangent ({', '.join(tangents)})", name)


def _has_tangent(entry: Entry, argument: str) -> bool:
    return argument in entry.gradients and entry.gradients[argument].keyword is None


def _check_keyword(context: Context, name: str, formula: Formula) -> Iterator[Problem]:
    entry = context.entry
    match formula.keyword:
        case "auto_element_wise" if entry.compute.kind != "elementwise":
            message = "auto_element_wise, but the op is not elementwise"
        case "auto_linear":
            message = _why_not_linear(context)
        case "auto_multilinear":
            message = _why_not_multilinear(context)
        case "auto_select" if "int64" not in entry.result_dtype:
            message = "auto_select needs a second output, the indices, of result_dtype int64"
        case _:
            return
    if message:
        yield context.problem(formula.where, message, name)


def _why_not_linear(context: Context) -> str:
    """A gradient of a linear op reads no differentiable argument and no result."""
    formulas = context.entry.formulas
    for argument, tree in formulas.items():
        read = value_reads(tree, [*formulas, *context.outputs])
        if read:
            return f"the op is not linear: the gradient of '{argument}' reads '{read[0].id}'"
    return ""


def _why_not_multilinear(context: Context) -> str:
    """The gradient of each argument reads every other one, but neither the argument itself nor a result."""
    formulas = context.entry.formulas
    for argument, tree in formulas.items():
        read = value_reads(tree, [argument, *context.outputs])
        if read:
            return f"the op is not linear in '{argument}': the gradient of '{argument}' reads '{read[0].id}'"
        unread = formulas.keys() - {argument} - {node.id for node in value_reads(tree, formulas)}
        if unread:
            return f"the op is not a product: the gradient of '{argument}' does not read '{min(unread)}'"
    return ""
