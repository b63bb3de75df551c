"""Transforms of vectors and matrices: onto probabilities, Cholesky factors and positive definite matrices."""

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.ops.creation import arange, eye
from ....runtime.tensor.dtypes import finfo
from ...functional.folding import pad
from .. import constraints
from ..base.parameters import tril_matrix_to_vec, vec_to_tril_matrix
from .base import Parameterless, Transform, needed_dims
from .elementwise import _clipped_sigmoid

__all__ = [
    "CorrCholeskyTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "SoftmaxTransform",
    "StickBreakingTransform",
]


def _after_one(x: Tensor) -> Tensor:
    """The last dimension shifted by one place, with a one in front and without its end."""
    return pad(x[..., :-1], [1, 0], value=1.0)


class CorrCholeskyTransform(Transform):
    """Unconstrained vectors as Cholesky factors of correlation matrices.

    Formula: y_ij = r_ij sqrt(1 - sum(y_ik^2 for k < j)) below the diagonal, with r = tanh(x), row after row

    Each row has the length one: of what earlier entries leave of it, r takes a part, and the diagonal the rest.

    Shape: x: (..., D (D - 1) / 2). y: (..., D, D).

    Example:
        >>> sg.distributions.CorrCholeskyTransform()(sg.zeros(1))
        tensor([[1., 0.],
                [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        eps = finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r * r).sqrt().cumprod(-1)  # of a row's length, after each entry
        return (r + eye(r.shape[-1], dtype=r.dtype, device=r.device)) * _after_one(left)

    def _inverse(self, y: Tensor) -> Tensor:
        left = _after_one(1 - (y * y).cumsum(-1))
        r = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (r.log1p() - (-r).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # Row by row the Jacobian dy/dr is triangular, with sqrt(1 - sum of earlier squares) on its diagonal, which is
        # one for the first column. dr/dx = 1 - tanh(x)^2.
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        return left.log().sum(-1) / 2 - 2 * (x + ops.softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        shape = needed_dims(shape, 1)
        rows = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if rows * (rows - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (rows, rows)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        shape = needed_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)


class SoftmaxTransform(Parameterless):
    """Vectors as probabilities: y = exp(x) / sum(exp(x)); `inv` gives the logarithms.

    It is not bijective, as adding a number to x changes nothing; samplers need StickBreakingTransform.

    Shape: x and y: (..., D).

    Example:
        >>> sg.distributions.SoftmaxTransform()(sg.zeros(2))
        tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return ops.softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return needed_dims(shape, 1)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.forward_shape(shape)


class StickBreakingTransform(Parameterless):
    """Unconstrained vectors as probabilities of one class more, by breaking pieces off a stick of length one.

    Formula: y_k = z_k prod(1 - z_j for j < k), with z_k = sigmoid(x_k - log(D + 1 - k)) and z_(D + 1) = 1

    The shift makes zero the uniform distribution.

    Shape: x: (..., D). y: (..., D + 1).

    Example:
        >>> sg.distributions.StickBreakingTransform()(sg.zeros(3))
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Tensor) -> Tensor:
        z = _clipped_sigmoid(x - _log_pieces(x))
        left = (1 - z).cumprod(-1)
        return pad(z, [0, 1], value=1.0) * pad(left, [1, 0], value=1.0)

    def _inverse(self, y: Tensor) -> Tensor:
        pieces = y[..., :-1]
        left = (1 - pieces.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return pieces.log() - left.log() + _log_pieces(pieces)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # The Jacobian is triangular, with dy_k/dx_k = y_k (1 - z_k).
        return (ops.logsigmoid(_log_pieces(x) - x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        shape = needed_dims(shape, 1)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        shape = needed_dims(shape, 1)
        return shape[:-1] + (shape[-1] - 1,)


def _log_pieces(x: Tensor) -> Tensor:
    """log(D), ..., log(1): how many pieces are to follow each of D."""
    return arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device).log()


class LowerCholeskyTransform(Parameterless):
    """Matrices as lower triangular ones with a positive diagonal, which is the exponential of theirs.

    Shape: x and y: (..., D, D).

    Example:
        >>> sg.distributions.LowerCholeskyTransform()(sg.tensor([[0.0, 5.0], [2.0, 0.0]]))
        tensor([[1., 0.],
                [2., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Parameterless):
    """Matrices as positive definite ones: L L^T of the factor that LowerCholeskyTransform gives.

    Shape: x and y: (..., D, D).

    Example:
        >>> sg.distributions.PositiveDefiniteTransform()(sg.tensor([[0.0, 5.0], [2.0, 0.0]]))
        tensor([[1., 2.],
                [2., 5.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(ops.linalg_cholesky(y))
