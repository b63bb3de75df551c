"""Layers that join and split dimensions."""

from ...generated.ops import flatten
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import type_name
from .module.base import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Joins dimensions into one.

    Formula: y = x.flatten(start_dim, end_dim)

    Args:
        start_dim: the first dimension to join.
        end_dim: the last.

    Shape: Input: (*, s_1, ..., s_k, *). Output: (*, s_1 ... s_k, *).

    Raises: IndexError: a dimension that the input does not have.

    Example:
        >>> list(sg.nn.Flatten()(sg.ones(32, 1, 5, 5)).shape)
        [32, 25]
    """

    _shown = ("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return flatten(input, self.start_dim, self.end_dim)


class Unflatten(Module):
    """Splits one dimension into several.

    Formula: y = x.reshape(*x.shape[:dim], *unflattened_size, *x.shape[dim + 1:])

    Args:
        dim: the dimension to split.
        unflattened_size: the sizes to split it into; one may be -1.

    Shape: Input: (*, s, *). Output: (*, unflattened_size, *).

    Raises: TypeError: the dimension is no int, or the sizes are no tuple or list of ints.

    Example:
        >>> list(sg.nn.Unflatten(1, (2, 5, 5))(sg.ones(32, 50)).shape)
        [32, 2, 5, 5]
    """

    _shown = ("dim", "unflattened_size")

    def __init__(self, dim: int, unflattened_size: tuple[int, ...] | list[int]) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise TypeError(f"Unflatten: argument 'dim' must be int, not {type_name(dim)}")
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple or list, but found type {type_name(unflattened_size)}")
        for position, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type_name(size)} at pos {position}"
                )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        argument_checks.tensor("Unflatten", "input", input)
        dim = argument_checks.wrap_dim("Unflatten", self.dim, input.ndim)
        return input.reshape(*input.shape[:dim], *self.unflattened_size, *input.shape[dim + 1 :])
