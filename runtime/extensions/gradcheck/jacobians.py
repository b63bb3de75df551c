"""Jacobians of a function by central differences, by backward and by forward mode, whole or multiplied with vectors.

Rows stand for the elements of one input, columns for those of one output. A complex input counts as PyTorch counts it:
the entry of a real output s is ds/dx + i ds/dy. A complex output is looked at twice, its real and its imaginary part;
forward mode looks twice at a complex input instead, moving along its real and along its imaginary axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...autograd.backward import grad
from ...autograd.dual import dual_level, make_dual, unpack_dual
from ...errors import RefusedValueError
from ...tensor.memory import copy_cast, placed
from ...tensor.tensor import adopt, host_array
from .case import Case, GradcheckError, JacobianEntry, Pair, Tolerance, fast_mismatch, mismatch

Call = Callable[[], tuple[Any, ...]]
Differences = dict[complex, list[np.ndarray]]  # for the steps 1 and 1j: the derivatives of each output


def axes_of(x: Any) -> tuple[complex, ...]:
    return (1, 1j) if x.is_complex() else (1,)


def flat(t: Any, like: Any) -> np.ndarray:
    """The elements of a tensor (zeros for None) as a flat array of their own, in double precision."""
    wide = np.complex128 if like.is_complex() else np.float64
    return np.zeros(like.numel(), wide) if t is None else np.array(host_array(t), wide).reshape(-1)


def tensor_like(values: np.ndarray, like: Any) -> Any:
    return adopt(placed(values.reshape(like.shape), like.device), like.dtype)


def random_like(t: Any, rng: np.random.Generator) -> np.ndarray:
    values = rng.standard_normal(t.numel())
    return values + 1j * rng.standard_normal(t.numel()) if t.is_complex() else values


def difference(call: Call, x: Any, direction: np.ndarray, eps: float, index: str = "") -> list[np.ndarray]:
    """(f(x + eps direction) - f(x - eps direction)) / (2 eps) of each tensor that `call` gives."""
    before = host_array(x).copy()
    step = eps * direction.reshape(before.shape)
    try:
        copy_cast(x.array, np.asarray(before + step))
        ahead = [(r, flat(r, r)) for r in call()]
        copy_cast(x.array, np.asarray(before - step))
        behind = [(r, flat(r, r)) for r in call()]
    finally:
        copy_cast(x.array, before)
    _check_same_kind([r for r, _ in ahead], [r for r, _ in behind], f"{index}by {eps}")
    with np.errstate(invalid="ignore"):  # inf - inf: nan is near nothing, so that it counts as a failure
        return [(a - b) / (2 * eps) for (_, a), (_, b) in zip(ahead, behind, strict=True)]


def _check_same_kind(ahead: list[Any], behind: list[Any], where: str) -> None:
    start = "Expected `func` to return outputs with the same {} when inputs are perturbed " + where + ", but got: "
    if len(ahead) != len(behind):
        raise RefusedValueError(f"{start.format('number')}{len(ahead)} and {len(behind)}.")
    for a, b in zip(ahead, behind, strict=True):
        if a.shape != b.shape:
            raise RefusedValueError(f"{start.format('shape')}shapes {a.shape} and {b.shape}.")
        if a.dtype is not b.dtype:
            raise RefusedValueError(f"{start.format('dtype')}dtypes {a.dtype!r} and {b.dtype!r}.")


def pull(output: Any, grad_inputs: tuple[Any, ...], v: np.ndarray, check_dtypes: bool) -> list[np.ndarray]:
    grads = grad(output, grad_inputs, tensor_like(v, output), retain_graph=True, allow_unused=True)
    for g, x in zip(grads, grad_inputs, strict=True):
        if g is not None and g.shape != x.shape:
            raise GradcheckError(f"Analytical gradient has incorrect size: {list(g.shape)}, not {list(x.shape)}")
        if g is not None and check_dtypes and g.dtype is not x.dtype:
            raise GradcheckError(f"Gradient has dtype mismatch: {g.dtype!r}, not {x.dtype!r}")
    return [flat(g, x) for g, x in zip(grads, grad_inputs, strict=True)]


def push(case: Case, directions: list[Any]) -> list[Any]:
    """(output, tangent) of each output by forward mode; an input with direction None has no tangent."""
    with dual_level():
        pairs = zip(case.grad_inputs, directions, strict=True)
        duals = [x if d is None else make_dual(x, tensor_like(d, x)) for x, d in pairs]
        unpacked = [unpack_dual(output) for output in case.outputs(case.inputs_with(duals))]
    return [(primal, flat(tangent, primal)) for primal, tangent in unpacked]


def push_one(case: Case, i: int, direction: np.ndarray) -> list[np.ndarray]:
    directions = [direction if k == i else np.zeros(x.numel()) for k, x in enumerate(case.grad_inputs)]
    return [tangent for _, tangent in push(case, directions)]


def part(derivatives: np.ndarray, axis: complex) -> np.ndarray:
    """The real part (axis 1) or imaginary part (axis 1j) of complex derivatives; real ones as they are."""
    if not np.iscomplexobj(derivatives):
        return derivatives
    return derivatives.real if axis == 1 else derivatives.imag


def concatenated(parts: list[np.ndarray]) -> np.ndarray:
    """ds/dx, or ds/dx + i ds/dy, put together without arithmetic so that inf stays what it is."""
    if len(parts) == 1:
        return parts[0]
    result = np.empty(parts[0].shape, np.complex128)
    result.real, result.imag = parts
    return result


def unit_vectors(count: int) -> Iterator[np.ndarray]:
    for k in range(count):
        vector = np.zeros(count)
        vector[k] = 1.0
        yield vector


class Jacobians:
    def __init__(self, case: Case, outputs: tuple[Any, ...], eps: float, check_dtypes: bool) -> None:
        self.case = case
        self.outputs = outputs
        self.eps = eps
        self.check_dtypes = check_dtypes
        self._differences: dict[int, Differences] = {}

    def differences(self, i: int) -> Differences:
        """The central differences of every output along every axis of input i, taken once."""
        if i not in self._differences:
            axes = axes_of(self.case.grad_inputs[i])
            self._differences[i] = {axis: self._differences_along(i, axis) for axis in axes}
        return self._differences[i]

    def _differences_along(self, i: int, axis: complex) -> list[np.ndarray]:
        x = self.case.grad_inputs[i]
        pairs = zip(np.ndindex(*x.shape), unit_vectors(x.numel()), strict=True)
        return self._stack([difference(self.case.outputs, x, axis * e, self.eps, f"on index {k} ") for k, e in pairs])

    def _stack(self, rows: list[list[np.ndarray]]) -> list[np.ndarray]:
        return [
            np.stack([row[j] for row in rows]) if rows else np.zeros((0, output.numel()))
            for j, output in enumerate(self.outputs)
        ]

    def numerical(self, i: int, j: int, axis: complex) -> np.ndarray:
        return concatenated([part(result[j], axis) for result in self.differences(i).values()])

    def backward(self, j: int, axis: complex) -> list[np.ndarray]:
        """Of the real part of output j for the axis 1, its imaginary part for 1j."""
        output, grad_inputs = self.outputs[j], self.case.grad_inputs
        start = axis if output.is_complex() else 1
        columns = [pull(output, grad_inputs, start * e, self.check_dtypes) for e in unit_vectors(output.numel())]
        return [
            np.stack([column[i] for column in columns], axis=1) if columns else np.zeros((x.numel(), 0))
            for i, x in enumerate(grad_inputs)
        ]

    def forward(self, i: int, axis: complex) -> list[np.ndarray]:
        x = self.case.grad_inputs[i]
        return self._stack([push_one(self.case, i, axis * e) for e in unit_vectors(x.numel())])

    def tolerance(self, value: Tolerance, i: int, j: int | None = None) -> Tolerance:
        return value

    def error(self, entry: JacobianEntry, axis: complex, pair: Pair, tolerance: Tolerance) -> GradcheckError:
        return mismatch(entry, *pair, tolerance)


class Products(Jacobians):
    """The Jacobians multiplied with unit vectors, u^T J v: u[i] for each axis of input i, v[j] for output j."""

    def __init__(self, case: Case, outputs: tuple[Any, ...], eps: float, check_dtypes: bool) -> None:
        super().__init__(case, outputs, eps, check_dtypes)
        rng = np.random.default_rng(42)
        self.u = [{axis: unit_vector(rng, x.numel()) for axis in axes_of(x)} for x in case.grad_inputs]
        self.v = [unit_vector(rng, output.numel()) for output in outputs]

    def _differences_along(self, i: int, axis: complex) -> list[np.ndarray]:
        return difference(self.case.outputs, self.case.grad_inputs[i], axis * self.u[i][axis], self.eps)

    def numerical(self, i: int, j: int, axis: complex) -> np.ndarray:
        return concatenated([np.asarray(part(result[j], axis) @ self.v[j]) for result in self.differences(i).values()])

    def backward(self, j: int, axis: complex) -> list[np.ndarray]:
        output = self.outputs[j]
        start = axis if output.is_complex() else 1
        pulled = pull(output, self.case.grad_inputs, start * self.v[j], self.check_dtypes)
        return [
            concatenated([np.asarray(part(g, axis_of_x) @ u) for axis_of_x, u in us.items()])
            for g, us in zip(pulled, self.u, strict=True)
        ]

    def forward(self, i: int, axis: complex) -> list[np.ndarray]:
        return push_one(self.case, i, axis * self.u[i][axis])

    def tolerance(self, value: Tolerance, i: int, j: int | None = None) -> Tolerance:
        """Entries that are each off by atol move u^T J v by up to atol |u| |v| in the 1-norm."""
        size = sum(float(u.sum()) for u in self.u[i].values())
        return Tolerance(value.atol * size * (1.0 if j is None else float(self.v[j].sum())), value.rtol)

    def error(self, entry: JacobianEntry, axis: complex, pair: Pair, tolerance: Tolerance) -> GradcheckError:
        """The error shows the whole Jacobians too."""
        full = Jacobians(self.case, self.outputs, self.eps, self.check_dtypes)
        if entry.forward:
            slow = full.differences(entry.input)[axis][entry.output], full.forward(entry.input, axis)[entry.output]
        else:
            slow = full.numerical(entry.input, entry.output, axis), full.backward(entry.output, axis)[entry.input]
        return fast_mismatch(entry, pair, slow, tolerance)


def unit_vector(rng: np.random.Generator, count: int) -> np.ndarray:
    vector = rng.random(count)
    return vector / np.linalg.norm(vector) if count else vector
