"""Batch normalisation layers on one base class."""

from __future__ import annotations

from ..generated.tensor import Tensor
from ..runtime import checks
from . import functional as F
from .functional.running import count
from .norm_base import NormBase


class _BatchNorm(NormBase):
    """What batch normalisations of all dimensions share; a subclass says which numbers of dimensions it takes."""

    expected_dims: tuple[int, ...]

    def _check_input_dim(self, input: Tensor) -> None:
        checks.tensor(type(self).__name__, "input", input)
        if input.dim() not in self.expected_dims:
            expected = " or ".join(f"{dims}D" for dims in self.expected_dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def _average_factor(self) -> float:
        """The weight of this batch in the running estimates; counts the batch."""
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            count(self.num_batches_tracked)
            if self.momentum is None:  # plain average over all batches
                return 1.0 / float(self.num_batches_tracked)
        return self.momentum or 0.0

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = self._average_factor()
        from_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            from_batch,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalises each channel over the batch (and the sequence).

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    In training, mean and (biased) variance are the batch's, and running estimates follow them:
    running = (1 - momentum) running + momentum batch, with the unbiased variance. In evaluation the estimates are used.

    Args:
        num_features: channels.
        eps: added to the variance.
        momentum: weight of a batch in the running estimates; None averages all batches alike.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates; without them the batch's are used always.
        device: where parameters and buffers lie.
        dtype: their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C) or (N, C, L). Output: the same.

    Source: Ioffe and Szegedy, Batch Normalization (2015).

    Raises:
        ValueError: input of other dimensions, or a training batch of one value per channel.
        RuntimeError: input without num_features channels.

    Example:
        >>> import specgrad as sg
        >>> y = sg.nn.BatchNorm1d(3)(sg.randn(10, 3))
        >>> bool((y.mean(0).abs() < 1e-5).all())
        True
    """

    expected_dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises each channel over the batch and the image; all else as in BatchNorm1d.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        num_features: channels.
        eps: added to the variance.
        momentum: weight of a batch in the running estimates; None averages all batches alike.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates; without them the batch's are used always.
        device: where parameters and buffers lie.
        dtype: their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C, H, W). Output: the same.

    Source: Ioffe and Szegedy, Batch Normalization (2015).

    Raises:
        ValueError: input of other dimensions, or a training batch of one value per channel.
        RuntimeError: input without num_features channels.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.BatchNorm2d(3)(sg.randn(2, 3, 4, 5)).shape)
        [2, 3, 4, 5]
    """

    expected_dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalises each channel over the batch and the volume; all else as in BatchNorm1d.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        num_features: channels.
        eps: added to the variance.
        momentum: weight of a batch in the running estimates; None averages all batches alike.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates; without them the batch's are used always.
        device: where parameters and buffers lie.
        dtype: their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C, D, H, W). Output: the same.

    Source: Ioffe and Szegedy, Batch Normalization (2015).

    Raises:
        ValueError: input of other dimensions, or a training batch of one value per channel.
        RuntimeError: input without num_features channels.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.BatchNorm3d(3)(sg.randn(2, 3, 4, 5, 2)).shape)
        [2, 3, 4, 5, 2]
    """

    expected_dims = (5,)
