"""Argument checks of softmax and log-softmax."""

from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.shape_rules import require_shape


def softmax_backward(op: str, grad_output: Any, output: Any, dim: int) -> tuple[Any, ...]:
    """Equal shapes; wraps `dim`."""
    require_shape(op, "grad_output", grad_output, output._shape)
    return grad_output, output, wrap_dim(op, dim, len(output._shape))
