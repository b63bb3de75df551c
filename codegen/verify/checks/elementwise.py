"""Check 8: an element-wise op at the numbers where it may be special, which are found from its entry.

Gradients are compared with the symbolic derivative, and on boundaries with differences. Both sides of every condition
are computed; the result is what the expression means; where the function has a value the gradient is no nan, where it
has none, nor a derivative, the gradient is nan; and no single point is nan between numbers.
"""

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from specgrad.runtime.tensor import dtypes

from ...proof.boundaries import Sides, conditions
from ...proof.numbers import Unknown, evaluate
from ..calls.entries import Meaning, meaning_of
from ..calls.findings import Report, both, nan_advice, number, on_purpose
from ..calls.finite_differences import derivatives
from ..calls.point import adopt, called, gradients
from ..calls.samples import Drawing, SampledArgument, sample_calls
from ..calls.special_values import BESIDE, Spots, spots

RELATIVE = 1e-9  # of what is computed in two ways
BY_DIFFERENCES = 1e-4
SMOOTH = 1e-7  # derivatives from both sides that differ by less, in units of the steps, are one to `derivatives`
SMALLER = 2.0**-5  # steps of differences: where derivatives meet in a corner of their own, large ones are not exact
TINY = 1e-140  # smaller ones have squares that are 0, with which the symbolic derivative may be computed
PROBE_OFFSETS = (1e-9, 1e-6)  # where a value is looked for beside a point that has none


def check_elementwise(op: Any, report: Report) -> None:
    meaning = meaning_of(op) if "float" in op.dtypes else None
    if meaning is None or takes_single_numbers(op):
        return
    sides, computed = Sides(conditions(meaning.trees)), 0
    for sample_points in spots(op, meaning):
        try:
            looked = Look(op, meaning, sample_points, report)
        except Exception as error:
            if not on_purpose(error):
                raise
            continue
        computed += 1
        points = sample_points.points_everywhere
        sides.look(points, len(points["grad"]))
        looked.check()
    if not computed and "(a!)" not in op.schema.partition("->")[0]:  # a leaf is not written to
        report.find(op, "", "no call could be made: nothing was compared", "samples")
    for condition, side in sides.missed():
        text = f"no sample reaches the side where `{condition}` is {side}"
        report.find(op, "elementwise", text, "samples", size=0.0)


def takes_single_numbers(op: Any) -> bool:
    calls = [Drawing(op, text, False, dtypes).arguments(text) for text in sample_calls(op)]
    tensors = [[(name, v) for name, v in call.items() if isinstance(v, SampledArgument)] for call in calls]
    sample = [{name for name, value in each if not value.array.ndim} for each in tensors]
    return bool(sample and set.intersection(*sample))


