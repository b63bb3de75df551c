"""Distributions with a location and a scale: uniform, Cauchy, its absolute values, Gumbel, von Mises."""

import math
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.autograd.function import Function, once_differentiable
from ...runtime.namespace import op
from ...runtime.ops.creation import full_like, ones_like, rand
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import finfo, float64
from . import constraints
from .base.parameters import alias, derived, euler_constant
from .base.parametric import Parametric, parameter
from .independent import TransformedDistribution
from .normal import _Half
from .transforms import AbsTransform, AffineTransform, ExpTransform

__all__ = ["Cauchy", "Gumbel", "HalfCauchy", "Uniform", "VonMises"]


class Uniform(Parametric):
    """The uniform distribution over the numbers from low, with it, to high, without.

    Formula: p(x) = 1 / (high - low)

    Args:
        low: the least number.
        high: the end, greater than low.

    Raises: ValueError: high is not greater than low.

    Example:
        >>> uniform = sg.distributions.Uniform(0.0, 2.0)
        >>> uniform.cdf(sg.tensor(0.5)), uniform.entropy()
        (tensor(0.2500), tensor(0.6931))
    """

    low = parameter()
    high = parameter()
    has_rsample = True

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    mean = derived(lambda self: (self.high + self.low) / 2)
    mode = derived(lambda self: float("nan") * self.high)
    stddev = derived(lambda self: (self.high - self.low) / 12**0.5)
    variance = derived(lambda self: (self.high - self.low).pow(2) / 12)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = rand(self._extended_shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + noise * (self.high - self.low)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        inside = (self.low <= value) & (value < self.high)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def _cdf_of(self, value: Tensor) -> Tensor:
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()


class Cauchy(Parametric):
    """The Cauchy (Lorentz) distribution: that of the ratio of two independent normal numbers of mean zero.

    Formula: p(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2))

    It has no mean, and its variance is infinite.

    Args:
        loc: the median.
        scale: half the width at half of the maximum, positive.

    Example:
        >>> cauchy = sg.distributions.Cauchy(0.0, 1.0)
        >>> cauchy.log_prob(sg.tensor(1.0)), cauchy.cdf(sg.tensor(1.0))
        (tensor(-1.8379), tensor(0.7500))
    """

    loc = parameter(constraints.real)
    scale = parameter(constraints.positive)
    support = constraints.real
    has_rsample = True

    mean = derived(lambda self: self.loc.new_full(self._extended_shape(), math.nan))
    mode = alias("loc")
    variance = derived(lambda self: self.loc.new_full(self._extended_shape(), math.inf))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        noise = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + noise * self.scale

    def _log_prob_of(self, value: Tensor) -> Tensor:
        distance = ops.hypot(self.scale, value - self.loc)  # of which no square overflows
        return self.scale.log() - math.log(math.pi) - 2 * distance.log()

    def _cdf_of(self, value: Tensor) -> Tensor:
        below = (self.loc - value) / self.scale
        return ops.atan2(ones_like(below), below) / math.pi

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * _cotangent_of_turn(value)

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


def _cotangent_of_turn(value: Tensor) -> Tensor:
    """cot(pi v) for v from 0 to 1, by the tangent from where that is exact: 0, 1/2, or 1."""
    centered = (math.pi * (0.5 - value)).tan()
    lower = (math.pi * value).tan().reciprocal()
    upper = -(math.pi * (1 - value)).tan().reciprocal()
    return ops.where(value < 0.25, lower, ops.where(value > 0.75, upper, centered))


class HalfCauchy(_Half):
    """The distribution of |x| for x from Cauchy(0, scale).

    Formula: p(x) = 2 / (pi scale (1 + (x / scale)^2)) for x >= 0

    Args:
        scale: that of the cauchy distribution, positive.

    Example:
        >>> half = sg.distributions.HalfCauchy(1.0)
        >>> half.log_prob(sg.tensor(1.0)), half.cdf(sg.tensor(1.0))
        (tensor(-1.1447), tensor(0.5000))
    """

    _expands = ()

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = Cauchy(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    def _cdf_of(self, value: Tensor) -> Tensor:
        return ops.atan2(value / self.scale, ones_like(value)) * (2 / math.pi)

    def icdf(self, value: Tensor) -> Tensor:
        angle = 0.5 * math.pi * value
        upper = (0.5 * math.pi * (1 - value)).tan().reciprocal()
        return self.scale * ops.where(value > 0.5, upper, angle.tan())

    scale = alias("base_dist.scale", "The scale of the cauchy distribution.")
    mean = derived(lambda self: self.scale.new_full(self._extended_shape(), math.inf))
    variance = alias("base_dist.variance")


class Gumbel(Parametric, TransformedDistribution):
    """The Gumbel distribution: of the greatest of many numbers.

    Formula: p(x) = exp(-z - exp(-z)) / scale with z = (x - loc) / scale

    Args:
        loc: the mode.
        scale: the scale, positive.

    Example:
        >>> gumbel = sg.distributions.Gumbel(0.0, 1.0)
        >>> gumbel.mean, gumbel.log_prob(sg.tensor(0.0)), gumbel.cdf(sg.tensor(0.0))
        (tensor(0.5772), tensor(-1.), tensor(0.3679))
    """

    loc = parameter(constraints.real)
    scale = parameter(constraints.positive)
    support = constraints.real

    def _construct(self, batch_shape: Size, validate_args: bool | None) -> None:
        limits = finfo(self.loc.dtype)
        ends = full_like(self.loc, limits.tiny), full_like(self.loc, 1 - limits.eps)
        log, transposed = ExpTransform().inv, AffineTransform(loc=0, scale=-ones_like(self.scale))
        transforms = [log, transposed, log, AffineTransform(loc=self.loc, scale=-self.scale)]
        base = Uniform(*ends, validate_args=validate_args)
        TransformedDistribution.__init__(self, base, transforms, validate_args)

    def _log_prob_of(self, value: Tensor) -> Tensor:
        transposed = (self.loc - value) / self.scale
        return transposed - transposed.exp() - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        self._check(value)
        limit = math.log(finfo(self.loc.dtype).max)  # beyond, the result is 0 and so is its gradient
        return (-((self.loc - value) / self.scale).clamp(max=limit).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * (-value.log()).log()

    mean = derived(lambda self: self.loc + self.scale * euler_constant)
    mode = alias("loc")
    stddev = derived(lambda self: (math.pi / math.sqrt(6)) * self.scale)
    variance = derived(lambda self: self.stddev.pow(2))

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)


FLAT = 1e-5  # a concentration below this leaves angles uniform but for terms of its square


class _Angle(Function):
    """Draws around 0 whose gradient says how they move with the concentration at a fixed level: implicit."""

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        noise = sampled_angles(concentration.detach().to(float64)).to(concentration.dtype)
        ctx.save_for_backward(noise, concentration)
        return noise

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        derivatives: Tensor = op.von_mises_grad(*ctx.saved_tensors)
        return grad * derivatives


def sampled_angles(concentration: Tensor) -> Tensor:
    """Angles around 0, by rejection from a wrapped Cauchy distribution: Best and Fisher, 1979."""
    width = proposal(concentration)
    angles = concentration.new_zeros(concentration.shape)
    done = concentration != concentration  # NaN gives nothing that could be accepted
    angles = angles.masked_fill(done, math.nan)
    while not bool(done.all()):
        turn, level, side = rand(3, *concentration.shape, dtype=float64, device=concentration.device).unbind()
        z = (math.pi * turn).cos()
        cosine = (1 + width * z) / (width + z)
        c = concentration * (width - cosine)
        accepted = ((c * (2 - c) - level > 0) | ((c / level).log() + 1 - c >= 0)) & ~done
        angles = ops.where(accepted, (side - 0.5).sign() * cosine.clamp(-1, 1).acos(), angles)
        done = done | accepted
    return angles


def proposal(concentration: Tensor) -> Tensor:
    """(1 + rho^2) / (2 rho), with the rho of the wrapped Cauchy distribution that numbers are proposed from."""
    tau = 1 + (1 + 4 * concentration.square()).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * concentration)
    general_value = (1 + rho.square()) / (2 * rho)
    return ops.where(concentration < FLAT, concentration.reciprocal() + concentration, general_value)


class VonMises(Parametric):
    """The von Mises distribution, of angles: a normal distribution on the circle.

    Formula: p(x) = exp(concentration cos(x - loc)) / (2 pi I0(concentration))

    Args:
        loc: the angle around which samples lie, in radians.
        concentration: how near to it they lie, positive.

    Example:
        >>> angles = sg.distributions.VonMises(0.0, 4.0)
        >>> angles.variance, angles.log_prob(sg.tensor(0.5))
        (tensor(0.1365), tensor(-0.7525))
    """

    loc = parameter(constraints.real)
    concentration = parameter(constraints.positive)
    support = constraints.real
    has_rsample = True

    mean = alias("loc", "The mean direction.")
    mode = alias("loc")

    @property
    def variance(self) -> Tensor:
        """The circular variance, 1 - I1(concentration) / I0(concentration)."""
        return 1 - ops.i1e(self.concentration) / ops.i0e(self.concentration)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw angles from -pi to pi, `sample_shape` of them, as differentiable functions of both parameters."""
        angles = _Angle.apply(self.concentration.expand(self._extended_shape(sample_shape)))
        return (angles + math.pi + self.loc) % (2 * math.pi) - math.pi

    def _log_prob_of(self, value: Tensor) -> Tensor:
        fall = -2 * self.concentration * (0.5 * (value - self.loc)).sin().square()
        return fall - math.log(2 * math.pi) - ops.i0e(self.concentration).log()
