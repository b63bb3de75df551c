"""What transforms demand of a function's inputs and outputs, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..pytree import flatten
from ..tensor.base import TensorBase


def with_aux(call: str, returned: Any, has_aux: bool) -> tuple[Any, Any]:
    """What a function returned, as (output, aux)."""
    if not has_aux:
        return returned, None
    if not (isinstance(returned, tuple) and len(returned) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in flatten(returned[1])[0]:
        if not isinstance(leaf, TensorBase):
            raise RuntimeError(f"{call}: aux: Expected tensors, got unsupported type {type(leaf)}")
    return returned


def check_tensor(name: str, value: Any) -> None:
    """Whether a value is a tensor at all."""
    if not isinstance(value, TensorBase):
        raise ValueError(f"{name}: Thing passed to transform API must be Tensor, got {type(value)}")


def check_input(name: str, value: Any) -> None:
    """Whether a value can be differentiated with respect to, by reverse mode."""
    check_tensor(name, value)
    if value._dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}: only Tensors of floating point and complex dtype can require gradients, but got {value._dtype!r}"
        )


def check_outputs(call: str, outputs: Sequence[Any]) -> None:
    """Whether a function has returned tensors, and some."""
    for output in outputs:
        if not isinstance(output, TensorBase):
            raise RuntimeError(
                f"{call}: expected f(*primals) to return only tensors, got unsupported type {type(output)}"
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


def check_scalar(call: str, value: Any) -> None:
    """Whether a function has returned one real number, as `grad` wants."""
    if not isinstance(value, TensorBase):
        raise RuntimeError(f"{call}: Expected f(*args) to return a Tensor, got {type(value)}")
    if len(value._shape):
        raise RuntimeError(
            f"{call}: Expected f(*args) to return a scalar Tensor, got tensor with {len(value._shape)} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )
    if value._dtype.kind == "c":
        raise RuntimeError(
            f"{call}: grad can be implicitly created only for real scalar outputs but got {value._dtype!r}"
        )