class Look:
    def __init__(self, op: Any, meaning: Meaning, sample_points: Spots, report: Report) -> None:
        self.op, self.meaning, self.sample_points, self.report = op, meaning, sample_points, report
        self.names = [name for name in meaning.derived if sample_points.columns[name].dtype.kind == "f"]
        self.boundaries, self.is_beside = self.counted()
        self.value, self.gradients = self.computed(sample_points.columns)
        self.is_nan = np.isnan(self.value)
        floats = [c for c in sample_points.columns.values() if c.dtype.kind == "f"]
        self.has_nan = np.any([np.isnan(c) for c in floats], axis=0)
        small = [(c != 0) & (np.abs(c) < TINY) for c in floats]
        self.is_plain = ~np.any(small, axis=0)
        self.is_finite = np.all([np.isfinite(c) for c in sample_points.columns.values()], axis=0)

    def computed(self, columns: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        tensors = {name: adopt(column.copy()) for name, column in columns.items()}
        for name in self.names:
            tensors[name].requires_grad_()
        (output,) = called(self.op.function, {**self.sample_points.numbers, **tensors})
        if not output.requires_grad:
            self.names = []
        inputs = [tensors[n] for n in self.names]
        result = gradients([output], inputs, [adopt(np.ones(self.sample_points.count))]) if inputs else []
        by_name = {n: g.detach().array for n, g in zip(self.names, result, strict=True)}
        return output.detach().array.astype(float), by_name

    def check(self) -> None:
        self.report.checks += 3 + len(self.names)
        self.compare_values()
        self.look_for_holes()
        for name in self.names:
            self.compare_gradient(name)
        self.check_argument_swap()

    # ---- values ------------------------------------------------------------------------------------------------------

    def compare_values(self) -> None:
        requested = self.evaluated(self.meaning.expression)
        if requested is None or self.op.result_dtype[0] != "same":
            return
        same = np.isclose(self.value, requested, RELATIVE, 1e-300, equal_nan=True)
        same |= self.conditioned(requested) > abs(self.value - requested)
        signs = (self.value != 0) | (requested != 0) | (np.signbit(self.value) == np.signbit(requested))
        same &= signs | (self.boundaries > 0)
        same |= np.isnan(requested) & ~self.is_finite & ~self.has_nan  # not every function of SciPy knows its limits
        self.find(same, self.value, requested, "", "the kernel gives {}, the expression means {}")

    def conditioned(self, requested: np.ndarray) -> np.ndarray:
        total = np.zeros(self.sample_points.count)
        for name, column in self.sample_points.columns.items():
            derivative = self.evaluated(self.meaning.derived[name]) if name in self.meaning.derived else None
            if derivative is not None:
                total = total + np.abs(derivative * column) * 2.0**-52
            elif column.dtype.kind == "f" and name not in self.meaning.entry.gradients:
                moved = self.evaluated(self.meaning.expression, {name: column * (1 + 2.0**-52)})
                total = total if moved is None else total + np.abs(moved - requested)
        return np.asarray(np.nan_to_num(64 * total, posinf=0.0) + 1e-15)

    def look_for_holes(self) -> None:
        holes = self.is_nan & ~self.has_nan & self.is_finite
        for name in self.sample_points.columns:
            if holes.any() and self.sample_points.columns[name].dtype.kind == "f":
                holes &= self.surrounded(name)
        self.find(~holes, self.value, self.value, "", "the result is {}, between values that agree")

    def surrounded(self, name: str) -> np.ndarray:
        column = self.sample_points.columns[name]
        scale = np.maximum(1.0, np.abs(column))
        shifts = [sign * offset * scale for sign in (-1, 1) for offset in PROBE_OFFSETS]
        neighbors = [self.computed({**self.sample_points.columns, name: column + shift})[0] for shift in shifts]
        variation = np.max(neighbors, axis=0) - np.min(neighbors, axis=0)
        return np.asarray(np.isfinite(variation) & (variation <= 1e-3 * (1 + np.abs(neighbors[0]))))

    # ---- gradients ---------------------------------------------------------------------------------------------------

    def compare_gradient(self, name: str) -> None:
        value, derived = self.gradients[name], self.evaluated(self.meaning.derived[name])
        differs = "the formula gives {}, the function's derivative is {}"
        if derived is not None:
            inside = self.is_finite & self.is_plain & np.isfinite(derived) & np.isfinite(self.value)
            allowed = RELATIVE * (np.abs(value) + np.abs(derived)) + 1e-11 + self.uncertainty(name, derived)
            same = np.abs(value - derived) <= allowed
            self.find(same | ~(inside & (self.boundaries == 0)), value, derived, name, differs)
            outside = self.is_nan & np.isnan(derived) & (self.boundaries == 0) & (self.is_finite | self.has_nan)
            text = "the formula gives {}, where the function and its derivative are {}"
            self.find(~(outside & np.isfinite(value)), value, derived, name, text)
        moved = self.differences(name)
        settled = np.isfinite(moved) & ~self.sample_points.directly & ~self.is_beside & np.isfinite(self.value)
        allowed = BY_DIFFERENCES * (np.abs(value) + np.abs(moved)) + SMOOTH / self.steps(name)
        close = np.abs(value - moved) <= allowed
        known = ~np.isnan(value) if derived is None else ~(np.isnan(value) & np.isnan(derived))
        special = settled & known & self.is_plain & np.where(self.is_finite, self.boundaries == 1, ~np.isnan(value))
        self.find(close | ~special, value, moved, name, differs)
        nan = np.isnan(value) & np.isfinite(self.value) & self.is_finite & known & (derived is not None)
        self.find(~nan, value, self.value, name, "the formula gives {}, where the function is {}")

    def uncertainty(self, name: str, derived: np.ndarray) -> np.ndarray:
        """The rounding error of the symbolic derivative: how much it changes with the last digits of the arguments, and
        with those of intermediate results, where there are longer numbers than float64."""
        tree, worst = self.meaning.derived[name], np.zeros(self.sample_points.count)
        longer = {n: c.astype(np.longdouble) for n, c in self.sample_points.columns.items() if c.dtype.kind == "f"}
        for moved in (*(self.moved(by) for by in (-3, -1, 2, 5)), longer):
            there = self.evaluated(tree, moved)
            if there is not None:
                worst = np.fmax(worst, np.nan_to_num(np.abs(there - derived), nan=np.inf))
        return np.asarray(16 * worst)

    def moved(self, by: int) -> dict[str, np.ndarray]:
        return {n: c * (1 + by * 2.0**-52) if c.dtype.kind == "f" else c for n, c in self.sample_points.columns.items()}

    def steps(self, name: str) -> np.ndarray:
        column = self.sample_points.columns[name]
        return np.asarray(SMALLER * np.maximum(1.0, np.where(np.isfinite(column), np.abs(column), 1.0)))

    def differences(self, name: str) -> np.ndarray:
        column, shift = self.sample_points.columns[name], np.zeros(1)
        scale = self.steps(name)
        order = list(self.meaning.entry.formulas)
        policy = self.op.kink[order.index(name) if len(self.op.kink) > 1 else 0]
        names, self.names = self.names, []
        columns = self.sample_points.columns
        table = derivatives(
            lambda: self.differentiated({**columns, name: column + shift[0] * scale}), [shift], [policy]
        )
        self.names = names
        return np.asarray(table.value[0] / scale)

    def differentiated(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        if self.meaning.entry.derivative_of is None:
            return self.computed(columns)[0]
        values = self.evaluated(self.meaning.differentiated, columns)
        return np.full(self.sample_points.count, np.nan) if values is None else values

    def counted(self) -> tuple[np.ndarray, np.ndarray]:
        """On how many boundaries a point lies: equal sides, denominators of 0; whether differences reach beyond one."""
        results: dict[str, np.ndarray] = {}
        for condition in conditions(self.meaning.trees):
            difference = self.evaluated(condition.difference)
            if difference is not None:
                results[ast.unparse(condition.difference)] = difference
        table = np.array([np.zeros(self.sample_points.count) + 1, *results.values()])
        return np.sum(table == 0, axis=0), np.any((table != 0) & (np.abs(table) < BESIDE / 2), axis=0)

    def check_argument_swap(self) -> None:
        if len(self.names) != 2 or len(self.sample_points.columns) != 2:
            return
        one, other = self.names
        x, y = self.sample_points.columns[one], self.sample_points.columns[other]
        value, result = self.computed({one: y, other: x})
        differing = (x != y) & ~np.isnan(x + y) | (np.isnan(x) != np.isnan(y))
        if not np.array_equal(value[differing], self.value[differing], equal_nan=True):
            return
        scale = np.nan_to_num(np.abs(self.gradients[one]) + np.abs(self.gradients[other]), posinf=0.0) + 1e-300
        same = np.isclose(self.gradients[one], result[other], RELATIVE, RELATIVE * scale, equal_nan=True) | ~differing
        text = f"the gradient is {{}}, that of {other} with both exchanged is {{}}"
        self.find(same, self.gradients[one], result[other], one, text)

    # ---- common ------------------------------------------------------------------------------------------------------

    def evaluated(self, tree: Any, columns: Mapping[str, np.ndarray] | None = None) -> np.ndarray | None:
        try:
            with np.errstate(all="ignore"):
                points = {**self.sample_points.points, **(columns or {})}
                return np.broadcast_to(evaluate(tree, points), (self.sample_points.count,)).astype(float)
        except (Unknown, TypeError, ValueError):
            return None

    def find(self, right: np.ndarray, value: np.ndarray, requested: np.ndarray, name: str, text: str) -> None:
        if right.all():
            return
        wrong = np.flatnonzero(~right)
        error = np.abs(value - requested)[wrong] / (np.abs(value) + np.abs(requested) + 1e-300)[wrong]
        worst = int(wrong[np.argmax(np.nan_to_num(error, nan=0.5))])
        a, b = value[worst], requested[worst]
        shown = both(a, b) if a != b else (number(a), number(b))
        advice = self.advice(worst) if np.isnan(a) or np.isnan(b) else ""
        message = f"at {self.sample_points.at(worst)} {text.format(*shown)}{advice}"
        subject = f"gradient of {name}" if name else "result"
        self.report.find(self.op, name or "elementwise", message, subject, size=0.5)

    def advice(self, i: int) -> str:
        """For numbers that no sample has, or tensors, which are looked at beyond their domains if they are varied."""
        if changed := self.sample_points.changed:
            return nan_advice(changed)
        values = {name: column[i] for name, column in self.sample_points.columns.items()}
        outside = {name: value for name, value in values.items() if not (value != value or self.is_inside(name, value))}
        if not outside:
            return ""
        shown = " or ".join(f"{name}={value:g}" for name, value in outside.items())
        name = next(iter(outside))
        keys = f"`domain: {{{name}: [lo, hi]}}` with `skip_grad_args: {{{name}: why}}`"
        return f" (if the function is not asked for {shown}, the entry says so: {keys})"

    def is_inside(self, name: str, value: Any) -> bool:
        return name in self.op.domain and self.op.domain[name][0] <= value <= self.op.domain[name][1]
