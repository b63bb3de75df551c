"""The Dirichlet distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.autograd.custom.function import Function, once_differentiable
from ....runtime.creation.implicit import _dirichlet_grad, _sample_dirichlet
from .. import constraints
from ..exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class _Dirichlet(Function):
    """Draws whose gradient says how they move with the concentrations.

    With one concentration its element moves at a fixed level of its beta distribution, and the others keep their
    proportions: implicit reparameterisation along each coordinate.
    """

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        drawn = _sample_dirichlet(concentration)
        ctx.save_for_backward(drawn, concentration)
        return drawn

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        drawn, concentration = ctx.saved_tensors
        slopes = _dirichlet_grad(drawn, concentration, concentration.sum(-1, True).expand_as(concentration))
        return slopes * (grad - (drawn * grad).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution, of vectors of probabilities.

    Formula: p(x) = gamma(sum_i a_i) / prod_i gamma(a_i) prod_i x_i^(a_i - 1), with a = concentration

    Args:
        concentration: positive numbers; the last dimension is that of an event.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        Concentration is (*batch_shape, K), and the event shape (K,).

    Raises:
        ValueError: a number alone, a concentration that is not positive, or NaN.

    Example:
        >>> import specgrad as sg
        >>> dirichlet = sg.distributions.Dirichlet(sg.tensor([1.0, 2.0, 3.0]))
        >>> dirichlet.mean, dirichlet.log_prob(sg.tensor([0.2, 0.3, 0.5]))
        (tensor([0.1667, 0.3333, 0.5000]), tensor(1.5041))
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expanded(Dirichlet, batch_shape, _instance, "concentration")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        found: Tensor = _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))
        return found

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        powers = (self.concentration - 1).xlogy(value).sum(-1)
        return powers - self._log_normalizer(self.concentration)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

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
        total, count = self.concentration.sum(-1), self.concentration.size(-1)
        digammas = ((self.concentration - 1) * self.concentration.digamma()).sum(-1)
        return self._log_normalizer(self.concentration) - (count - total) * total.digamma() - digammas

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
