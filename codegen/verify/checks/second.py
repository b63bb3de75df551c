"""Check 3: second order. The gradients of the gradients against differences of the gradients.

G(x, v) = J(x)^T v is recorded under create_graph and differentiated by x and v. Random points are compared along one
direction, which sees every mistake but not where; a difference there, and hard points, element by element.
"""

from collections.abc import Sequence

import numpy as np

from ..calls.findings import Report, both, relative_error
from ..calls.finite_differences import Derivatives, derivatives, directional
from ..calls.point import Point, adopt, concatenated, gradients, real, recording

RELATIVE = 1e-5
ABSOLUTE = 1e-8


class Gradients:
    """G at one point: the recorded gradients, and their values as a function of arrays that may be moved."""

    def __init__(self, point: Point) -> None:
        self.point = point
        tensors, outputs, self.seeds = point.recorded()
        value = recording([adopt(s.array.copy()) for s in self.seeds])
        self.inputs = [*tensors, *value]
        self.labels = [leaf.label for leaf in point.leaves] + ["the output's gradient"] * len(value)
        self.grads = gradients(outputs, tensors, value, create=True)
        self.weights = [adopt(point.random(t)) for t in tensors]
        self.arrays = [t.detach().array.copy() for t in self.inputs]

    def values(self) -> np.ndarray:
        count = len(self.point.leaves)
        tensors = recording([adopt(a) for a in self.arrays[:count]])
        return concatenated(gradients(self.point.outputs(tensors), tensors, [adopt(a) for a in self.arrays[count:]]))

    def differentiated(self, number: int) -> np.ndarray:
        return concatenated(gradients([self.grads[number]], self.inputs, [self.weights[number]]))

    def columns(self, number: int) -> np.ndarray:
        parts = [real(w.array) * (k == number) for k, w in enumerate(self.weights)]
        return np.concatenate(parts)


def check_second(point: Point, report: Report) -> None:
    if not point.leaves:
        return
    recorded = Gradients(point)
    first = concatenated([g.detach() for g in recorded.grads])
    exact = [recorded.differentiated(number) for number in range(len(point.leaves))]
    report.checks += len(exact)
    if not point.hard and np.isfinite(first).all() and _along_one_direction(recorded, exact):
        return
    table = derivatives(recorded.values, recorded.arrays)
    for number, value in enumerate(exact):
        worst = _worst(value, table, recorded.columns(number), report)
        if worst is not None:
            _add(recorded, number, value, table, worst, report)


def _along_one_direction(recorded: Gradients, exact: Sequence[np.ndarray]) -> bool:
    along = [real(np.asarray(recorded.point.random(t))) for t in recorded.inputs]
    moved = directional(recorded.values, recorded.arrays, along)
    direction = np.concatenate(along)
    for number, value in enumerate(exact):
        requested = moved * recorded.columns(number)
        scale = np.abs(value * direction).sum() + np.abs(requested).sum()
        error = abs((value * direction).sum() - requested.sum())
        if not (scale < np.inf and error <= RELATIVE * 0.1 * scale + ABSOLUTE):
            return False
    return True


def _worst(value: np.ndarray, table: Derivatives, weights: np.ndarray, report: Report) -> int | None:
    if value.size == 0:
        return None
    used = weights != 0
    low, high = (np.where(used, side * weights, 0) for side in (table.low, table.high))
    low, high = np.minimum(low, high).sum(axis=1), np.maximum(low, high).sum(axis=1)
    scale = np.where(used, np.abs(table.value * weights), 0).sum(axis=1)
    noise = np.where(used, table.noise * np.abs(weights), 0).sum(axis=1)
    outside = np.maximum(low - value, value - high)
    excess = outside / (RELATIVE * scale + noise + ABSOLUTE)
    undefined = ~np.isfinite(scale)
    report.undefined += int(undefined.sum())
    excess = np.where(undefined, 0, np.where(np.isfinite(value), excess, np.inf))
    worst = int(np.argmax(excess))
    return worst if excess[worst] > 1 else None


def _add(recorded: Gradients, number: int, value: np.ndarray, table: Derivatives, worst: int, report: Report) -> None:
    point, leaf = recorded.point, recorded.point.leaves[number]
    weights = recorded.columns(number)
    requested = float(np.where(weights != 0, table.value[worst] * weights, 0).sum())
    sizes = [real(array).size for array in recorded.arrays]
    towards = recorded.labels[int(np.searchsorted(np.cumsum(sizes), worst, side="right"))]
    got, want = both(value[worst], requested)
    text = f"at {point} differentiating the formula by {towards} gives {got}, the formula's own derivative is {want}"
    subject = f"second derivative, gradient of {leaf.argument}"
    report.find(point.op, leaf.argument, text, subject, relative_error(value[worst], requested), level=2)
