"""Instance normalisation: layers on one base class, and lazy ones."""

import warnings
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from .. import functional as F
from ..docstrings import completed_from
from .batchnorm import BatchNorm1d, LazyNorm, NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(NormBase):
    spatial_dims: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        dims = argument_checks.tensor(type(self).__name__, "input", input).dim()
        expected = self.spatial_dims + 1
        if dims not in (expected, expected + 1):
            raise ValueError(f"expected {expected}D or {expected + 1}D input (got {dims}D input)")
        channel = dims - expected
        if input.shape[channel] == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={channel} to match num_features ({self.num_features}), but got: "
                f"{input.shape[channel]}."
            )
        warnings.warn(
            f"input's size at dim={channel} does not match num_features. You can silence this warning by not passing "
            "in num_features, which is not used because affine=False",
            stacklevel=4,
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        if input.dim() == self.spatial_dims + 1:  # one sample alone
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum or 0.0,
            self.eps,
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any) -> None:
        buffer_names = [name for name in ("running_mean", "running_var") if prefix + name in state_dict]
        if local_metadata.get("version") is None and not self.track_running_stats and buffer_names:
            names = " and ".join(f'"{prefix}{name}"' for name in buffer_names)
            rest[-1].append(
                f"Unexpected running stats buffer(s) {names} for {type(self).__name__} with track_running_stats=False. "
                "Remove these keys from state_dict, or set track_running_stats=True."
            )
            for name in buffer_names:
                state_dict.pop(prefix + name)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


@completed_from(BatchNorm1d)
class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample over the sequence.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Mean and (biased) variance are the input's; with `track_running_stats` running estimates follow them in training,
    with the unbiased variance, and are used in evaluation.

    Args:
        momentum: weight of a batch in the running estimates.
        track_running_stats: whether there are running estimates.

    Shape: Input: (N, C, L) or (C, L). Output: the same.

    Source: Ulyanov, Vedaldi and Lempitsky, Instance Normalization (2016).

    Raises:
        ValueError: input of other dimensions, one value per channel, or other than num_features channels when `affine`.

    Example:
        >>> list(sg.nn.InstanceNorm1d(3)(sg.randn(2, 3, 5)).shape)
        [2, 3, 5]
    """

    spatial_dims = 1


@completed_from(InstanceNorm1d)
class InstanceNorm2d(_InstanceNorm):
    spatial_dims = 2


@completed_from(InstanceNorm1d)
class InstanceNorm3d(_InstanceNorm):
    spatial_dims = 3


@completed_from(InstanceNorm1d)
class LazyInstanceNorm1d(LazyNorm, InstanceNorm1d):
    """An `InstanceNorm1d` whose `num_features` is the number of channels of its first input.

    Shape: Input: (N, C, L). Output: the same.

    Example:
        >>> layer = sg.nn.LazyInstanceNorm1d()
        >>> _ = layer(sg.ones(4, 2, 5))
        >>> layer.num_features
        2
    """

    cls_to_become = InstanceNorm1d


@completed_from(LazyInstanceNorm1d)
class LazyInstanceNorm2d(LazyNorm, InstanceNorm2d):
    cls_to_become = InstanceNorm2d


@completed_from(LazyInstanceNorm1d)
class LazyInstanceNorm3d(LazyNorm, InstanceNorm3d):
    cls_to_become = InstanceNorm3d
