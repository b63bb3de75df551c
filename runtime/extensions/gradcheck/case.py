"""The function that a gradient check differentiates, its inputs, and the messages of errors: both Jacobians, and the
entry where they differ most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError, type_name, warn_user
from ...tensor.dtypes import float64
from ...tensor.memory_overlap import overlaps
from ...tensor.tensor import TensorBase, adopt

Pair = tuple[np.ndarray, np.ndarray]  # numerical, analytical


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


@dataclass(frozen=True)
class Case:
    """A function of tensors (and of anything else) at one point."""

    func: Callable[..., Any]
    inputs: tuple[Any, ...]

    @cached_property
    def grad_inputs(self) -> tuple[Any, ...]:
        return tuple(x for x in self.inputs if isinstance(x, TensorBase) and x._requires_grad)

    def results(self, inputs: Sequence[Any] | None = None) -> tuple[Any, ...]:
        result = self.func(*(self.inputs if inputs is None else inputs))
        if not isinstance(result, (TensorBase, list, tuple)):
            raise ArgumentError(
                f"gradcheck(): expected func to return a Tensor or a sequence of Tensors, but got {type_name(result)}"
            )
        return tuple(r for r in as_tuple(result) if isinstance(r, TensorBase))

    def outputs(self, inputs: Sequence[Any] | None = None) -> tuple[Any, ...]:
        return tuple(r for r in self.results(inputs) if r._requires_grad)

    def inputs_with(self, replaced: Sequence[Any]) -> list[Any]:
        others = iter(replaced)
        return [next(others) if isinstance(x, TensorBase) and x._requires_grad else x for x in self.inputs]


def checked_case(func: Callable[..., Any], inputs: Any) -> Case:
    case = Case(func, as_tuple(inputs))
    if not case.grad_inputs:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for number, x in enumerate(case.inputs):
        if isinstance(x, TensorBase) and x._requires_grad:
            _check_input(number, x)
    return case


def _check_input(number: int, x: Any) -> None:
    if x._dtype.to_real() is not float64:
        warn_user(
            f"Input #{number} requires gradient and is not a double precision floating point or complex. "
            "This check will likely fail if all the inputs are not of double precision floating point or complex."
        )
    if overlaps(x):
        raise RuntimeError(
            f"The {number}th input has a dimension with stride 0. gradcheck only supports inputs that are "
            "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous on "
            "the input before passing it to gradcheck."
        )


FAST = """
The above quantities relating the numerical and analytical jacobians are computed
in fast mode: u^T J v with random vectors u and v, not the Jacobian itself.
Below, we recompute numerical and analytical jacobians in slow mode:

Numerical:
 {}
Analytical:
{}

The max per-element difference (slow mode) is: {}.
{}{}"""

FAST_ONLY = """Fast gradcheck failed but element-wise differences are small. This means that the
test might've passed in slow_mode! Call gradcheck/gradgradcheck with fast_mode=False to compare all entries.
"""


class GradcheckError(RuntimeError):
    """Error raised by `gradcheck` and `gradgradcheck`: the gradients are not the function's derivatives."""


@dataclass(frozen=True)
class JacobianEntry:
    """Which Jacobian it is about: of which output in which input, in which mode, of which part of complex numbers."""

    output: int
    input: int
    forward: bool = False
    part: str = ""

    @property
    def title(self) -> str:
        what = "inputs" if self.forward else "outputs"
        part = f"While considering the {self.part} part of complex {what} only, " if self.part else ""
        how = "computed with forward mode " if self.forward else ""
        return f"{part}Jacobian {how}mismatch for output {self.output} with respect to input {self.input},\n"


@dataclass(frozen=True)
class Tolerance:
    """The largest allowed distance of the analytical value from the numerical one: atol + rtol |numerical|."""

    atol: float
    rtol: float

    def holds(self, analytical: np.ndarray, numerical: np.ndarray) -> bool:
        return bool(np.allclose(analytical, numerical, rtol=self.rtol, atol=self.atol))

    def worst(self, analytical: np.ndarray, numerical: np.ndarray) -> tuple[int, ...]:
        with np.errstate(invalid="ignore"):
            excess = np.abs(analytical - numerical) - self.rtol * np.abs(numerical)
        excess = np.where(np.isnan(excess), np.inf, excess)
        excess = np.where(analytical == numerical, -np.inf, excess)  # infinite on both sides
        return tuple(int(k) for k in np.unravel_index(np.argmax(excess), excess.shape))


def mismatch(
    jacobian_entry: JacobianEntry, numerical: np.ndarray, analytical: np.ndarray, tolerance: Tolerance
) -> GradcheckError:
    entry = _worst_entry(numerical, analytical, tolerance)
    return GradcheckError(
        f"{jacobian_entry.title}numerical:{adopt(numerical)}\nanalytical:{adopt(analytical)}\n{entry}"
    )


def fast_mismatch(jacobian_entry: JacobianEntry, fast: Pair, slow: Pair, tolerance: Tolerance) -> GradcheckError:
    """`fast` has products u^T J v."""
    numerical, analytical = slow
    with np.errstate(invalid="ignore"):
        largest = np.max(np.abs(numerical - analytical))
    small = FAST_ONLY if tolerance.holds(analytical, numerical) else ""
    products = f"numerical:{_product(fast[0])}\nanalytical:{_product(fast[1])}\n"
    entry = _worst_entry(numerical, analytical, tolerance)
    jacobians = FAST.format(adopt(numerical), adopt(analytical), float(largest), entry, small)
    return GradcheckError(f"{jacobian_entry.title}{products}{jacobians}")


def _product(value: np.ndarray) -> Any:
    """One number in reverse mode, the vector J u in forward mode."""
    return value.item() if value.ndim == 0 else adopt(value)


def _worst_entry(numerical: np.ndarray, analytical: np.ndarray, tolerance: Tolerance) -> str:
    index = tolerance.worst(analytical, numerical)
    n, a = numerical[index], analytical[index]
    with np.errstate(invalid="ignore", divide="ignore"):
        absolute = np.abs(a - n)
        relative = absolute / np.abs(n)
    return (
        f"The worst entry is {list(index)}: numerical {n:.10g}, analytical {a:.10g}, "
        f"absolute error {absolute:.4g}, relative error {relative:.4g}.\n"
    )
