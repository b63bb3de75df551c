"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ...generated.ops import cat
from ...generated.tensor import Tensor
from ...runtime.errors import type_name


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened and joined.

    Args:
        parameters: the parameters, in order.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.utils.parameters_to_vector(sg.nn.Linear(3, 2).parameters()).shape)
        [8]
    """
    return cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let each parameter take its piece of `vec`, in order; the pieces are views of `vec`.

    Args:
        vec: the vector, with as many elements as all parameters together.
        parameters: the parameters, in order.

    Raises:
        TypeError: `vec` is not a Tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters(): argument 'vec': expected Tensor, but got: {type_name(vec)}")
    start = 0
    for parameter in parameters:
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end
