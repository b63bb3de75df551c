"""Dropout, of elements and of channels."""

from collections.abc import Callable

from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from .. import functional as F
from ..docstrings import completed_from
from .module.base import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _Dropout(Module):
    function: Callable[..., Tensor]
    _shown = ("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        argument_checks.floating(type(self).__name__, "p", p)
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, self.p, self.training, self.inplace)


@completed_from(F.dropout)
class Dropout(_Dropout):
    """In training, sets each element to zero with probability p and scales the others; else does nothing.

    Formula: y = x m / (1 - p), m ~ Bernoulli(1 - p)

    Args:
        p: probability of an element to be dropped.

    Shape: Input: any. Output: the same.

    Example:
        >>> sg.nn.Dropout(0.2).eval()(sg.ones(2))
        tensor([1., 1.])
    """

    function = staticmethod(F.dropout)


@completed_from(Dropout)
class Dropout1d(_Dropout):
    """In training, sets each channel of a signal to zero with probability p and scales the others.

    Formula: y[n, c] = x[n, c] m[n, c] / (1 - p), m ~ Bernoulli(1 - p)

    Args:
        p: probability of a channel to be dropped.

    Shape: Input: (N, C, L) or (C, L). Output: the same.

    Raises:
        ValueError: p is not in [0, 1].
        RuntimeError: an input of another number of dimensions.

    Source: Tompson et al., Efficient object localization using convolutional networks (2015).

    Example:
        >>> sg.nn.Dropout1d(1.0)(sg.ones(1, 2))
        tensor([[0., 0.]])
    """

    function = staticmethod(F.dropout1d)


@completed_from(Dropout1d)
class Dropout2d(_Dropout):
    """In training, sets each channel of an image to zero with probability p and scales the others.

    Shape: Input: (N, C, H, W); (N, C, L) gives a warning. Output: the same.

    Raises: ValueError: p is not in [0, 1].

    Example:
        >>> sg.nn.Dropout2d(1.0)(sg.ones(1, 1, 1, 2))
        tensor([[[[0., 0.]]]])
    """

    function = staticmethod(F.dropout2d)


@completed_from(Dropout1d)
class Dropout3d(_Dropout):
    """In training, sets each channel of a volume to zero with probability p and scales the others.

    Raises: ValueError: p is not in [0, 1].

    Example:
        >>> sg.nn.Dropout3d(1.0)(sg.ones(1, 1, 1, 2))
        tensor([[[[0., 0.]]]])
    """

    function = staticmethod(F.dropout3d)


@completed_from(Dropout)
class AlphaDropout(_Dropout):
    """In training, moves elements to the lower end of SELU with probability p; mean and variance stay.

    Formula: y = a (x m - 1.7581 (1 - m)) + b, m ~ Bernoulli(1 - p)

    Source: Klambauer et al., Self-normalizing neural networks (2017).

    Example:
        >>> sg.nn.AlphaDropout(0.2).eval()(sg.ones(2))
        tensor([1., 1.])
    """

    function = staticmethod(F.alpha_dropout)


@completed_from(AlphaDropout)
class FeatureAlphaDropout(_Dropout):
    """In training, moves whole channels to the lower end of SELU with probability p; mean and variance stay.

    Formula: y[n, c] = a (x[n, c] m[n, c] - 1.7581 (1 - m[n, c])) + b, m ~ Bernoulli(1 - p)

    Args:
        p: probability of a channel to be dropped.

    Shape: Input: (N, C, *). Output: the same.

    Raises:
        ValueError: p is not in [0, 1].
        RuntimeError: an input of less than two dimensions.

    Example:
        >>> sg.nn.FeatureAlphaDropout(0.2).eval()(sg.ones(1, 2))
        tensor([[1., 1.]])
    """

    function = staticmethod(F.feature_alpha_dropout)


_DropoutNd = _Dropout
