"""The errors of an element-wise op in units of the last digit: of its value and its derivatives, in each mode."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

from specgrad.runtime.autograd.dual import dual_level, make_dual, unpack_dual
from specgrad.runtime.tensor.tensor import adopt

from ...proof.exact_values import Expression, Truth, exactly
from ...proof.grid import FULL, Density, on_corners
from ...proof.grid import columns as grid_columns
from .entries import Meaning
from .findings import on_purpose
from .point import called, gradients
from .special_values import Setting, inside_domains

LIMITS = {"value": 8.0, "gradient": 32.0, "tangent": 32.0, "second derivative": 256.0}
DTYPES: dict[str, Any] = {"float32": np.float32, "float64": np.float64}
Columns = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Errors:
    """Of one kind of result in one dtype: the units that each point is off, infinite where it is no number at all."""

    kind: str  # a key of LIMITS
    argument: str
    dtype: str
    columns: Columns
    got: np.ndarray
    right: np.ndarray
    units: np.ndarray
    limits: np.ndarray

    @property
    def worst(self) -> int:
        return int(np.argmax(self.units / self.limits))

    @property
    def is_beyond(self) -> bool:
        return bool(self.units[self.worst] > self.limits[self.worst])

    def shown(self, i: int) -> str:
        at = ", ".join(f"{name}={column[i]!s}" for name, column in self.columns.items())
        return f"at ({at}) it is {self.got[i]!s}, not {mp.nstr(self.right[i], 17)}"


class Measured:
    """An op with some numbers, in one dtype, at the points of its grid."""

    def __init__(
        self, op: Any, meaning: Meaning, setting: Setting, dtype: str, seed: str = "", density: Density = FULL
    ) -> None:
        self.op, self.meaning, self.dtype = op, meaning, dtype
        self.numbers, self.values = setting
        tensors = [a.name for a in meaning.entry.tensor_arguments]
        entry = meaning.entry  # of what formulas alone call, the domain is all that is asked
        bounds = entry.domain if entry.variants == ("formula",) else {}
        name = f"{op.name} {dtype} {seed}"
        self.columns = grid_columns(
            meaning.expression, tensors, entry.masks, self._as_computed(), DTYPES[dtype], name, density, bounds
        )
        inside = inside_domains(op, self.columns)
        self.columns = {name: column[inside] for name, column in self.columns.items()}
        self.expression = Expression(meaning.expression, self._as_computed(), meaning.entry.functions)
        self.count = len(next(iter(self.columns.values())))
        points = {
            **self._as_computed(),
            **{n: c.astype(float) if c.dtype.kind == "f" else c for n, c in self.columns.items()},
        }
        self.corners = on_corners(meaning.expression, points, self.count)

    def _as_computed(self) -> dict[str, Any]:
        """Numbers as the kernel has them: of its dtype."""
        kind = DTYPES[self.dtype]
        return {n: float(kind(v)) if isinstance(v, float) else v for n, v in self.values.items()}

    @property
    def names(self) -> list[str]:
        return [name for name in self.meaning.derived if self.columns[name].dtype.kind == "f"]

    def errors(self) -> Iterator[Errors]:
        if not self.count:
            return
        exact = dict(exactly(self.columns))
        names = self.names
        for k, name in enumerate(names or [next(iter(self.columns))]):
            corners = self.corners | np.array([v == 0 for v in exact[name]], bool)
            truth = self.truth(exact, name, corners)
            if k == 0:
                yield self.compared("value", "", self.value(), truth.value, self.condition(truth.value, truth.first))
            if names:
                yield from self.of_derivatives(name, truth)

    def truth(self, exact: Columns, name: str, corners: np.ndarray) -> Truth:
        """Steps come closer to each other than differences: there the derivative is what the expression's rule says."""
        derived = self.meaning.derived.get(name)
        if not isinstance(derived, ast.Constant):
            return self.expression.truth(exact, name, corners)
        with mp.workdps(60):
            value = self.expression.at(exact)
        flat = np.full(self.count, mpf(derived.value), object)
        return Truth(np.where(np.array([mp.isinf(v) for v in exact[name]], bool), mp.nan, value), flat, flat * 0)

    def of_derivatives(self, name: str, truth: Truth) -> Iterator[Errors]:
        first, second = self.backward(name)
        condition = self.condition(truth.first, truth.second)
        if first is not None:
            yield self.compared("gradient", name, first, truth.first, condition)
        if second is not None and self.meaning.entry.variants != ("formula",):  # formulas call these once
            right = np.where(self.may_leave_the_range(truth), mp.nan, truth.second)
            yield self.compared("second derivative", name, second, right, condition + 1 / np.maximum(condition, 1e-300))
        tangent = self.tangent(name)
        if tangent is not None:
            yield self.compared("tangent", name, tangent, truth.first, condition)

    def may_leave_the_range(self, truth: Truth) -> np.ndarray:
        """Where a first derivative overflows, or products of arguments may: nothing is asked of second ones there."""
        info = np.finfo(DTYPES[self.dtype])
        largest = mpf(float(info.max))
        result = np.array([max(abs(a), abs(b)) > largest for a, b in zip(truth.first, truth.second, strict=True)], bool)
        floats = [np.abs(c) for c in self.columns.values() if c.dtype.kind == "f"]
        low, high = float(info.tiny) ** 0.25, float(info.max) ** 0.25
        return result | (len(floats) > 1) & np.any([(c != 0) & ((c < low) | (c > high)) for c in floats], axis=0)

    # ---- what the op gives -------------------------------------------------------------------------------------------

    def tensors(self) -> dict[str, Any]:
        return {name: adopt(column.copy()) for name, column in self.columns.items()}

    def call(self, tensors: Mapping[str, Any]) -> Any:
        with np.errstate(all="ignore"):
            return called(self.op.function, {**self.numbers, **tensors})[0]

    def value(self) -> np.ndarray:
        return np.asarray(self.call(self.tensors()).array)

    def backward(self, name: str) -> tuple[np.ndarray | None, np.ndarray | None]:
        tensors = self.tensors()
        tensors[name].requires_grad_()
        seed = adopt(np.ones(self.count, DTYPES[self.dtype]))
        output = self.call(tensors)
        if not output.requires_grad:
            return None, None
        with np.errstate(all="ignore"):
            first = gradients([output], [tensors[name]], [seed])[0].array
            try:
                (recorded,) = gradients([self.call(tensors)], [tensors[name]], [seed], create=True)
                second = gradients([recorded], [tensors[name]], [seed])[0].array if recorded.requires_grad else None
            except RuntimeError as error:
                if not on_purpose(error):
                    raise
                second = None
        return first, second

    def tangent(self, name: str) -> np.ndarray | None:
        tensors = self.tensors()
        try:
            with dual_level(), np.errstate(all="ignore"):
                tensors[name] = make_dual(tensors[name], adopt(np.ones(self.count, DTYPES[self.dtype])))
                tangent = unpack_dual(self.call(tensors)).tangent
        except RuntimeError as error:
            if not on_purpose(error):
                raise
            return None
        return None if tangent is None else np.asarray(tangent.array)

    def condition(self, value: np.ndarray, derivative: np.ndarray) -> np.ndarray:
        """How many units of a value one unit of the largest argument makes."""
        floats = [np.abs(c.astype(float)) for c in self.columns.values() if c.dtype.kind == "f"]
        size = np.max(floats, axis=0)
        with mp.workdps(60):
            ratios = [abs(s / v) if v and mp.isfinite(s) else mp.inf for v, s in zip(value, derivative, strict=True)]
            products = [a * r if np.isfinite(a) else mpf(0) for a, r in zip(size.tolist(), ratios, strict=True)]
        return np.array([min(float(p), 1e300) if p == p else 0.0 for p in products])

    # ---- beside the truth --------------------------------------------------------------------------------------------

    def compared(self, kind: str, argument: str, got: np.ndarray, right: np.ndarray, condition: np.ndarray) -> Errors:
        got = np.broadcast_to(got, (self.count,))
        limits = LIMITS[kind] + self.meaning.entry.inexact[0] * condition
        units = compared(got, right, self.dtype, self.columns)
        return Errors(kind, argument, self.dtype, self.columns, got, right, units, limits)


