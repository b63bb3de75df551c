"""Relaxed categorical distributions, over probabilities and over their logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import as_tensor, rand
from ....runtime.tensor.shapes import Size
from .. import constraints
from ..discrete.categorical import Categorical
from ..distribution import Distribution
from ..parameters import broadcast_all, clamp_probs
from ..transformed_distribution import TransformedDistribution
from ..transforms import ExpTransform

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The distribution of the logarithms of relaxed one-hot samples.

    Formula: y = log_softmax((logits + g) / temperature) for independent standard Gumbel numbers g

    Args:
        temperature: the lower, the nearer are samples of RelaxedOneHotCategorical to one-hot vectors; positive.
        probs: weights of the classes, (..., K), or
        logits: log weights of the classes.
        validate_args: whether parameters and values are checked; None for the default.

    Raises:
        ValueError: both probs and logits, or neither; a negative weight.

    Example:
        >>> import specgrad as sg
        >>> from specgrad.distributions.relaxed_categorical import ExpRelaxedCategorical
        >>> relaxed = ExpRelaxedCategorical(sg.tensor(1.0), probs=sg.tensor([0.5, 0.5]))
        >>> relaxed.log_prob(sg.tensor([0.5, 0.5]).log())
        tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector  # the vectors with sum(exp(y)) = 1, which rounding leaves
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(ExpRelaxedCategorical, _instance)
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(batch_shape)
        return self._expanded(ExpRelaxedCategorical, batch_shape, new)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """Log probabilities of the classes."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """Probabilities of the classes."""
        return self._categorical.probs

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = clamp_probs(rand(shape, dtype=self.logits.dtype, device=self.logits.device))
        gumbel = -(-drawn.log()).log()
        return ops.log_softmax((self.logits + gumbel) / self.temperature, -1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
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
        validate_args: whether parameters and values are checked; None for the default.

    Raises:
        ValueError: both probs and logits, or neither; a negative weight.

    Source: Maddison et al., "The Concrete Distribution", 2016; Jang et al., "Categorical Reparameterization with
    Gumbel-Softmax", 2016.

    Example:
        >>> import specgrad as sg
        >>> relaxed = sg.distributions.RelaxedOneHotCategorical(sg.tensor(1.0), probs=sg.tensor([0.5, 0.5]))
        >>> relaxed.event_shape, relaxed.log_prob(sg.tensor([0.5, 0.5]))
        (specgrad.Size([2]), tensor(0.))
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedOneHotCategorical, _instance))

    @property
    def temperature(self) -> Any:
        """How relaxed the distribution is."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """Log probabilities of the classes."""
        found: Tensor = self.base_dist.logits
        return found

    @property
    def probs(self) -> Tensor:
        """Probabilities of the classes."""
        found: Tensor = self.base_dist.probs
        return found
