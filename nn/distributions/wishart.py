"""Distributions of matrices: of covariances, and of factors of correlations."""

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.errors import warn_user
from ...runtime.ops.creation import arange, tensor, tril_indices
from ...runtime.ops.shape.broadcast import broadcast_shapes
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import finfo
from ...runtime.tensor.grad_mode import no_grad
from . import constraints
from .base.distribution import Distribution
from .base.parameters import _standard_normal, broadcast_all, derived, lazy_property
from .beta import Beta
from .gamma import Chi2
from .independent import ExponentialFamily
from .multivariate_normal import scale_tril_of, the_one

__all__ = ["LKJCholesky", "Wishart"]


class LKJCholesky(Distribution):
    """The LKJ distribution of lower Cholesky factors of correlation matrices.

    Formula: p(L L^T) is proportional to det(L L^T)^(concentration - 1)

    With concentration 1 all correlation matrices are equally probable; the greater it is, the nearer they are to the
    identity. Samples are made row by row, the method of the onion: Lewandowski, Kurowicka and Joe, 2009.

    Args:
        dim: the size of the matrices, at least 2.
        concentration: positive. Default: 1.

    Shape: The shape of concentration is the batch shape, and the event shape (dim, dim).

    Raises: ValueError: a size below 2, a concentration that is not positive, or NaN.

    Example:
        >>> lkj = sg.distributions.LKJCholesky(3, 0.5)
        >>> lkj.sample().shape, lkj.log_prob(sg.eye(3))
        (specgrad.Size([3, 3]), tensor(-2.5310))
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _expands = ("concentration", "_beta")
    _shares = ("dim",)

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        kind: dict[str, Any] = {"dtype": self.concentration.dtype, "device": self.concentration.device}
        half = 0.5 * arange(dim, **kind).clamp(min=1)  # of the entries before the diagonal; the first row has none
        self._beta = Beta(half, (self.concentration + 0.5 * (dim - 1)).unsqueeze(-1) - half)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            shape = self._extended_shape(sample_shape)
            squares = self._beta.sample(sample_shape).unsqueeze(-1)  # of the lengths of rows before the diagonal
            normal = _standard_normal(shape, self.concentration.dtype, self.concentration.device).tril(-1)
            directions = normal / ops.norm(normal, dim=-1, keepdim=True)
            directions[..., 0, :] = 0.0
            rows = squares.sqrt() * directions
            rest = (1 - rows.square().sum(-1)).clamp(min=finfo(rows.dtype).tiny)
            return rows + ops.diag_embed(rest.sqrt())

    def _log_prob_of(self, value: Tensor) -> Tensor:
        order = arange(2, self.dim + 1, device=self.concentration.device)
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        return (powers * value.diagonal(0, -1, -2)[..., 1:].log()).sum(-1) - self._log_volume()

    def _log_volume(self) -> Tensor:
        """The logarithm of the integral of det^(concentration - 1) over factors."""
        others = self.dim - 1
        shape = self.concentration + 0.5 * others
        multivariate = ops.mvlgamma(shape - 0.5, others)
        return 0.5 * others * math.log(math.pi) + multivariate - shape.lgamma() * others


_LOG_2 = math.log(2)
_TRIES = 10  # to draw a matrix that is positive definite after rounding


class Wishart(ExponentialFamily):
    """The Wishart distribution, of covariance matrices: of sums of df products x x^T with x of N(0, covariance_matrix).

    Formula: p(X) = det(X)^((df - p - 1) / 2) exp(-trace(V^-1 X) / 2) / (2^(df p / 2) det(V)^(df / 2) gamma_p(df / 2))

    Args:
        df: the degrees of freedom, greater than p - 1.
        covariance_matrix: V, symmetric and positive definite.
        precision_matrix: the inverse of V.
        scale_tril: the lower Cholesky factor of V.

    Shape:
        df and the batch dimensions of the matrix (..., p, p) broadcast to the batch shape; the event shape is (p, p).

    Raises:
        AssertionError: none of the three matrices, or several.
        ValueError: a matrix of fewer than two dimensions, too few degrees of freedom, or a parameter that is wrong.

    Example:
        >>> wishart = sg.distributions.Wishart(3.0, covariance_matrix=sg.eye(2))
        >>> wishart.mean, wishart.log_prob(sg.eye(2))
        (tensor([[3., 0.],
                [0., 3.]]), tensor(-3.5310))
    """

    support = constraints.positive_definite
    has_rsample = True
    _expands = ("df", "covariance_matrix", "precision_matrix", "scale_tril", "_dist_chi2")
    _shares = ("_unbroadcasted_scale_tril",)
    _mean_carrier_measure = 0

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """What each parameter satisfies; of df it depends on the size of the matrices."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        matrices = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix}
        name, matrix = the_one(AssertionError, scale_tril=scale_tril, **matrices)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        shape = self._set_df(df, matrix)
        setattr(self, name, matrix.expand((*shape, -1, -1)))
        self._require_enough(df, matrix.shape[-1])
        super().__init__(shape, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = scale_tril_of(name, matrix)
        self._dist_chi2 = Chi2(
            self.df.unsqueeze(-1) - arange(matrix.shape[-1], dtype=self.df.dtype, device=self.df.device)
        )

    def _set_df(self, df: Any, matrix: Tensor) -> Size:
        if isinstance(df, Number):
            self.df, shape = tensor(df, dtype=matrix.dtype, device=matrix.device), Size(matrix.shape[:-2])
            self.df = self.df.expand(shape)
            return shape
        shape = Size(broadcast_shapes(matrix.shape[:-2], df.shape))
        self.df = df.expand(shape)
        return shape

    def _require_enough(self, df: Any, size: int) -> None:
        if bool((self.df <= size - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        if bool((self.df < size).any()):
            warn_user("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.")

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower Cholesky factor of V."""
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """V."""
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of V."""
        factor = self._unbroadcasted_scale_tril
        one = ops.diag_embed(factor.new_ones(self._event_shape[-1]))
        return ops.cholesky_solve(one, factor).expand(self._batch_shape + self._event_shape)

    _size = derived(lambda self: self._event_shape[-1])
    _df_of_matrices = derived(lambda self: self.df[..., None, None])
    mean = derived(lambda self: self._df_of_matrices * self.covariance_matrix)

    @property
    def mode(self) -> Tensor:
        factor = self._df_of_matrices - self._size - 1
        return factor.masked_fill(factor <= 0, math.nan) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        diagonal = v.diagonal(0, -2, -1)
        return self._df_of_matrices * (v.square() + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples by the decomposition of Bartlett, 1933, which may be singular after rounding."""
        noise = ops.diag_embed(self._dist_chi2.rsample(sample_shape).sqrt())
        rows, columns = tril_indices(self._size, self._size, -1, device=noise.device)
        count = self._size * (self._size - 1) // 2
        noise[..., rows, columns] = _standard_normal(
            (*sample_shape, *self._batch_shape, count), noise.dtype, noise.device
        )
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def rsample(self, sample_shape: Sequence[int] = (), max_try_correction: int | None = None) -> Tensor:
        """Draw samples, `sample_shape` of them, as differentiable functions of the parameters.

        Those that are not positive definite are drawn again at most `max_try_correction` times.
        """
        sample = self._bartlett_sampling(sample_shape)
        for _ in range(_TRIES if max_try_correction is None else max_try_correction):
            singular = ~self.support.check(sample)
            if not bool(singular.any()):
                break
            warn_user("Singular sample detected.")
            sample = ops.where(singular[..., None, None], self._bartlett_sampling(sample_shape), sample)
        return sample

    def _log_prob_of(self, value: Tensor) -> Tensor:
        solved = ops.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(0, -2, -1)
        det = ops.linalg_slogdet(value)[1]
        half = 0.5 * self.df
        volume = self.df * self._half_log_det() + ops.mvlgamma(half, self._size)
        return (half - 0.5 * (self._size + 1)) * det - 0.5 * solved.sum(-1) - volume

    def _half_log_det(self) -> Tensor:
        """log(det(2 V)) / 2."""
        diagonal = self._unbroadcasted_scale_tril.diagonal(0, -2, -1)
        return 0.5 * self._size * _LOG_2 + diagonal.log().sum(-1)

    def entropy(self) -> Tensor:
        half, size = 0.5 * self.df, self._size
        volume = (size + 1) * self._half_log_det() + ops.mvlgamma(half, size)
        return volume - (half - 0.5 * (size + 1)) * self._digammas() + half * size

    def _digammas(self) -> Tensor:
        """The slope of the logarithm of the multivariate gamma function at df / 2."""
        half = 0.5 * self.df.unsqueeze(-1)
        return (half - 0.5 * arange(self._size, dtype=half.dtype, device=half.device)).digamma().sum(-1)

    _natural_params = derived(lambda self: (-0.5 * self.precision_matrix, 0.5 * (self.df - self._size - 1)))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        size = x.shape[-1]
        half = y + 0.5 * (size + 1)
        return half * (size * _LOG_2 - ops.linalg_slogdet(-2 * x)[1]) + ops.mvlgamma(half, size)
