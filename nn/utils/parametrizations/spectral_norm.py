"""Spectral normalization."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ...modules.module.base import Module
from ..parametrize import register_parametrization
from ..spectral_norm import (
    as_matrix,
    check_iterations,
    largest_singular_value,
    output_dim,
    power_iterations,
    random_unit,
    unit,
)

_FIRST_ITERATIONS = 15  # so that the first value is near the greatest singular value


class _SpectralNorm(Module):
    """A weight divided by its greatest singular value; a vector by its length."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if not -weight.dim() <= dim < weight.dim():
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.dim()}, {weight.dim() - 1}] but got "
                f"{dim})"
            )
        check_iterations(n_power_iterations)
        self.dim = dim % weight.dim()
        self.eps, self.n_power_iterations = eps, n_power_iterations
        if weight.dim() > 1:
            matrix = as_matrix(weight, self.dim)
            self.register_buffer("_u", random_unit(matrix, matrix.shape[0], eps))
            self.register_buffer("_v", random_unit(matrix, matrix.shape[1], eps))
            power_iterations(matrix.t(), self._v, self._u, _FIRST_ITERATIONS, eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            return unit(weight, self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            power_iterations(matrix.t(), self._v, self._u, self.n_power_iterations, self.eps)
        return weight / largest_singular_value(matrix, self._u, self._v)

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its greatest singular value, which power iterations find.

    Formula: w = original / sigma, sigma = u^T original v; whenever w is computed in training, power iteration
    updates u and v

    Args:
        module: the module.
        name: the name of the parameter.
        n_power_iterations: how many iterations are made each time.
        eps: lengths below it are not divided by.
        dim: the dimension of the weight that numbers outputs; 1 for transposed convolutions and otherwise 0.

    Returns:
        The module.

    Raises:
        ValueError: there is no such parameter, or n_power_iterations is not positive.
        IndexError: the weight has no dimension `dim`.

    Source: Miyato et al., Spectral normalization for generative adversarial networks (2018).

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.Linear(2, 2)
        >>> _ = sg.nn.init.constant_(layer.weight, 4.0)
        >>> sg.nn.utils.parametrizations.spectral_norm(layer).weight
        tensor([[0.5000, 0.5000],
                [0.5000, 0.5000]], grad_fn=<DivBackward0>)
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    dim = output_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight.detach(), n_power_iterations, dim, eps))
