"""What transforms demand of a function's inputs and outputs, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import type_name
from ..pytree import flatten
from ..tensor import TensorBase


def with_aux(name: str, returned: Any, has_aux: bool) -> tuple[Any, Any]:
    """What a function returned, as (output, aux)."""
    if not has_aux:
        return returned, None
    if not (isinstance(returned, tuple) and len(returned) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in flatten(returned[1])[0]:
        if not isinstance(leaf, TensorBase):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}: in aux, of {name}")
    return returned


def check_input(name: str, value: Any) -> None:
    """Whether a value can be differentiated with respect to."""
    if not isinstance(value, TensorBase):
        raise ValueError(f"{name}: expected only Tensors to differentiate with respect to, but got {type_name(value)}")
    if value._dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}: only Tensors of floating point and complex dtype can require gradients, but got {value._dtype!r}"
        )


def check_outputs(call: str, outputs: Sequence[Any]) -> None:
    """Whether a function has returned tensors, and some."""
    for output in outputs:
        if not isinstance(output, TensorBase):
            raise RuntimeError(
                f"{call}: Expected f to be a function that has only Tensor outputs, got {type_name(output)}"
            )
    if not outputs:
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = [])")


def check_floating(call: str, outputs: Sequence[Any]) -> None:
    """Whether all outputs have gradients."""
    for output in outputs:
        if output._dtype.kind not in "fc":
            raise RuntimeError(
                f"{call}: All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{output._dtype!r}"
            )


def check_real(name: str, what: str, tensors: Sequence[Any]) -> None:
    """Whether tensors are real: entries of a complex Jacobian would not say which of its derivatives they are."""
    for index, tensor in enumerate(tensors):
        if isinstance(tensor, TensorBase) and tensor._dtype.kind == "c":
            raise RuntimeError(
                f"{name}: Expected all {what}s to be real but received complex tensor at flattened {what} idx: {index}"
            )


def check_scalar(value: Any) -> None:
    """Whether a function has returned one real number, as `grad` wants."""
    if not isinstance(value, TensorBase):
        raise RuntimeError(f"grad: Expected f(*args) to return a Tensor, got {type_name(value)}")
    if len(value._shape):
        raise RuntimeError(
            f"grad: Expected f(*args) to return a scalar tensor, got tensor with {len(value._shape)} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )
    if value._dtype.kind == "c":
        raise RuntimeError(
            f"grad: grad can be implicitly created only for real scalar outputs but got {value._dtype!r}"
        )