def compared(got: np.ndarray, right: np.ndarray, dtype: str, columns: Columns) -> np.ndarray:
    """How many units of the last digit each result is off."""
    info = np.finfo(DTYPES[dtype])
    is_finite = np.all([np.isfinite(c) for c in columns.values() if c.dtype.kind == "f"], axis=0)
    rows = zip(got.tolist(), right, is_finite.tolist(), strict=True)
    with mp.workdps(60):
        return np.array([_units(g, r, info, finite) for g, r, finite in rows])


def _units(got: float, right: Any, info: Any, is_finite: bool) -> float:
    """How many units of the last digit of the right number, which is nan where it is not known, a result is off."""
    if not isinstance(right, mp.mpf) or right != right:
        return 0.0
    size = abs(right)
    if size == 0 and is_finite:
        return 0.0  # no normal number: what is left of two parts that cancel
    if size == mp.inf:
        return 0.0 if got == float(right) else np.inf
    if size > mpf(float(info.max)):
        return 0.0 if abs(got) >= float(info.max) * (1 - 300 * float(info.eps)) else np.inf
    if got != got or abs(got) == np.inf:
        return np.inf if size < mpf(float(info.max)) * (1 - 300 * float(info.eps)) else 0.0
    unit = (
        float(info.smallest_normal) * 8 if size < float(info.tiny) else mpf(2) ** (mp.frexp(size)[1] - 1 - info.nmant)
    )
    return float(abs(mpf(got) - right) / unit)


def measured(op: Any, meaning: Meaning, setting: Setting, seed: str = "", density: Density = FULL) -> Iterator[Errors]:
    for dtype in DTYPES:
        yield from Measured(op, meaning, setting, dtype, seed, density).errors()
