"""Distributions of probabilities of classes: relaxed categorical ones and the logistic normal one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.creation import as_tensor, rand
from . import constraints
from .base.distribution import Distribution
from .base.parameters import alias, broadcast_all, clamp_probs
from .categorical import Categorical
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform, StickBreakingTransform

__all__ = ["ExpRelaxedCategorical", "LogisticNormal", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The distribution of the logarithms of relaxed one-hot samples.

    Formula: y = log_softmax((logits + g) / temperature) for independent standard Gumbel numbers g

    Args:
        temperature: the lower, the nearer are samples of RelaxedOneHotCategorical to one-hot vectors; positive.
        probs: weights of the classes, (..., K), or
        logits: log weights of the classes.

    Raises: ValueError: both probs and logits, or neither; a negative weight.

    Example:
        >>> from specgrad.distributions.relaxed_categorical import ExpRelaxedCategorical
        >>> relaxed = ExpRelaxedCategorical(sg.tensor(1.0), probs=sg.tensor([0.5, 0.5]))
        >>> relaxed.log_prob(sg.tensor([0.5, 0.5]).log())
        tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector  # the vectors with sum(exp(y)) = 1, which rounding leaves
    has_rsample = True
    _expands = ("_categorical",)
    _shares = ("temperature",)

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    param_shape = alias("_categorical.param_shape", "The shape of the parameter.")
    logits = alias("_categorical.logits", "Log probabilities of the classes.")
    probs = alias("_categorical.probs", "Probabilities of the classes.")

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise = clamp_probs(rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbel = -(-noise.log()).log()
        return ops.log_softmax((self.logits + gumbel) / self.temperature, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        classes = self._categorical.param_shape[-1]
        temperature = as_tensor(self.temperature, dtype=logits.dtype, device=logits.device)
        scale = math.lgamma(classes) + (classes - 1) * temperature.log()
        return ops.log_softmax(logits - value * temperature, -1).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """A relaxed one-hot categorical distribution: probabilities, with differentiable samples.

    As the temperature goes to zero, samples become those of OneHotCategorical.

    Args:
        temperature: how relaxed it is; positive.
        probs: weights of the classes, (..., K), or
        logits: log weights of the classes.

    Raises: ValueError: both probs and logits, or neither; a negative weight.

    Source: Maddison et al., "The Concrete Distribution", 2016; Jang et al., "Categorical Reparameterization with
    Gumbel-Softmax", 2016.

    Example:
        >>> relaxed = sg.distributions.RelaxedOneHotCategorical(sg.tensor(1.0), probs=sg.tensor([0.5, 0.5]))
        >>> relaxed.event_shape, relaxed.log_prob(sg.tensor([0.5, 0.5]))
        (specgrad.Size([2]), tensor(0.))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    _expands = ()

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    temperature = alias("base_dist.temperature", "How relaxed the distribution is.")
    logits = alias("base_dist.logits", "Log probabilities of the classes.")
    probs = alias("base_dist.probs", "Probabilities of the classes.")


class LogisticNormal(TransformedDistribution):
    """The distribution of probabilities that StickBreakingTransform makes of independent normal numbers.

    Args:
        loc: the means, (..., D).
        scale: the standard deviations, positive.

    Shape: Loc and scale broadcast to (..., D); an event has D + 1 probabilities.

    Example:
        >>> logistic = sg.distributions.LogisticNormal(sg.zeros(2), sg.ones(2))
        >>> logistic.event_shape, logistic.log_prob(sg.ones(3) / 3)
        (specgrad.Size([3]), tensor(1.4580))
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    _expands = ()

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    loc = alias("base_dist.base_dist.loc", "The means of the normal numbers.")
    scale = alias("base_dist.base_dist.scale", "The standard deviations of the normal numbers.")
