"""The steps of a gradient check, in the order in which PyTorch takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .batched import check_batched_backward, check_batched_forward
from .case import Case
from .jacobians import Jacobians, Products, difference, unit_vectors
from .report import GradcheckError, Place, Tolerance
from .undefined import check_linear_in_gradient, check_undefined_gradients, check_undefined_tangents


@dataclass(frozen=True)
class Checks:
    """The arguments of `gradcheck`: the checks that are made, and their tolerances."""

    eps: float
    tolerance: Tolerance
    nondet_tol: float
    fast: bool
    backward: bool
    forward: bool
    undefined: bool
    dtypes: bool
    batched_backward: bool
    batched_forward: bool


def run(case: Case, checks: Checks) -> None:
    """Make all checks; a GradcheckError says which one failed."""
    outputs = case.outputs()
    if not outputs:
        _check_constant(case, checks.eps)
        return
    jacobians: Any = (Products if checks.fast else Jacobians)(case, outputs, checks.eps, checks.dtypes)
    if checks.backward:
        _check_backward(checks, jacobians)
    if checks.forward:
        _check_forward(checks, jacobians)
        if checks.undefined:
            check_undefined_tangents(case)
    if checks.batched_forward:
        check_batched_forward(case)
    if checks.batched_backward:
        check_batched_backward(case, outputs)
    if checks.backward:
        check_linear_in_gradient(case, outputs)
        if checks.undefined:
            check_undefined_gradients(case, outputs)


def _check_constant(case: Case, eps: float) -> None:
    """Where no output requires grad, none may depend on the inputs."""
    for x in case.wanted:
        for direction in unit_vectors(x.numel()):
            if any(np.any(found != 0) for found in difference(case.results, x, direction, eps)):
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _parts(tensors: tuple[Any, ...]) -> dict[str, complex]:
    """Which parts of complex numbers are looked at in turn; the one part of real numbers has no name."""
    return {"imaginary": 1j, "real": 1} if any(t.is_complex() for t in tensors) else {"": 1}


def _check_backward(checks: Checks, jacobians: Any) -> None:
    for name, axis in _parts(jacobians.outputs).items():
        for j in range(len(jacobians.outputs)):
            analytical = jacobians.backward(j, axis)
            for i, found in enumerate(analytical):
                place = Place(j, i, part=name)
                numerical, tolerance = jacobians.numerical(i, j, axis), jacobians.tolerance(checks.tolerance, i, j)
                if not tolerance.holds(found, numerical):
                    raise jacobians.error(place, axis, (numerical, found), checks.tolerance)
            _check_same_again(analytical, jacobians.backward(j, axis), checks.nondet_tol)


def _check_same_again(first: list[np.ndarray], second: list[np.ndarray], tolerance: float) -> None:
    for a, b in zip(first, second, strict=True):
        if not np.allclose(a, b, rtol=0.0, atol=tolerance):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient. "
                f"The tolerance for nondeterminism was {tolerance}; nondet_tol sets it."
            )


def _check_forward(checks: Checks, jacobians: Any) -> None:
    wanted = jacobians.case.wanted
    for name, axis in _parts(wanted).items():
        for i, x in enumerate(wanted):
            along = axis if x.is_complex() else 1
            tolerance = jacobians.tolerance(checks.tolerance, i)
            pairs = zip(jacobians.differences(i)[along], jacobians.forward(i, along), strict=True)
            for j, pair in enumerate(pairs):
                if not tolerance.holds(pair[1], pair[0]):
                    raise jacobians.error(Place(j, i, True, name), along, pair, checks.tolerance)
