"""Ready-made parametrizations of weights: orthogonal and unitary ones, spectral and weight normalization."""

from typing import Any

import numpy as np

from ...generated.ops import cat, linalg_householder_product, linalg_matrix_exp, linalg_qr, linalg_solve, sgn
from ...generated.tensor import Tensor
from ...runtime.ops.creation import eye, from_numpy, randn, zeros, zeros_like
from ...runtime.tensor.dtypes import finfo
from ..docstrings import completed_from
from ..modules.module.base import Module
from .parametrize import register_parametrization
from .spectral_norm import (
    as_matrix,
    check_iterations,
    largest_singular_value,
    output_dim,
    power_iterations,
    random_unit,
    unit,
)
from .spectral_norm import spectral_norm as older_spectral_norm
from .weight_norm import norm_except_dim, of_length
from .weight_norm import weight_norm as older_weight_norm

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

_MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """Any matrix, or batch of matrices, to one with orthonormal columns, or rows where it is wide."""

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        self.trivial = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        wide = X.shape[-2] < X.shape[-1]
        tall = _transposed(X) if wide else X
        Q = _reflected(tall) if self.orthogonal_map == "householder" else self._rotated(tall)
        if self.trivial:
            assert self.base is not None
            Q = self.base @ Q
        return _transposed(Q) if wide else Q

    def _rotated(self, X: Tensor) -> Tensor:
        """The first columns of the rotation that a skew matrix stands for."""
        n, k = X.shape[-2:]
        lower = X.tril()
        if n != k:
            rest = zeros((*X.shape[:-2], n, n - k), dtype=X.dtype, device=X.device)
            lower = cat([lower, rest], -1)
        skew = lower - _adjoint(lower)
        if self.orthogonal_map == "matrix_exp":
            return linalg_matrix_exp(skew)[..., :k]
        one = eye(n, dtype=X.dtype, device=X.device)
        return linalg_solve(one - skew / 2, one + skew / 2)[..., :k]

    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        wide = Q.shape[-2] < Q.shape[-1]
        tall = _transposed(Q) if wide else Q
        if not self.trivial:
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            result = _reflectors(tall)
            return _transposed(result) if wide else result
        self.base = _completed(tall)
        start = zeros_like(Q)
        start.diagonal(0, -2, -1).fill_(-1.0)  # of which every map makes the identity
        return start


def _transposed(X: Tensor) -> Tensor:
    return X.transpose(-2, -1)


def _adjoint(X: Tensor) -> Tensor:
    return _transposed(X).conj_physical() if X.is_complex() else _transposed(X)


def _reflected(X: Tensor) -> Tensor:
    """The product of the reflections along the columns below the diagonal, with the signs that are on it."""
    below = X.tril(-1)
    scale = 2.0 / (1.0 + (below * below).sum(-2))
    return linalg_householder_product(below, scale) * X.detach().diagonal(0, -2, -1).sign().unsqueeze(-2)


def _reflectors(Q: Tensor) -> Tensor:
    """The inverse of `_reflected` for a matrix with orthonormal columns, and the nearest such thing for others."""
    raw, scale = np.linalg.qr(Q.detach().cpu().numpy(), mode="raw")
    result = np.swapaxes(raw, -2, -1).copy()
    k = result.shape[-1]
    signs = np.sign(result[..., range(k), range(k)])
    result[..., range(k), range(k)] = np.where(scale == 0, -signs, signs)
    return from_numpy(result).to(Q.device)


def _completed(Q: Tensor) -> Tensor:
    """An orthogonal matrix with the columns of Q, made orthonormal, in front."""
    n, k = Q.shape[-2:]
    if n != k:
        Q = cat([Q, randn((*Q.shape[:-2], n, n - k), dtype=Q.dtype, device=Q.device)], -1)
    elif _is_orthogonal(Q):
        return Q.clone()
    result, triangle = linalg_qr(Q)
    return result * sgn(triangle.diagonal(0, -2, -1)).unsqueeze(-2)


def _is_orthogonal(Q: Tensor) -> bool:
    n = Q.shape[-1]
    eps = 10 * n * finfo(Q.dtype).eps
    one = eye(n, dtype=Q.dtype, device=Q.device)
    return bool(((_adjoint(Q) @ Q - one).abs() <= eps).all())


@completed_from(older_weight_norm)
def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Let a weight be a matrix with orthonormal columns, or orthonormal rows where it is wide; of batches, each.

    Formula: w = base exp(A), base (1 - A / 2)^-1 (1 + A / 2), or base times a product of reflections, with a skew A
    from the lower triangle of what is learned

    Args:
        orthogonal_map: "matrix_exp", "cayley" or "householder"; when left out the first for square and complex
            weights, and otherwise the last.
        use_trivialization: keep a base, so that any value can be assigned to the weight.

    Raises: ValueError: there is no such parameter, it is no matrix, or the map is unknown or not for complex numbers.

    Source: Lezcano-Casado, Trivializations for gradient-based optimization on manifolds (2019).

    Example:
        >>> layer = sg.nn.utils.parametrizations.orthogonal(sg.nn.Linear(3, 5))
        >>> sg.allclose(layer.weight.T @ layer.weight, sg.eye(3), atol=1e-5)
        True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.dim() < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        names = ", ".join(f'"{known}"' for known in _MAPS)
        raise ValueError(f"orthogonal_map has to be one of {names}. Got: {orthogonal_map}")
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


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


@completed_from(older_spectral_norm)
def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Divide a weight by its greatest singular value, which power iterations find.

    Formula: w = original / sigma, sigma = u^T original v; whenever w is computed in training, power iteration
    updates u and v

    Args:
        n_power_iterations: how many iterations are made each time.

    Raises:
        ValueError: there is no such parameter, or n_power_iterations is not positive.
        IndexError: the weight has no dimension `dim`.

    Example:
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


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return of_length(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, self.dim), weight


@completed_from(older_weight_norm)
def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Learn a weight as lengths, `original0`, and directions, `original1`.

    State of the older `nn.utils.weight_norm` (NAME_g and NAME_v) can be loaded.

    Raises: ValueError: there is no such parameter.

    Example:
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> list(layer.state_dict())
        ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        new = f"{prefix}parametrizations.{name}.original"
        for old, number in ((f"{prefix}{name}_g", 0), (f"{prefix}{name}_v", 1)):
            if old in state_dict:
                state_dict[f"{new}{number}"] = state_dict.pop(old)

    module._register_load_state_dict_pre_hook(rename)
    return module
