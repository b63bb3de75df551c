"""Check 9: `replaces`, by which in place each element keeps its value or gets one that it has no part in.

The op is written into a tensor, and into the same tensor with other values. An element that keeps its value does so in
both; one that gets another gets the same in both. This does not concern what flags make of an op (`accumulate=True`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.modes.grad_mode import no_grad
from specgrad.runtime.tensor.base import adopt

from ..point import Point
from ..report import Finding, Report, both, place_of
from ..samples import points


def check_replaces(op: Any, report: Report) -> None:
    """Whether an op that says so replaces at all its calls, but for those that give a flag."""
    for text, hard, is_complex in points(op) if op.replaces else ():
        point = Point(op, text, hard, is_complex)
        if not any(isinstance(value, bool) for value in point.arguments.values()):
            report.checks += 1
            if refuted := _refuting(point):
                report.add(Finding(place_of(op, "replaces"), op.name, "replaces", refuted))
                return


def _refuting(point: Point) -> str | None:
    """An element that neither keeps its value nor gets one that does not depend on it; None where none is seen."""
    tensors = (*point.leaves, *point.constants)
    first = next((own for own in tensors if own is point.arguments.get("self")), None)
    if first is None:
        return None
    before = first.array
    try:
        after = _written(point, before)
    except RuntimeError:  # the result does not fit into the tensor
        return None
    for other in others(before, [own.array for own in tensors if own is not first]):
        changed = _written(point, other)
        if after.shape != before.shape:
            return f"at {point} the shape becomes {list(after.shape)}"
        kept = _equal(after, before) & _equal(changed, other)
        wrong = np.argwhere(~(kept | _equal(after, changed)))
        if len(wrong):
            place = tuple(map(int, wrong[0]))
            numbers = [*both(after[place], before[place]), *both(changed[place], other[place])]
            return "at {} element {} becomes {} from {}, and {} from {}".format(point, list(place), *numbers)
    return None


def others(array: np.ndarray, given: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Arrays of other values: another one in each place, the opposite, none at all, and those of other tensors."""
    yield from (own for own in given if own.shape == array.shape and own.dtype == array.dtype)
    if array.dtype.kind == "b":
        yield ~array
        return
    yield array + np.array([2, -3] * array.size)[: array.size].reshape(array.shape).astype(array.dtype)
    yield np.asarray(-array)
    yield np.zeros_like(array)


def _written(point: Point, values: np.ndarray) -> np.ndarray:
    """What is in a tensor of these values after the op has written to it."""
    first = point.arguments["self"]
    leaves = [adopt((values if leaf is first else leaf.array).copy()) for leaf in point.leaves]
    constants = [adopt((values if own is first else own.array).copy()) for own in point.constants]
    with no_grad(), np.errstate(all="ignore"):
        found = point.call(leaves, point.op.inplace, constants)[0]
    return np.asarray(found.array)


def _equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray((a == b) | ((a != a) & (b != b)))
