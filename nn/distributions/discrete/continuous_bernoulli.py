"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import rand
from ....runtime.modes.grad_mode import no_grad
from ...functional import binary_cross_entropy_with_logits
from .. import constraints
from ..exp_family import ExponentialFamily
from ..parameters import broadcast_all, clamp_probs
from .parameter import ByProbability, require_one

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ByProbability, ExponentialFamily):
    """The continuous Bernoulli distribution, of numbers between zero and one.

    Formula: p(x) = C(probs) probs^x (1 - probs)^(1 - x), C(p) = 2 artanh(1 - 2p) / (1 - 2p)

    Where probs is near 1/2, between the limits `lims`, quotients are replaced by the first terms of their series.
    Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational autoencoders", 2019.

    Args:
        probs: a number between zero and one; no probability of anything.
        logits: its log odds, instead.
        lims: between which values of probs series are used. Default: (0.499, 0.501).
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The shape of the parameter is the batch shape.

    Raises:
        ValueError: both parameters or none, or probs outside of [0, 1].

    Example:
        >>> import specgrad as sg
        >>> numbers = sg.distributions.ContinuousBernoulli(0.25)
        >>> numbers.mean, numbers.log_prob(sg.tensor(0.5))
        (tensor(0.4102), tensor(-0.0498))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        require_one(probs, logits)
        self._lims = lims
        if probs is not None:
            (probs,) = broadcast_all(probs)
            is_checked = self._validate_args if validate_args is None else validate_args
            if is_checked and not constraints.holds_everywhere(constraints.unit_interval.check(probs)):
                raise ValueError("The parameter probs has invalid values")
            given = self._give(clamp_probs(probs), None)
        else:
            given = self._give(None, *broadcast_all(logits))
        super().__init__(given.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expand_events(ContinuousBernoulli, batch_shape, _instance)
        new._lims = self._lims
        return new

    def _outside(self) -> Tensor:
        """Whether probs is far enough from 1/2."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _far_probs(self) -> Tensor:
        """`probs` where it is far enough from 1/2, else the lower limit, which gives no infinite slopes."""
        return self.probs.masked_fill(~self._outside(), self._lims[0])

    def _cont_bern_log_norm(self) -> Tensor:
        """log C(probs)."""
        far = self._far_probs()
        usual = ((-far).log1p() - far.log()).abs().log() - (1 - 2 * far).abs().log()
        x = (self.probs - 0.5).square()
        return ops.where(self._outside(), usual, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        far = self._far_probs()
        usual = far / (2.0 * far - 1.0) + 1.0 / ((-far).log1p() - far.log())
        x = self.probs - 0.5
        return ops.where(self._outside(), usual, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.square()) * x)

    @property
    def stddev(self) -> Tensor:
        return self.variance.sqrt()

    @property
    def variance(self) -> Tensor:
        far = self._far_probs()
        usual = far * (far - 1.0) / (1.0 - 2.0 * far).square() + 1.0 / ((-far).log1p() - far.log()).square()
        x = (self.probs - 0.5).square()
        return ops.where(self._outside(), usual, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return self.icdf(rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return self._cont_bern_log_norm() - binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        far = self._far_probs()
        usual = (far.pow(value) * (1.0 - far).pow(1.0 - value) + far - 1.0) / (2.0 * far - 1.0)
        within = ops.where(self._outside(), usual, value)
        return within.masked_fill(value <= 0.0, 0.0).masked_fill(value >= 1.0, 1.0)

    def icdf(self, value: Tensor) -> Tensor:
        far = self._far_probs()
        log_0 = (-far).log1p()
        usual = ((value * (2.0 * far - 1.0) - far).log1p() - log_0) / (far.log() - log_0)
        return ops.where(self._outside(), usual, value)

    def entropy(self) -> Tensor:
        log_0, log_1 = (-self.probs).log1p(), self.probs.log()
        return self.mean * (log_0 - log_1) - self._cont_bern_log_norm() - log_0

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        """The logarithm of (e^x - 1) / x."""
        outside = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        far = x.masked_fill(~outside, self._lims[0] - 0.5)
        usual = far.expm1().abs().log() - far.abs().log()
        return ops.where(outside, usual, 0.5 * x + x.square() / 24.0 - x.square().square() / 2880.0)
