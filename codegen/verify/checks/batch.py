"""Check 7: `vmap` of an op, of its gradients and of its tangents gives what a loop over the examples gives."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.autograd.dual import dual_level, make_dual
from specgrad.runtime.extensions.vmap import vmap

from ..calls.findings import Report, worst
from ..calls.point import Point, adopt, gradients, recording
from .forward import has_forward, tangents, tangents_of
from .masks import same, scale_of

EXAMPLES = 3
DYNAMIC = "depends on the values"  # in the error of ops whose results have another shape for each example


class Batch:
    """Examples of a point: the same values in another order."""

    def __init__(self, point: Point) -> None:
        self.point = point
        self.leaves = [shuffled(leaf.array) for leaf in point.leaves]
        self.constants = [shuffled(constant.array) for constant in point.constants]

    @property
    def stacks(self) -> list[np.ndarray]:
        return [np.stack(examples) for examples in (*self.leaves, *self.constants)]

    def call(self, tensors: Sequence[Any], function: Any = None) -> tuple[Any, ...]:
        count = len(self.leaves)
        return self.point.call(tensors[:count], function, constants=tensors[count:])

    def differentiable(self, tensors: Sequence[Any]) -> list[Any]:
        return self.point.differentiable(self.call(tensors))

    def writes_to(self, chosen: Sequence[bool]) -> bool:
        first = self.point.arguments.get("self")
        args = (*self.point.leaves, *self.point.constants)
        return any(yes and tensor is first for tensor, yes in zip(args, chosen, strict=True))

    def example(self, chosen: Sequence[bool], index: int) -> list[Any]:
        return [adopt(s[index if yes else 0].copy()) for s, yes in zip(self.stacks, chosen, strict=True)]


def shuffled(array: np.ndarray) -> list[np.ndarray]:
    return [np.roll(array, shift) for shift in range(EXAMPLES)]


def choices(count: int) -> list[list[bool]]:
    alone = [[i == k for i in range(count)] for k in range(count)]
    return [[True] * count, *alone] if count > 1 else alone


def cloned(tensors: Sequence[Any]) -> list[Any]:
    return [t.clone() for t in tensors]


def stacked(results: Sequence[Sequence[Any]]) -> list[np.ndarray]:
    return [np.stack([t.detach().array for t in outputs]) for outputs in zip(*results, strict=True)]


def check_batch(point: Point, report: Report) -> None:
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
            if has_forward(point.op):
                check_tangents(point, report)
                check_mixture(batch, report)


def check_values(batch: Batch, chosen: Sequence[bool], report: Report) -> None:
    functions = [None, batch.point.op.inplace] if batch.writes_to(chosen) and batch.point.op.inplace else [None]
    dims = tuple(0 if yes else None for yes in chosen)
    args = [adopt(s if yes else s[0].copy()) for s, yes in zip(batch.stacks, chosen, strict=True)]
    for function in functions:
        try:
            right = stacked([batch.call(cloned(batch.example(chosen, i)), function) for i in range(EXAMPLES)])
        except RuntimeError:
            if function is None:
                raise
            continue  # the result does not fit into the tensor: the plain call has been checked
        report.checks += 1
        result = vmap(written(batch, function), dims)(*args)
        names = [*(leaf.label for leaf in batch.point.leaves), *["a mask or index"] * len(batch.constants)]
        about = " and ".join(n for n, yes in zip(names, chosen, strict=True) if yes)
        compare(batch.point, f"{'in-place ' if function else ''}batch of {about}", result, right, report)


def written(batch: Batch, function: Any) -> Callable[..., Any]:
    return lambda *tensors: batch.call(cloned(tensors), function)


def check_gradients(batch: Batch, report: Report) -> None:
    point, count = batch.point, len(batch.leaves)
    report.checks += 1
    leaves = recording([adopt(s) for s in batch.stacks[:count]])
    rest = [adopt(s) for s in batch.stacks[count:]]
    outputs = vmap(lambda *tensors: tuple(batch.differentiable(tensors)))(*leaves, *rest)
    seeds = point.seeds(outputs)
    result = gradients(outputs, leaves, seeds)
    right = []
    for i in range(EXAMPLES):
        example = batch.example([True] * len(batch.stacks), i)
        recording(example[:count])
        own = [adopt(s.array[i].copy()) for s in seeds]
        right.append(gradients(batch.differentiable(example), example[:count], own))
    requested = stacked(right)
    compare(point, "gradient of a batch", result, requested, report, scale_of(requested, seeds))


def check_products(point: Point, about: str, product: Callable[..., Any], examples: list[Any], report: Report) -> None:
    """A product with the Jacobian matrix or its transpose: of stacked vectors, and of one after the other."""
    report.checks += 1
    stacks = [adopt(s) for s in stacked(examples)]
    result, right = vmap(product)(*stacks), stacked([product(*each) for each in examples])
    compare(point, about, result, right, report, scale_of(right, stacks))


def check_cotangents(point: Point, report: Report) -> None:
    tensors = point.tensors()
    outputs = point.outputs(tensors)
    seeds = [point.seeds(outputs) for _ in range(EXAMPLES)]
    product = lambda *each: tuple(gradients(outputs, tensors, each))  # noqa: E731
    check_products(point, "batch of output gradients", product, seeds, report)


def check_tangents(point: Point, report: Report) -> None:
    def along(*directions: Any) -> tuple[Any, ...]:
        return tuple(tangents(point, point.tensors([False] * len(directions)), directions))

    directions = [[adopt(point.random(t)) for t in point.tensors()] for _ in range(EXAMPLES)]
    check_products(point, "batch of tangents", along, directions, report)


def check_mixture(batch: Batch, report: Report) -> None:
    point, count = batch.point, len(batch.leaves)
    if "(a!)" in point.op.schema:
        return
    directions = [np.stack([point.random(adopt(a)) for a in leaf]) for leaf in batch.leaves]
    rest = [adopt(s[0].copy()) for s in batch.stacks[count:]]

    def along(*value: Any) -> tuple[Any, ...]:
        with dual_level():
            duals = [make_dual(p, t) for p, t in zip(value[:count], value[count:], strict=True)]
            return tuple(tangents_of(batch.differentiable([*duals, *rest])))

    for chosen in choices(count):
        report.checks += 1
        pairs = [(s, yes) for s, yes in zip(batch.stacks[:count], chosen, strict=True)]
        pairs += [(t, not yes) for t, yes in zip(directions, chosen, strict=True)]
        right = stacked([along(*(adopt(s[i if yes else 0].copy()) for s, yes in pairs)) for i in range(EXAMPLES)])
        dims = tuple(0 if yes else None for _, yes in pairs)
        result = vmap(along, dims)(*[adopt(s if yes else s[0].copy()) for s, yes in pairs])
        about = " and ".join(leaf.label for leaf, yes in zip(point.leaves, chosen, strict=True) if yes)
        compare(
            point, f"batch of {about} with tangents of the rest", result, right, report, scale_of(right, directions)
        )


def compare(
    point: Point, about: str, result: Sequence[Any], right: Sequence[Any], report: Report, scale: float = 0.0
) -> None:
    for got, requested in zip(result, right, strict=True):
        a, text = got.detach().array, ""
        if a.shape != requested.shape or a.dtype != requested.dtype:
            text = f"vmap gives shape {a.shape} and dtype {a.dtype}, the loop {requested.shape} and {requested.dtype}"
        elif not same(a, requested, scale):
            index, shown, expected = worst(a, requested)
            text = f"vmap gives {shown} at element {list(index)}, the loop {expected}"
        if text:
            report.find(point.op, "batch", f"{about}, at {point} {text}", "batching", level=2)
