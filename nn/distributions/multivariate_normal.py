"""Multivariate normal distributions, with a full covariance or one of low rank, and their algebra."""

import math
from collections.abc import Sequence

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.creation import eye
from ...runtime.ops.shape.broadcast import broadcast_shapes
from ...runtime.shapes import Size
from . import constraints
from .base.distribution import Distribution
from .base.parameters import _standard_normal, alias, lazy_property

__all__ = ["LowRankMultivariateNormal", "MultivariateNormal"]


def _batch_mv(bmat: Tensor, bvec: Tensor) -> Tensor:
    """Products of matrices (..., n, m) and vectors (..., m), whose batches broadcast: (..., n)."""
    return ops.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(bL: Tensor, bx: Tensor) -> Tensor:
    """x^T (L L^T)^-1 x for lower triangular matrices (..., n, n) and vectors (..., n), whose batches broadcast.

    Dimensions that x has before the batch of L become columns of one system, so that L is not repeated for them.
    """
    size = bx.shape[-1]
    batch = broadcast_shapes(bL.shape[:-2], bx.shape[:-1][bx.dim() - bL.dim() + 1 :] if bL.dim() > 2 else ())
    outer = bx.shape[: max(bx.dim() - 1 - len(batch), 0)]
    x = bx.expand(outer + batch + (size,)).reshape((-1,) + tuple(batch) + (size,))
    solved = ops.linalg_solve_triangular(bL.expand(batch + (size, size)), x.movedim(0, -1), upper=False)
    return solved.pow(2).sum(-2).movedim(-1, 0).reshape(outer + batch)


def _precision_to_scale_tril(P: Tensor) -> Tensor:
    """The lower Cholesky factor of the inverse of P.

    Read from its last row and column on, P has a Cholesky factor that is upper triangular in the usual order:
    P = U U^T. So its inverse is U^-T U^-1, and U^-T is lower triangular.
    """
    upper = ops.linalg_cholesky(P.flip((-2, -1))).flip((-2, -1))
    one = eye(P.shape[-1], dtype=P.dtype, device=P.device)
    return ops.linalg_solve_triangular(upper.mT, one.expand(P.shape), upper=False)


def scale_tril_of(name: str, matrix: Tensor) -> Tensor:
    if name == "scale_tril":
        return matrix
    return ops.linalg_cholesky(matrix) if name == "covariance_matrix" else _precision_to_scale_tril(matrix)


def _log_diagonal(tril: Tensor) -> Tensor:
    """The logarithm of the determinant of lower triangular matrices."""
    return tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _batch_capacitance_tril(W: Tensor, D: Tensor) -> Tensor:
    """The Cholesky factor of I + W^T D^-1 W for factors (..., n, m) and diagonals (..., n)."""
    scaled = W.mT / D.unsqueeze(-2)
    one = eye(W.shape[-1], dtype=W.dtype, device=W.device)
    return ops.linalg_cholesky(scaled @ W + one)


def _batch_lowrank_logdet(W: Tensor, D: Tensor, capacitance_tril: Tensor) -> Tensor:
    """log |W W^T + D|, by the matrix determinant lemma |C| |D| with the capacitance C."""
    return 2 * _log_diagonal(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W: Tensor, D: Tensor, x: Tensor, capacitance_tril: Tensor) -> Tensor:
    """x^T (W W^T + D)^-1 x, by the Woodbury identity: x^T D^-1 x - |L^-1 W^T D^-1 x|^2 with C = L L^T."""
    projected = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


def _batch_trace_XXT(bmat: Tensor) -> Tensor:
    return bmat.reshape((*bmat.shape[:-2], bmat.shape[-2] * bmat.shape[-1])).pow(2).sum(-1)


