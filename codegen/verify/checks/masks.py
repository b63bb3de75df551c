"""Checks 4 and 5: subsets of inputs that require grad, of outputs that have gradients, and fused kernels."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.dispatch.elementwise.backward import run_fused
from specgrad.runtime.tensor.grad_mode import no_grad

from ..calls.findings import Report, close, largest, relative_error, worst
from ..calls.point import Point, adopt, gradients

RELATIVE = 1e-11
BACKWARD = "backward"  # the key of the kernel, and what findings about it are about


def subsets(count: int) -> Iterator[list[bool]]:
    yield from ([bool(mask >> i & 1) for i in range(count)] for mask in range(1, 2**count - 1))


def masks_of(count: int) -> list[list[bool]]:
    return [list(mask) for mask in itertools.product([False, True], repeat=count) if any(mask)]


def check_inputs(point: Point, report: Report) -> None:
    tensors, outputs, seeds = point.recorded()
    full = gradients(outputs, tensors, seeds)
    for output_mask in subsets(len(tensors)):
        report.checks += 1
        value = point.tensors(output_mask)
        result = iter(gradients(point.outputs(value), [t for t in value if t.requires_grad], seeds))
        for leaf, yes, right in zip(point.leaves, output_mask, full, strict=True):
            if yes:
                names = " and ".join(k.label for k, also in zip(point.leaves, output_mask, strict=True) if also)
                about = f"only {names} require grad"
                kind, scale = "gradient with some inputs", scale_of(full, seeds)
                compare(point, leaf.argument, kind, about, next(result), right, report, scale)


def check_outputs(point: Point, report: Report) -> None:
    """A missing gradient of an output counts as zeros."""
    tensors = point.tensors()
    outputs = point.outputs(tensors)
    if len(outputs) < 2 or not tensors:
        return
    seeds = point.seeds(outputs)
    for value in itertools.islice(subsets(len(outputs)), 64):
        report.checks += 1
        zeros = [s if yes else adopt(np.zeros_like(s.array)) for s, yes in zip(seeds, value, strict=True)]
        unchanged = [i for i, yes in enumerate(value) if yes]
        some = gradients([outputs[i] for i in unchanged], tensors, [seeds[i] for i in unchanged])
        about = f"only the gradients of outputs {', '.join(map(str, unchanged))} are given"
        right = gradients(outputs, tensors, zeros)
        kind, scale = "gradient with missing output gradients", scale_of(right, seeds)
        compare_leaves(point, kind, about, some, right, report, scale)


def check_fused(point: Point, report: Report) -> None:
    if not getattr(point.op.node, "fused", None):
        return
    for output_mask in masks_of(len(point.leaves)):
        report.checks += 1
        _check_fused(point, output_mask, report)


def _check_fused(point: Point, output_mask: list[bool], report: Report) -> None:
    (output,) = point.outputs(point.tensors(output_mask))
    node = output.grad_fn
    if not isinstance(node, point.op.node):
        return
    seed = point.seed(output)
    with no_grad():
        right = node.formula(seed)
        scale = scale_of(right, [seed])
        for way, result in (("kernel", node.apply(seed)), ("general path of the kernel", run_fused(node, seed))):
            for argument, got, formula in zip(point.op.inputs, result, right, strict=True):
                about = f"the fused {way}"
                if (got is None) != (formula is None):
                    text = f"at {point} {about} leaves out a gradient that the formula gives, or the other way round"
                    report.find(point.op, argument, text, f"fused gradient of {argument}")
                elif got is not None:
                    compare(point, argument, "fused gradient", about, got, formula, report, scale)


def check_backward(point: Point, report: Report) -> None:
    if point.is_complex or point.op.kind == "elementwise" or not hasattr(point.op.node, "formula"):
        return
    for output_mask in masks_of(len(point.leaves)):
        outputs = [o for o in point.outputs(point.tensors(output_mask)) if o.requires_grad]
        for value in masks_of(len(outputs)):
            report.checks += 1
            _check_backward(point, outputs, value, report)


def _check_backward(point: Point, outputs: Sequence[Any], args: list[bool], report: Report) -> None:
    node: Any = outputs[0].grad_fn
    grads: list[Any] = [None] * node.output_count
    for output, yes in zip(outputs, args, strict=True):
        if yes:
            grads[output.output_nr] = point.seed(output)
    with no_grad():
        passed = grads if node.output_count > 1 else grads[0]
        result, right = node.apply(passed), node.formula(passed)
        scale = scale_of([*right, *grads])
        names = point.op.inputs if len(point.op.inputs) == len(result) else point.op.inputs * len(result)
        for argument, got, formula, edge in zip(names, result, right, node.edges, strict=True):
            if edge is None and got is None:
                continue  # a list's formula gives the gradients of all its tensors
            if not report.has(point.op.name, f"gradient of {argument}"):  # else the formula is no measure
                _compare_kernel(point, argument, got, formula, report, scale)


def _compare_kernel(point: Point, argument: str, got: Any, formula: Any, report: Report, scale: float) -> None:
    if got is not None and formula is not None:
        text, size = difference(got.detach().array, formula.detach().array, scale)
        about = f"the kernel's gradient of {argument} {text} as by the formula"
    else:
        about = f"the kernel leaves out the gradient of {argument} that the formula gives, or adds one"
        text, size = "" if got is formula else about, float("inf")
    if text:
        report.find(point.op, BACKWARD, f"at {point} {about}", size=size)


def scale_of(*gradients: Sequence[Any]) -> float:
    """The largest number among gradients that are computed together: each may be left with some roundings of it."""
    arrays = (g if isinstance(g, np.ndarray) else g.detach().array for each in gradients for g in each if g is not None)
    return max(map(largest, arrays), default=0.0)


def compare(
    point: Point, argument: str, kind: str, about: str, got: Any, right: Any, report: Report, scale: float
) -> None:
    subject = f"{kind} of {argument}" if kind.endswith("gradient") else f"{kind}, {argument}"
    text, size = difference(got.detach().array, right.detach().array, scale)
    if text:
        report.find(point.op, argument, f"at {point}, {about}: {text}", subject, size)


def compare_leaves(
    point: Point, kind: str, about: str, got: Sequence[Any], right: Sequence[Any], report: Report, scale: float
) -> None:
    for leaf, a, b in zip(point.leaves, got, right, strict=True):
        compare(point, leaf.argument, kind, about, a, b, report, scale)


def difference(a: np.ndarray, b: np.ndarray, scale: float) -> tuple[str, float]:
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"has shape {a.shape} and dtype {a.dtype}, not {b.shape} and {b.dtype}", float("inf")
    if same(a, b, scale):
        return "", 0.0
    index, shown, right = worst(a, b)
    return f"at element {list(index)} is {shown}, not {right}", relative_error(a[index], b[index])


def same(a: np.ndarray, b: np.ndarray, scale: float = 0.0) -> bool:
    """`scale`: a number of which roundings are no difference, as the largest of `b` is one."""
    return close(a, b, RELATIVE * 10, RELATIVE * max(largest(b), scale) + 1e-300)
