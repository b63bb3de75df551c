"""The function that a gradient check differentiates, and the inputs at which it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import ArgumentError, type_name, warn_user
from ...tensor.base import TensorBase
from ...tensor.dtypes import float64
from ...tensor.memory_overlap import overlaps


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
        """The tensors that one call gives, at the inputs of the case or at others in their place."""
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
    """The case that a user gave, after checking that differences can be taken there."""
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
