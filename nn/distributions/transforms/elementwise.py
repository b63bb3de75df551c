"""Transforms of each number by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.ops.shape.broadcast import broadcast_shapes
from ....runtime.tensor.dtypes import finfo
from .. import constraints
from ..base.parameters import alias, broadcast_all, derived
from .base import CODOMAIN, DOMAIN, Parameterless, Transform

if TYPE_CHECKING:
    from ..base.distribution import Distribution

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "PowerTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
]


class _Simple(Parameterless):
    """An increasing function of numbers."""

    domain = constraints.real
    bijective = True
    sign = +1


class ExpTransform(_Simple):
    """y = exp(x), from the real numbers to the positive ones.

    Example:
        >>> sg.distributions.ExpTransform().inv(sg.tensor(1.0))
        tensor(0.)
    """

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """y = x^exponent, of positive numbers.

    Args:
        exponent: a number or a tensor, not zero.

    Example:
        >>> square = sg.distributions.PowerTransform(2.0)
        >>> square(sg.tensor(3.0)), square.inv(sg.tensor(9.0))
        (tensor(9.), tensor(3.))
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True
    _arguments = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    sign = derived(lambda self: self.exponent.sign())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # log |e| + (e - 1) log(x), or (1 - 1 / e) log(y): of the one that is less likely to overflow.
        steep = self.exponent.abs() >= 1
        power = ops.where(steep, self.exponent - 1, 1 - 1 / self.exponent)
        return self.exponent.abs().log() + power.xlogy(ops.where(steep, x, y))

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return broadcast_shapes(shape, self.exponent.shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.forward_shape(shape)


def _clipped_sigmoid(x: Tensor) -> Tensor:
    return _inside(ops.sigmoid(x))


def _inside(y: Tensor) -> Tensor:
    limits = finfo(y.dtype)
    return y.clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_Simple):
    """y = 1 / (1 + exp(-x)), from the real numbers to those between zero and one.

    Example:
        >>> sg.distributions.SigmoidTransform().inv(sg.tensor(0.5))
        tensor(0.)
    """

    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        inside = _inside(y)
        return inside.log() - (-inside).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return ops.logsigmoid(x) + ops.logsigmoid(-x)


class SoftplusTransform(_Simple):
    """y = log(1 + exp(x)), from the real numbers to the positive ones; x itself for x > 20.

    Example:
        >>> sg.distributions.SoftplusTransform()(sg.tensor(0.0))
        tensor(0.6931)
    """

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return ops.softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return ops.logsigmoid(x)


class TanhTransform(_Simple):
    """y = tanh(x), from the real numbers to those between -1 and 1.

    It is the affine image of a sigmoid, but exact to more digits. Where results come near to -1 and 1 use a cache, as
    the inverse of what was rounded to them is infinite.

    Example:
        >>> tanh = sg.distributions.TanhTransform(cache_size=1)
        >>> tanh.inv(tanh(sg.tensor(30.0)))
        tensor(30.)
    """

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # log(1 - tanh(x)^2) = log(4 / (exp(x) + exp(-x))^2), which does not vanish for large x.
        return 2.0 * (math.log(2.0) - x + ops.logsigmoid(2.0 * x))


class AbsTransform(Parameterless):
    """y = |x|, which has no inverse: `inv` gives the argument that is not negative.

    Example:
        >>> sg.distributions.AbsTransform()(sg.tensor(-2.0))
        tensor(2.)
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """y = loc + scale * x.

    Args:
        loc: a number or a tensor.
        scale: a number or a tensor, not zero.
        event_dim: how many dimensions an event has: 0 for numbers, 1 for vectors.

    Example:
        >>> affine = sg.distributions.AffineTransform(1.0, 2.0)
        >>> affine(sg.tensor(3.0)), affine.inv(sg.tensor(7.0)), affine.sign
        (tensor(7.), tensor(3.), 1)
    """

    bijective = True
    _arguments = ("loc", "scale", "event_dim")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    event_dim = alias("_event_dim")

    @property
    def domain(self) -> constraints.Constraint:
        """The constraint of what it is applied to."""
        return constraints.independent(constraints.real, self.event_dim) if self.event_dim else constraints.real

    codomain = alias("domain", CODOMAIN)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineTransform) and _equal(self.loc, other.loc) and _equal(self.scale, other.scale)

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (float(self.scale) > 0) - (float(self.scale) < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            result = self.scale.abs().log().expand(x.shape)
        else:
            result = x.new_full(x.shape, math.log(abs(self.scale)))
        return result.flatten(-self.event_dim).sum(-1) if self.event_dim else result

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self.forward_shape(shape)


def _equal(one: Any, other: Any) -> bool:
    same = one == other
    return bool(same.all()) if isinstance(same, Tensor) else bool(same)


class CumulativeDistributionTransform(Transform):
    """y = cdf(x) of a distribution of numbers, from its support to those between zero and one.

    Args:
        distribution: the distribution; it has `cdf`, `icdf` and `log_prob`.

    Example:
        >>> normal = sg.distributions.Normal(0.0, 1.0)
        >>> sg.distributions.CumulativeDistributionTransform(normal)(sg.tensor(0.0))
        tensor(0.5000)
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1
    _arguments = ("distribution",)

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = alias("distribution.support", DOMAIN)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)
