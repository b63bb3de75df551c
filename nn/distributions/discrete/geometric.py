"""The geometric distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import rand
from ....runtime.modes.grad_mode import no_grad
from ....runtime.tensor.dtypes import finfo
from ...functional import binary_cross_entropy_with_logits
from .. import constraints
from ..parameters import broadcast_all
from .parameter import ByProbability, require_one

__all__ = ["Geometric"]


class Geometric(ByProbability):
    """The geometric distribution: how many trials of probability `probs` fail before the first that succeeds.

    Formula: p(x) = (1 - probs)^x probs

    Args:
        probs: the probability of success, above 0.
        logits: its log odds, instead.
        validate_args: whether parameters and values are checked; None for the default.

    Shape:
        The shape of the parameter is the batch shape.

    Raises:
        ValueError: both parameters or none, what is no probability, or a probability of 0.

    Example:
        >>> import specgrad as sg
        >>> geometric = sg.distributions.Geometric(0.25)
        >>> geometric.mean, geometric.variance, geometric.log_prob(sg.tensor(1.0))
        (tensor(3.), tensor(12.), tensor(-1.6740))
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        require_one(probs, logits)
        given = self._give(*(None if x is None else broadcast_all(x)[0] for x in (probs, logits)))
        super().__init__(given.size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            self._require_positive()

    def _require_positive(self) -> None:
        valid = self.probs > 0
        if not constraints.holds_everywhere(valid):
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of "
                f"distribution {self!r} to be positive but found invalid values:\n{self.probs[~valid]}"
            )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expand_events(Geometric, batch_shape, _instance)

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return self.probs.new_zeros(self.probs.shape)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        with no_grad():
            kind = self.probs.dtype
            u = rand(self._extended_shape(sample_shape), dtype=kind, device=self.probs.device)
            return (u.clamp(min=finfo(kind).tiny).log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, probs = broadcast_all(value, self.probs)
        certain = (probs == 1) & (value == 0)
        return value * (-probs.masked_fill(certain, 0)).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
