"""The errors of an element-wise op in units of the last digit: its value, first and second derivatives, in each mode."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

from specgrad.runtime.autograd.dual import dual_level, make_dual, unpack_dual
from specgrad.runtime.tensor import dtypes
from specgrad.runtime.tensor.tensor import adopt

from ..verify.calls.entries import Meaning
from ..verify.calls.findings import on_purpose
from ..verify.calls.point import called, gradients
from ..verify.calls.special_values import Setting
from .grid import columns as grid_columns
from .grid import on_corners
from .truth import Expression, Truth, exactly

LIMITS = {"value": 8.0, "gradient": 32.0, "tangent": 32.0, "second derivative": 256.0}
DTYPES = {"float32": np.float32, "float64": np.float64}
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

    @property
    def worst(self) -> int:
        return int(np.argmax(self.units))

    def shown(self, i: int) -> str:
        at = ", ".join(f"{name}={column[i]!s}" for name, column in self.columns.items())
        return f"at ({at}) it is {self.got[i]!s}, not {mp.nstr(self.right[i], 17)}"


class Measured:
    """An op with some numbers, in one dtype, at the points of its grid."""

    def __init__(self, op: Any, meaning: Meaning, setting: Setting, dtype: str, seed: str = "", density: float = 1.0) -> None:
        self.op, self.meaning, self.dtype = op, meaning, dtype
        self.numbers, self.values = setting
        tensors = [a.name for a in meaning.entry.tensor_arguments]
        self.columns = grid_columns(
            meaning.expression, tensors, meaning.entry.masks, self.values, DTYPES[dtype], f"{op.name} {dtype} {seed}", density
        )
        self.expression = Expression(meaning.expression, self._as_computed(), meaning.entry.functions)
        self.count = len(next(iter(self.columns.values())))
        points = {**self.values, **{n: c.astype(float) if c.dtype.kind == "f" else c for n, c in self.columns.items()}}
        self.corners = on_corners(meaning.expression, points, self.count)

    def _as_computed(self) -> dict[str, Any]:
        """Numbers as the kernel has them: of its dtype."""
        kind = DTYPES[self.dtype]
        return {n: float(kind(v)) if isinstance(v, float) else v for n, v in self.values.items()}

    @property
    def names(self) -> list[str]:
        return [name for name in self.meaning.derived if self.columns[name].dtype.kind == "f"]

    def errors(self) -> Iterator[Errors]:
        exact = dict(exactly(self.columns))
        names = self.names
        for k, name in enumerate(names or [next(iter(self.columns))]):
            corners = self.corners | np.array([v == 0 for v in exact[name]], bool)
            truth = self.expression.truth(exact, name, corners)
            if k == 0:
                yield self.compared("value", "", self.value(), truth.value)
            if names:
                yield from self.of_derivatives(name, truth)

    def of_derivatives(self, name: str, truth: Truth) -> Iterator[Errors]:
        first, second = self.backward(name)
        if first is not None:
            yield self.compared("gradient", name, first, truth.first)
        if second is not None:
            yield self.compared("second derivative", name, second, truth.second)
        tangent = self.tangent(name)
        if tangent is not None:
            yield self.compared("tangent", name, tangent, truth.first)

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

    # ---- beside the truth --------------------------------------------------------------------------------------------

    def compared(self, kind: str, argument: str, got: np.ndarray, right: np.ndarray) -> Errors:
        info = np.finfo(DTYPES[self.dtype])
        with mp.workdps(60):
            units = np.array([_units(float(g), r, info) for g, r in zip(np.broadcast_to(got, (self.count,)), right, strict=True)])
        return Errors(kind, argument, self.dtype, self.columns, np.broadcast_to(got, (self.count,)), right, units)


def _units(got: float, right: Any, info: Any) -> float:
    """How many units of the last digit of the right number, which is nan where it is not known, a result is off."""
    if not isinstance(right, mp.mpf) or right != right:
        return 0.0
    size = abs(right)
    if size == mp.inf:
        return 0.0 if got == float(right) else np.inf
    if size > mpf(float(info.max)):
        return 0.0 if abs(got) >= float(info.max) * (1 - 8 * float(info.eps)) and (got > 0) == (right > 0) else np.inf
    if got != got or abs(got) == np.inf:
        return np.inf if size < mpf(float(info.max)) * (1 - 300 * float(info.eps)) else 0.0
    unit = float(info.smallest_normal) * 8 if size < float(info.tiny) else mpf(2) ** (mp.frexp(size)[1] - 1 - info.nmant)
    return float(abs(mpf(got) - right) / unit)


def measured(op: Any, meaning: Meaning, setting: Setting, seed: str = "", density: float = 1.0) -> Iterator[Errors]:
    for dtype in DTYPES:
        yield from Measured(op, meaning, setting, dtype, seed, density).errors()


__all__ = ["LIMITS", "Errors", "Measured", "dtypes", "measured"]
