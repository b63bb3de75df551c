"""Norms that learn the number of channels from their first input."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import tensor
from ..runtime.dtypes import int64
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .lazy import LazyModuleMixin, materialized
from .norm_base import NormBase
from .parameter import UninitializedBuffer, UninitializedParameter


class LazyNorm(LazyModuleMixin, NormBase):
    """What lazy norms share: the number of channels is the second size of the first input."""

    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        if affine:
            self.weight = UninitializedParameter(**factory)
        if affine and bias:
            self.bias = UninitializedParameter(**factory)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**factory)
            self.running_var = UninitializedBuffer(**factory)
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Forget what was learned and the batches seen, if there is anything to forget."""
        if self.num_features and not self.has_uninitialized_params():
            super().reset_parameters()

    def _channels(self, input: Tensor) -> int:
        return input.shape[1]

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the size of parameters and estimates from an input.

        Args:
            input: the input of the first call.
        """
        if self.has_uninitialized_params():
            self.num_features = self._channels(checks.tensor(type(self).__name__, "input", input))
            names = [
                name for name in ("weight", "bias", "running_mean", "running_var") if getattr(self, name) is not None
            ]
            materialized(self, **dict.fromkeys(names, (self.num_features,)))
            self.reset_parameters()
        self.num_features = next((len(t) for t in (self.weight, self.running_mean) if t is not None), 0)


class LazyBatchNorm1d(LazyNorm, BatchNorm1d):
    """A `BatchNorm1d` whose `num_features` is the number of channels of its first input.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        eps: added to the variance.
        momentum: weight of a batch in the running estimates.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates.
        device, dtype: where parameters and buffers lie, and their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C) or (N, C, L). Output: the same.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyBatchNorm1d()
        >>> _ = layer(sg.ones(4, 5, 6))
        >>> layer.num_features
        5
    """

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(LazyNorm, BatchNorm2d):
    """A `BatchNorm2d` whose `num_features` is the number of channels of its first input.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        eps: added to the variance.
        momentum: weight of a batch in the running estimates.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates.
        device, dtype: where parameters and buffers lie, and their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C, H, W). Output: the same.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyBatchNorm2d()
        >>> _ = layer(sg.ones(4, 5, 6, 6))
        >>> layer.num_features
        5
    """

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(LazyNorm, BatchNorm3d):
    """A `BatchNorm3d` whose `num_features` is the number of channels of its first input.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        eps: added to the variance.
        momentum: weight of a batch in the running estimates.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates.
        device, dtype: where parameters and buffers lie, and their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C, D, H, W). Output: the same.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyBatchNorm3d()
        >>> _ = layer(sg.ones(4, 5, 2, 2, 2))
        >>> layer.num_features
        5
    """

    cls_to_become = BatchNorm3d
