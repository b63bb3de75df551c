"""Check 7, continued: derivatives of a batch, and batches of derivatives, whatever the examples share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from specgrad.runtime.autograd.forward.dual import dual_level, make_dual, unpack_dual
from specgrad.runtime.batching import vmap

from ..point import Point, adopt, gradients
from ..report import Report
from .batched import EXAMPLES, Batch, choices, report_difference, stacked
from .forward import has_forward


def check_gradients(batch: Batch, report: Report) -> None:
    """The gradients of a batch's outputs are those of each example."""
    point, count = batch.point, len(batch.leaves)
    report.checks += 1
    leaves = [adopt(s).requires_grad_() for s in batch.stacks[:count]]
    rest = [adopt(s) for s in batch.stacks[count:]]
    outputs = vmap(lambda *tensors: tuple(differentiable(point, batch.call(tensors))))(*leaves, *rest)
    seeds = [point.seed(o) for o in outputs]
    found = gradients(outputs, leaves, seeds)
    right = []
    for i in range(EXAMPLES):
        example = batch.example([True] * len(batch.stacks), i)
        for tensor in example[:count]:
            tensor.requires_grad_()
        own = [adopt(s.array[i].copy()) for s in seeds]
        right.append(gradients(differentiable(point, batch.call(example)), example[:count], own))
    report_difference(point, "gradient of a batch", found, stacked(right), report)


def differentiable(point: Point, outputs: Sequence[Any]) -> list[Any]:
    """The outputs that have gradients."""
    flags = point.op.outputs if len(point.op.outputs) == len(outputs) else point.op.outputs * len(outputs)
    return [o for o, yes in zip(outputs, flags, strict=True) if yes]


def check_cotangents(point: Point, report: Report) -> None:
    """A batch of output gradients through one graph, as in `jacrev`."""
    report.checks += 1
    tensors = point.tensors()
    outputs = point.outputs(tensors)
    examples = [point.seeds(outputs) for _ in range(EXAMPLES)]
    stacks = [adopt(s) for s in stacked(examples)]
    found = vmap(lambda *seeds: tuple(gradients(outputs, tensors, seeds)))(*stacks)
    right = stacked([gradients(outputs, tensors, seeds) for seeds in examples])
    report_difference(point, "batch of output gradients", found, right, report)


def check_tangents(point: Point, report: Report) -> None:
    """A batch of tangents at one point, as in `jacfwd`."""
    if not has_forward(point.op):
        return
    report.checks += 1
    examples = [[adopt(point.random(t)) for t in point.tensors()] for _ in range(EXAMPLES)]
    stacks = [adopt(s) for s in stacked(examples)]
    found = vmap(lambda *along: tuple(moved(point, along)))(*stacks)
    right = stacked([moved(point, along) for along in examples])
    report_difference(point, "batch of tangents", found, right, report)


def check_mixture(batch: Batch, report: Report) -> None:
    """Tangents that differ where the values are shared, and the other way round."""
    point, count = batch.point, len(batch.leaves)
    if not has_forward(point.op) or "(a!)" in point.op.schema:
        return
    tangents = [np.stack([point.random(adopt(a)) for a in leaf]) for leaf in batch.leaves]
    rest = [adopt(s[0].copy()) for s in batch.stacks[count:]]
    for chosen in choices(count):
        report.checks += 1
        pairs = [(s, yes) for s, yes in zip(batch.stacks[:count], chosen, strict=True)]
        pairs += [(t, not yes) for t, yes in zip(tangents, chosen, strict=True)]
        right = stacked(
            [tangents_of(batch, [adopt(s[i if yes else 0].copy()) for s, yes in pairs], rest) for i in range(EXAMPLES)]
        )
        dims = tuple(0 if yes else None for _, yes in pairs)
        found = vmap(lambda *given: tuple(tangents_of(batch, given, rest)), dims)(
            *[adopt(s if yes else s[0].copy()) for s, yes in pairs]
        )
        about = " and ".join(leaf.label for leaf, yes in zip(point.leaves, chosen, strict=True) if yes)
        report_difference(point, f"batch of {about} with tangents of the rest", found, right, report)


def tangents_of(batch: Batch, given: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
    """The tangents of the outputs, for leaves and their tangents."""
    half = len(given) // 2
    with dual_level():
        duals = [make_dual(p, t) for p, t in zip(given[:half], given[half:], strict=True)]
        return unpacked(differentiable(batch.point, batch.call([*duals, *rest])))


def moved(point: Point, along: Sequence[Any]) -> list[Any]:
    """The tangents of the outputs at the point."""
    with dual_level():
        duals = [make_dual(t, u) for t, u in zip(point.tensors([False] * len(along)), along, strict=True)]
        return unpacked(point.outputs(duals))


def unpacked(outputs: Sequence[Any]) -> list[Any]:
    """The tangents of dual tensors, zeros for none."""
    pairs = [(output, unpack_dual(output).tangent) for output in outputs]
    return [o.new_zeros(o.shape) if t is None else t for o, t in pairs]
