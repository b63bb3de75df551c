"""Instance norms that learn the number of channels from their first input."""

from .instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .lazy_norms import LazyNorm


class LazyInstanceNorm1d(LazyNorm, InstanceNorm1d):
    """A `InstanceNorm1d` whose `num_features` is the number of channels of its first input.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        eps: added to the variance.
        momentum: weight of a batch in the running estimates.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates.
        device, dtype: where parameters and buffers lie, and their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C, L). Output: the same.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyInstanceNorm1d()
        >>> _ = layer(sg.ones(4, 5, 6))
        >>> layer.num_features
        5
    """

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(LazyNorm, InstanceNorm2d):
    """A `InstanceNorm2d` whose `num_features` is the number of channels of its first input.

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
        >>> layer = sg.nn.LazyInstanceNorm2d()
        >>> _ = layer(sg.ones(4, 5, 6, 6))
        >>> layer.num_features
        5
    """

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(LazyNorm, InstanceNorm3d):
    """A `InstanceNorm3d` whose `num_features` is the number of channels of its first input.

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
        >>> layer = sg.nn.LazyInstanceNorm3d()
        >>> _ = layer(sg.ones(4, 5, 2, 2, 2))
        >>> layer.num_features
        5
    """

    cls_to_become = InstanceNorm3d
