"""Examples of an op's arguments, and how what `vmap` gives is compared with what a loop gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..point import Point, adopt
from ..report import Finding, Report, both, place_of
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
