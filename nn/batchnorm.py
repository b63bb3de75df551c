"""Batch normalisation layers on one base class."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import empty, ones, tensor, zeros
from ..runtime.dtypes import int64
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class _BatchNorm(Module):
    """What batch normalisations of all dimensions share; a subclass says which numbers of dimensions it takes."""

    _version = 2  # num_batches_tracked is part of the state since 2
    expected_dims: tuple[int, ...]
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = checks.integer(type(self).__name__, "num_features", num_features)
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(empty(num_features, **factory)) if affine else None)
        self.register_parameter("bias", Parameter(empty(num_features, **factory)) if affine and bias else None)
        kept = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **factory) if kept else None)
        self.register_buffer("running_var", ones(num_features, **factory) if kept else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if kept else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the batches seen: mean 0, variance 1."""
        if self.track_running_stats:
            assert self.running_mean is not None
            assert self.running_var is not None
            assert self.num_batches_tracked is not None
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Forget what was learned and the batches seen."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        checks.tensor(type(self).__name__, "input", input)
        if input.dim() not in self.expected_dims:
            expected = " or ".join(f"{dims}D" for dims in self.expected_dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def _average_factor(self) -> float:
        """The weight of this batch in the running estimates; counts the batch."""
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
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

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any) -> None:
        counter = prefix + "num_batches_tracked"
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats and counter not in state_dict:
            state_dict[counter] = self.num_batches_tracked if self.num_batches_tracked is not None else tensor(0)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


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
