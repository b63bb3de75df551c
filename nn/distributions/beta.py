"""Distributions of proportions and ratios of gamma numbers: Dirichlet, beta, and F."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.autograd.function import Function, once_differentiable
from ...runtime.namespace import op
from ...runtime.ops.creation import ones_like
from ...runtime.ops.creation.distributions import _dirichlet_grad, _sample_dirichlet
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import float64
from . import constraints
from .base.parameters import broadcast_all, derived
from .base.parametric import Parametric, parameter
from .gamma import Gamma, at_least_tiny, digamma_shift
from .independent import ExponentialFamily

__all__ = ["Beta", "Dirichlet", "FisherSnedecor"]


class _Dirichlet(Function):
    """Draws whose gradient says how they move with the concentrations.

    With one concentration its element moves at a fixed level of its beta distribution, and the others keep their
    proportions: implicit reparameterisation along each coordinate.
    """

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        noise = _sample_dirichlet(concentration)
        ctx.save_for_backward(noise, concentration)
        return noise

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        noise, concentration = ctx.saved_tensors
        derivatives = _dirichlet_grad(noise, concentration, concentration.sum(-1, True).expand_as(concentration))
        return derivatives * (grad - (noise * grad).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution, of vectors of probabilities.

    Formula: p(x) = gamma(sum_i a_i) / prod_i gamma(a_i) prod_i x_i^(a_i - 1), with a = concentration

    Args:
        concentration: positive numbers; the last dimension is that of an event.

    Shape: Concentration is (*batch_shape, K), and the event shape (K,).

    Raises: ValueError: a number alone, a concentration that is not positive, or NaN.

    Example:
        >>> dirichlet = sg.distributions.Dirichlet(sg.tensor([1.0, 2.0, 3.0]))
        >>> dirichlet.mean, dirichlet.log_prob(sg.tensor([0.2, 0.3, 0.5]))
        (tensor([0.1667, 0.3333, 0.5000]), tensor(1.5041))
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _expands = ("concentration",)

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def _log_prob_of(self, value: Tensor) -> Tensor:
        total = self.concentration.sum(-1, True)
        # The total times the sum of the values is part of each density; what that is more than 1 is exact so.
        excess = (value.sum(-1, dtype=float64) - 1).to(value.dtype) * total.squeeze(-1)
        return _density_sum(self.concentration, total, value) + excess

    mean = derived(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self) -> Tensor:
        """The most probable vector; where all concentrations are below one, a corner: the first."""
        above = (self.concentration - 1).clamp(min=0.0)
        corner = above.new_zeros(above.shape)
        corner[..., 0] = 1
        return ops.where((self.concentration < 1).all(-1, True), corner, above / above.sum(-1, True))

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        return -self._mean_log_prob(self.concentration)

    def _mean_log_prob(self, concentration: Tensor) -> Tensor:
        """The mean, under this distribution, of the log density of another: that at the mean, and what it is less."""
        total = self.concentration.sum(-1, True)
        shifts = digamma_shift(self.concentration) - digamma_shift(total)  # of log(mean of x) from the mean of log(x)
        at_mean = _density_sum(concentration, concentration.sum(-1, True), self.concentration / total)
        return at_mean - ((concentration - 1) * shifts).sum(-1)

    _natural_params = derived(lambda self: (self.concentration,))

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


def _density_sum(concentration: Tensor, total: Tensor, value: Tensor) -> Tensor:
    """The log density of values with the sum 1, from those of gamma numbers whose ratios they are."""
    parts = op.gamma_log_prob(value, concentration, total).sum(-1)
    return parts - op.gamma_log_prob(ones_like(total), total, total).squeeze(-1)


class Beta(ExponentialFamily):
    """The beta distribution, of numbers between zero and one.

    Formula: p(x) = x^(concentration1 - 1) (1 - x)^(concentration0 - 1) / B(concentration1, concentration0)

    Args:
        concentration1: the first shape, often called alpha, positive.
        concentration0: the second shape, often called beta, positive.

    Shape: Both concentrations broadcast; their shape is the batch shape.

    Example:
        >>> beta = sg.distributions.Beta(2.0, 3.0)
        >>> beta.mean, beta.mode, beta.log_prob(sg.tensor(0.5))
        (tensor(0.4000), tensor(0.3333), tensor(0.4055))
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    _expands = ("_dirichlet",)

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        both = ops.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    concentration1 = derived(lambda self: self._dirichlet.concentration[..., 0], "The first shape.")
    concentration0 = derived(lambda self: self._dirichlet.concentration[..., 1], "The second shape.")
    mean = derived(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = derived(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        both = self._dirichlet.concentration
        return _density_sum(both, both.sum(-1, True), ops.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    _natural_params = derived(lambda self: (self.concentration1, self.concentration0))

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma() + y.lgamma() - (x + y).lgamma()


class FisherSnedecor(Parametric):
    """The F-distribution: of a number of Chi2(df1) / df1 over one of Chi2(df2) / df2.

    Formula: p(x) = (df1 / df2)^(df1 / 2) x^(df1 / 2 - 1) (1 + x df1 / df2)^(-(df1 + df2) / 2) / B(df1 / 2, df2 / 2)

    Args:
        df1: the degrees of freedom of the numerator, positive.
        df2: the degrees of freedom of the denominator, positive.

    Example:
        >>> fisher = sg.distributions.FisherSnedecor(2.0, 6.0)
        >>> fisher.mean, fisher.log_prob(sg.tensor(1.0))
        (tensor(1.5000), tensor(-1.1507))
    """

    df1 = parameter(constraints.positive)
    df2 = parameter(constraints.positive)
    support = constraints.positive
    has_rsample = True
    _expands = ("_gamma1", "_gamma2")

    def _construct(self, batch_shape: Size, validate_args: bool | None) -> None:
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1, validate_args=validate_args)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2, validate_args=validate_args)
        super()._construct(batch_shape, validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 2, math.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 4, math.nan)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        above, below = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        return at_least_tiny(above / below)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        half1, half2 = self.df1 * 0.5, self.df2 * 0.5
        log_odds = (self.df1 / self.df2 * value).log()  # of the share of the numerator
        powers = op.binomial_log_prob(half1, half2, log_odds.sigmoid(), (-log_odds).sigmoid())
        return powers + half1.log() - (half1 / half2).log1p() - value.log()
