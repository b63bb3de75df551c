"""The von Mises distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.autograd.function import Function, once_differentiable
from ...runtime.namespace import op
from ...runtime.ops.creation import rand
from ...runtime.tensor.dtypes import float64
from . import constraints
from .base.parameters import alias
from .base.parametric import Parametric, parameter

__all__ = ["VonMises"]

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

    Shape: Loc and concentration broadcast; their shape is the batch shape.

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

    def log_prob(self, value: Tensor) -> Tensor:
        self._check(value)
        fall = self.concentration * ((value - self.loc).cos() - 1)
        return fall - math.log(2 * math.pi) - ops.i0e(self.concentration).log()
