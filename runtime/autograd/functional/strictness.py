"""Strict mode: what does not depend on an input is an error there, and zeros otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import GraphError
from ...namespace import op

NO_GRAD = (
    "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode."
)
OUTPUT = "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
GRADIENT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode."
)
JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)
HESSIAN = (
    "While computing the hessian, found that the hessian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode as it prevents from using the double backward trick "
    "to replace forward mode AD."
)
LINEAR = "The {} of the user-provided function is independent of input {}. This is not allowed in strict mode when "
LINEAR += "create_graph=True."


def check_outputs(strict: bool, outputs: Sequence[Any]) -> None:
    """In strict mode all outputs must have been computed from the inputs."""
    for i, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise GraphError(NO_GRAD.format(i))


def check_recorded(strict: bool, grads: Sequence[Any], constant: str) -> None:
    """In strict mode gradients that are to be differentiated must depend on something; `constant` is the message."""
    for i, g in enumerate(grads):
        if strict and g is None:
            raise GraphError(OUTPUT.format(i))
        if strict and not g.requires_grad:
            raise GraphError(constant.format(i))


def filled(
    strict: bool, create_graph: bool, found: Sequence[Any], like: Sequence[Any], missing: str, what: str = "jacobian"
) -> tuple[Any, ...]:
    """The found tensors with zeros in place of None; in strict mode None is an error, of the message `missing`."""
    for i, value in enumerate(found):
        if strict and value is None:
            raise GraphError(missing.format(i))
        if strict and create_graph and not value.requires_grad:
            raise GraphError(LINEAR.format(what, i))
    return zeros_for_none(found, like)


def zeros_for_none(found: Sequence[Any], like: Sequence[Any]) -> tuple[Any, ...]:
    """The found tensors, with zeros in place of None."""
    return tuple(op.zeros_like(t) if value is None else value for value, t in zip(found, like, strict=True))
