"""The errors of distributions beside mpmath at 130 digits.

`worst_errors(name, dtype)` gives, for each function of a distribution and its derivatives, the largest error and where
it is. Errors are in units of the rounding of the result and of the inputs: |found - true| over eps times the true value
(at least 1 for logarithms of densities) and what it changes by when each input moves by its own relative rounding. So a
method that rounds nothing but its inputs and its result has an error of about 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

import specgrad as sg
from tests.nn.distributions.formulas import Formula
from tests.nn.distributions.references import REFERENCES, Reference

DIGITS = 130
STEP = mp.mpf(10) ** -33  # of differences, relative
RESOLVED = mp.mpf(10) ** -40  # smaller derivatives, of a value of 1 and an argument of 1, have too few digits


class Worst(NamedTuple):
    """The largest error of a function, where it is, and what was found and is true there."""

    error: float
    at: dict[str, float]
    found: float
    true: float


def moved(formula: Formula, args: list[Any], i: int, step: Any) -> Any:
    return formula(*args[:i], args[i] + step, *args[i + 1 :])


def difference(formula: Formula, args: list[Any], i: int) -> Any:
    """The central difference by one argument, whose relative error is that of `STEP` squared."""
    step = abs(args[i]) * STEP if args[i] else STEP
    return (moved(formula, args, i, step) - moved(formula, args, i, -step)) / (2 * step)


def derivative_of(formula: Formula, i: int) -> Formula:
    return lambda *args: difference(formula, list(args), i)


def true_and_tolerance(formula: Formula, args: list[Any], floor: float, varied: range) -> tuple[Any, Any]:
    """The value, and what it changes by, at most, for a relative change of 1 of itself and of each argument."""
    true = formula(*args)
    changes = [abs(moved(formula, args, i, args[i] * STEP) - true) / STEP for i in varied]
    return true, max(abs(true), floor) + sum(changes)


def computed(reference: Reference, function: str, columns: list[np.ndarray], library: Any) -> dict[str, np.ndarray]:
    """The library's values, and derivatives by the value and by each parameter, at all points at once."""
    *parameters, value = [library.tensor(column).requires_grad_() for column in columns]
    if function == "log_prob" and reference.is_discrete:
        value = value.detach()
    make = reference.make if library is sg else getattr(library.distributions, reference.make.__name__)
    result = getattr(make(*parameters), function)(value)
    inputs = dict(zip((*reference.parameters, "value"), (*parameters, value), strict=True))
    inputs = {name: tensor for name, tensor in inputs.items() if tensor.requires_grad}
    gradients = library.autograd.grad(result.sum(), list(inputs.values()), allow_unused=True, materialize_grads=True)
    found = {function: result.detach().numpy()}
    for name, gradient in zip(inputs, gradients, strict=True):
        found[f"d {function} / d {name}"] = gradient.numpy()
    return found


def worst_errors(name: str, dtype: Any = np.float64, library: Any = sg) -> dict[str, Worst]:
    """The largest errors of a distribution's functions and of their first derivatives, by name, over its grid.

    Another library with PyTorch's names may lack some of them.
    """
    reference, results = REFERENCES[name], {}
    for function, formula in reference.formulas.items():
        points = np.array(reference.points[function], dtype)
        try:
            found = computed(reference, function, list(points.T), library)
        except (AttributeError, NotImplementedError, RuntimeError, ValueError):
            if library is sg:
                raise
            continue
        order = ["value", *reference.parameters]  # of the formula's arguments
        with mp.workdps(DIGITS):
            numbers = [[mp.mpf(float(x)) for x in (row[-1], *row[:-1])] for row in points]
            for quantity, values in found.items():
                of = quantity.partition(" / d ")[2]
                exact = derivative_of(formula, order.index(of)) if of else formula
                floor = 1.0 if quantity == "log_prob" else 0.0
                results[quantity] = _worst(exact, numbers, values, floor, order, np.finfo(dtype), reference)
    return results


def _worst(
    exact: Formula,
    numbers: list[list[Any]],
    values: np.ndarray,
    floor: float,
    order: list[str],
    limits: Any,
    reference: Reference,
) -> Worst:
    worst = Worst(-1.0, {}, 0.0, 0.0)
    varied = range(1 if reference.is_discrete else 0, len(order))
    for args, value in zip(numbers, values, strict=True):
        true, tolerance = true_and_tolerance(exact, args, floor, varied)
        if not abs(true) < float(limits.max) or max(abs(true), abs(value)) < RESOLVED:
            continue
        unit = float(limits.eps) * tolerance + float(limits.tiny)
        error = float(abs(mp.mpf(float(value)) - true) / unit) if np.isfinite(value) else np.inf
        if error > worst.error:
            at = dict(zip(order, map(float, args), strict=True))
            worst = Worst(error, at, float(value), float(true))
    return worst
