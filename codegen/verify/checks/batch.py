"""Check 7: `vmap` of an op, of its gradients and of its tangents gives what a loop over the examples gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.autograd.forward.dual import dual_level, make_dual, unpack_dual
from specgrad.runtime.batching import vmap

from ..point import Point, adopt, gradients
from ..report import Finding, Report, both, place_of
from .forward import has_forward
from .masks import same, worst_index

EXAMPLES = 3


class Batch:
    """Examples of a point: the same values in another order."""

    def __init__(self, point: Point) -> None:
        self.point = point
        self.leaves = [shuffled(leaf.array) for leaf in point.leaves]
        self.constants = [shuffled(constant.array) for constant in point.constants]

    @property
    def stacks(self) -> list[np.ndarray]:
        """All tensors of the call, the examples in front."""
        return [np.stack(examples) for examples in (*self.leaves, *self.constants)]

    def call(self, tensors: Sequence[Any], function: Any = None) -> tuple[Any, ...]:
        """The outputs of the op for tensors in the place of leaves and constants."""
        count = len(self.leaves)
        return self.point.call(tensors[:count], function, constants=tensors[count:])

    def writes_to(self, chosen: Sequence[bool]) -> bool:
        """Whether `self`, to which an in-place op writes, is among the chosen tensors."""
        first = self.point.arguments.get("self")
        given = (*self.point.leaves, *self.point.constants)
        return any(yes and tensor is first for tensor, yes in zip(given, chosen, strict=True))

    def example(self, chosen: Sequence[bool], index: int) -> list[Any]:
        """The tensors of one example; those that are not chosen are the first example's."""
        return [adopt(s[index if yes else 0].copy()) for s, yes in zip(self.stacks, chosen, strict=True)]


def shuffled(array: np.ndarray) -> list[np.ndarray]:
    """The array, and copies whose elements have moved on by some places."""
    return [np.roll(array, shift) for shift in range(EXAMPLES)]


def choices(count: int) -> list[list[bool]]:
    """Which tensors differ between the examples: all, and each alone."""
    alone = [[i == k for i in range(count)] for k in range(count)]
    return [[True] * count, *alone] if count > 1 else alone


def cloned(tensors: Sequence[Any]) -> list[Any]:
    """Tensors of their own, for the in-place variant to write to."""
    return [t.clone() for t in tensors]


def stacked(results: Sequence[Sequence[Any]]) -> list[np.ndarray]:
    """The outputs of all examples, output by output."""
    return [np.stack([t.detach().array for t in outputs]) for outputs in zip(*results, strict=True)]


def report_difference(point: Point, about: str, found: Sequence[Any], right: Sequence[Any], report: Report) -> None:
    """Outputs of a batch that are not those of its examples."""
    for got, wanted in zip(found, right, strict=True):
        a = got.detach().array
        text = ""
        if a.shape != wanted.shape or a.dtype != wanted.dtype:
            text = f"vmap gives shape {a.shape} and dtype {a.dtype}, the loop {wanted.shape} and {wanted.dtype}"
        elif not same(a, wanted):
            worst = worst_index(a, wanted)
            shown = both(a[worst], wanted[worst])
            text = f"vmap gives {shown[0]} at element {list(map(int, worst))}, the loop {shown[1]}"
        if text:
            op = point.op
            report.add(Finding(place_of(op, "batch"), op.name, "batching", f"{about}, at {point} {text}", level=2))


def check_gradients(batch: Batch, report: Report) -> None:
    """The gradients of a batch's outputs are those of each example."""
    point, count = batch.point, len(batch.leaves)
    report.checks += 1
    leaves = [adopt(s) for s in batch.stacks[:count]]
    for leaf in leaves:
        leaf._rg = True
    rest = [adopt(s) for s in batch.stacks[count:]]
    outputs = vmap(lambda *tensors: tuple(differentiable(point, batch.call(tensors))))(*leaves, *rest)
    seeds = [point.seed(o) for o in outputs]
    found = gradients(outputs, leaves, seeds)
    right = []
    for i in range(EXAMPLES):
        example = batch.example([True] * len(batch.stacks), i)
        for tensor in example[:count]:
            tensor._rg = True
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


DYNAMIC = "depends on the values"  # what ops say that give results of another shape for each example


def check_batch(point: Point, report: Report) -> None:
    """All tensors in batches, then each alone; afterwards the derivatives."""
    batch = Batch(point)
    if not batch.stacks:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ops without a rule say so
        try:
            for chosen in choices(len(batch.stacks)):
                if batch.writes_to(chosen) or "(a!)" not in point.op.schema:  # what is written to must be in the batch
                    check_values(batch, chosen, report)
        except RuntimeError as error:
            if DYNAMIC not in str(error):
                raise
            return
        if point.leaves and point.outputs(point.tensors()):
            check_gradients(batch, report)
            check_cotangents(point, report)
            check_tangents(point, report)
            check_mixture(batch, report)


def check_values(batch: Batch, chosen: Sequence[bool], report: Report) -> None:
    """The outputs, and those of the in-place variant where its tensor is in the batch."""
    functions = [None, batch.point.op.inplace] if batch.writes_to(chosen) and batch.point.op.inplace else [None]
    dims = tuple(0 if yes else None for yes in chosen)
    given = [adopt(s if yes else s[0].copy()) for s, yes in zip(batch.stacks, chosen, strict=True)]
    for function in functions:
        try:
            right = stacked([batch.call(cloned(batch.example(chosen, i)), function) for i in range(EXAMPLES)])
        except RuntimeError:
            if function is None:
                raise
            continue  # the result does not fit into the tensor: the plain call has been checked
        report.checks += 1
        found = vmap(written(batch, function), dims)(*given)
        names = [*(leaf.label for leaf in batch.point.leaves), *["a mask or index"] * len(batch.constants)]
        about = " and ".join(n for n, yes in zip(names, chosen, strict=True) if yes)
        report_difference(batch.point, f"{'in-place ' if function else ''}batch of {about}", found, right, report)


def written(batch: Batch, function: Any) -> Callable[..., Any]:
    """The op as a function of its tensors alone."""
    return lambda *tensors: batch.call(cloned(tensors), function)