class Gaussian(Distribution):
    """The base of both: a subclass has the covariance's log-determinant and the quadratic form of its inverse."""

    support = constraints.real_vector
    has_rsample = True

    loc: Tensor
    mean = alias("loc")
    mode = alias("loc")

    def _log_det(self) -> Tensor:
        raise NotImplementedError

    def _mahalanobis(self, x: Tensor) -> Tensor:
        """x^T C^-1 x, C the covariance."""
        raise NotImplementedError

    def _square(self, matrices: Tensor) -> Tensor:
        return matrices.expand(self._batch_shape + self._event_shape + self._event_shape)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        distance = self._mahalanobis(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - 0.5 * self._log_det()

    def entropy(self) -> Tensor:
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + 0.5 * self._log_det()
        return entropy.expand(self._batch_shape)


class MultivariateNormal(Gaussian):
    """The multivariate normal (Gaussian) distribution with a full covariance.

    Formula: p(x) = exp(-(x - loc)^T C^-1 (x - loc) / 2) / sqrt((2 pi)^D |C|)

    Exactly one of the matrices is given. The lower triangular factor is what is computed with, so it costs least.

    Args:
        loc: the mean, (..., D).
        covariance_matrix: C, positive definite.
        precision_matrix: C^-1, positive definite.
        scale_tril: the lower triangular L with C = L L^T and a positive diagonal.

    Shape: The matrices are (..., D, D), and their batch broadcasts with that of loc.

    Raises: ValueError: none or several matrices, too few dimensions, or a matrix that is none of the kind.

    Example:
        >>> normal = sg.distributions.MultivariateNormal(sg.zeros(2), covariance_matrix=4 * sg.eye(2))
        >>> normal.event_shape, normal.log_prob(sg.zeros(2)), normal.variance
        (specgrad.Size([2]), tensor(-3.2242), tensor([4., 4.]))
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    _expands = ("loc", "covariance_matrix", "scale_tril", "precision_matrix")
    _shares = ("_unbroadcasted_scale_tril",)

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix}
        name, matrix = the_one(ValueError, scale_tril=scale_tril, **matrices)
        if matrix.dim() < 2:
            message = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{message} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        vars(self)[name] = matrix.expand(batch_shape + tuple(matrix.shape[-2:]))
        self.loc = loc.expand(batch_shape + tuple(loc.shape[-1:]))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = scale_tril_of(name, matrix)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._square(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        tril = self._unbroadcasted_scale_tril
        return self._square(tril @ tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return self._square(ops.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = _standard_normal(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, noise)

    def _log_det(self) -> Tensor:
        return 2 * _log_diagonal(self._unbroadcasted_scale_tril)

    def _mahalanobis(self, x: Tensor) -> Tensor:
        return _batch_mahalanobis(self._unbroadcasted_scale_tril, x)


def the_one(error: type[Exception], **matrices: Tensor | None) -> tuple[str, Tensor]:
    args = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
    if len(args) != 1:
        raise error("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return args[0]


class LowRankMultivariateNormal(Gaussian):
    """The multivariate normal distribution with the covariance W W^T + diag(D).

    With W of few columns, m of them, nothing of the size n x n is computed for samples and densities, only systems of
    m equations (the Woodbury identity and the matrix determinant lemma).

    Args:
        loc: the mean, (..., n).
        cov_factor: W, (..., n, m).
        cov_diag: D, (..., n), positive.

    Shape: The batches of the three broadcast.

    Raises: ValueError: shapes that do not fit, or a diagonal that is not positive.

    Example:
        >>> factor = sg.tensor([[1.0], [0.0]])
        >>> normal = sg.distributions.LowRankMultivariateNormal(sg.zeros(2), factor, sg.ones(2))
        >>> normal.covariance_matrix, normal.log_prob(sg.zeros(2))
        (tensor([[2., 0.],
                [0., 1.]]), tensor(-2.1845))
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    _expands = ("loc", "cov_diag", "cov_factor")
    _shares = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        batch, event = _shapes(loc, cov_factor, cov_diag)
        self.loc = loc.expand(batch + event)
        self.cov_diag = cov_diag.expand(batch + event)
        self.cov_factor = cov_factor.expand(batch + tuple(cov_factor.shape[-2:]))
        super().__init__(batch, event, validate_args=validate_args)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)

    @lazy_property
    def variance(self) -> Tensor:
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return squares.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        # W W^T + D = sqrt(D) (I + V V^T) sqrt(D) with V = W / sqrt(D); the matrix in brackets is well conditioned.
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        inner = scaled @ scaled.mT + eye(self._event_shape[0], dtype=scaled.dtype, device=scaled.device)
        return self._square(root * ops.linalg_cholesky(inner))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_cov_factor
        return self._square(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        diag = self._unbroadcasted_cov_diag
        scaled = self._unbroadcasted_cov_factor.mT / diag.unsqueeze(-2)
        solved = ops.linalg_solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._square(diag.reciprocal().diag_embed() - solved.mT @ solved)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape, factor = self._extended_shape(sample_shape), self._unbroadcasted_cov_factor
        low = _standard_normal(shape[:-1] + tuple(factor.shape[-1:]), dtype=self.loc.dtype, device=self.loc.device)
        own = _standard_normal(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + _batch_mv(factor, low) + self._unbroadcasted_cov_diag.sqrt() * own

    def _log_det(self) -> Tensor:
        parts = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return _batch_lowrank_logdet(*parts, self._capacitance_tril)

    def _mahalanobis(self, x: Tensor) -> Tensor:
        parts = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return _batch_lowrank_mahalanobis(*parts, x, self._capacitance_tril)


def _shapes(loc: Tensor, cov_factor: Tensor, cov_diag: Tensor) -> tuple[Size, Size]:
    event = loc.shape[-1:]
    if cov_factor.dim() < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2:-1] != event:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
    if cov_diag.shape[-1:] != event:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
    try:
        batch = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
    except RuntimeError:
        raise ValueError(
            f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
        ) from None
    return Size(batch), event
