"""Fast mode: u^T J v with random vectors u and v instead of the whole Jacobian J.

One pair of differences for each axis of an input and one backward pass for each output say whether the gradients are
right, up to an unlucky draw. The vectors are the same in each run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case
from .jacobians import Jacobians, Pair, Slopes, axes_of, joined, part, pull, push_one, slope
from .report import GradcheckError, Place, Tolerance, fast_mismatch


class Products:
    """The Jacobians of a case multiplied with unit vectors: u[i] for each axis of input i, v[j] for output j."""

    def __init__(self, case: Case, outputs: tuple[Any, ...], eps: float, check_dtypes: bool) -> None:
        self.case = case
        self.outputs = outputs
        self.eps = eps
        self.check_dtypes = check_dtypes
        rng = np.random.default_rng(42)
        self.u = [{axis: unit_vector(rng, x.numel()) for axis in axes_of(x)} for x in case.wanted]
        self.v = [unit_vector(rng, output.numel()) for output in outputs]
        self._slopes: dict[int, Slopes] = {}

    def slopes(self, i: int) -> Slopes:
        """The central differences of every output along u[i], taken once."""
        if i not in self._slopes:
            x, call = self.case.wanted[i], self.case.outputs
            self._slopes[i] = {axis: slope(call, x, axis * u, self.eps) for axis, u in self.u[i].items()}
        return self._slopes[i]

    def numerical(self, i: int, j: int, axis: complex) -> np.ndarray:
        """u^T J v by differences."""
        return joined([np.asarray(part(found[j], axis) @ self.v[j]) for found in self.slopes(i).values()])

    def backward(self, j: int, axis: complex) -> list[np.ndarray]:
        """u^T J v by backward of v, for each input."""
        output = self.outputs[j]
        start = axis if output.is_complex() else 1
        pulled = pull(output, self.case.wanted, start * self.v[j], self.check_dtypes)
        return [
            joined([np.asarray(part(g, axis_of_x) @ u) for axis_of_x, u in us.items()])
            for g, us in zip(pulled, self.u, strict=True)
        ]

    def forward(self, i: int, axis: complex) -> list[np.ndarray]:
        """J u by forward mode, for each output."""
        return push_one(self.case, i, axis * self.u[i][axis])

    def tolerance(self, given: Tolerance, i: int, j: int | None = None) -> Tolerance:
        """Entries that are each off by atol move u^T J v by up to atol |u| |v| in the 1-norm."""
        size = sum(float(u.sum()) for u in self.u[i].values())
        return Tolerance(given.atol * size * (1.0 if j is None else float(self.v[j].sum())), given.rtol)

    def error(self, place: Place, axis: complex, pair: Pair, tolerance: Tolerance) -> GradcheckError:
        """What is said of a pair (numerical, analytical) that differs: it is shown with the whole Jacobians."""
        whole = Jacobians(self.case, self.outputs, self.eps, self.check_dtypes)
        if place.forward:
            slow = whole.slopes(place.input)[axis][place.output], whole.forward(place.input, axis)[place.output]
        else:
            slow = whole.numerical(place.input, place.output, axis), whole.backward(place.output, axis)[place.input]
        return fast_mismatch(place, pair, slow, tolerance)


def unit_vector(rng: np.random.Generator, count: int) -> np.ndarray:
    """A random vector of length 1 without negative entries."""
    vector = rng.random(count)
    return vector / np.linalg.norm(vector) if count else vector
