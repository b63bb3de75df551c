"""Batch normalisation: layers on one base class, lazy ones, and those over the batches of all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...generated.ops import all_reduce, cat
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.ops.creation import empty, ones, tensor, zeros
from ...runtime.tensor.dtypes import int64
from ...runtime.tensor.grad_mode import no_grad
from .. import functional as F
from .. import init
from ..docstrings import completed_from
from ..functional.normalization import count
from ..parameter import Parameter, UninitializedBuffer, UninitializedParameter
from .lazy import LazyModuleMixin, materialized
from .module.base import Module

if TYPE_CHECKING:
    from ...runtime.extensions.distributed.groups.process_group import ProcessGroup


def group_of(chosen: Any) -> ProcessGroup | None:
    """The group whose ranks share statistics; None where this process is the only one, or alone in it."""
    from ...runtime.extensions.distributed.world import is_initialized, member  # loaded by who has such a layer

    result = member(chosen) if is_initialized() else None
    return result if result is not None and result.size() > 1 else None


def batch_norm(input: Any, layer: Any, factor: float, group: ProcessGroup) -> Any:
    """The input (N, C, ...), less each channel's mean over all ranks' batches and over its standard deviation there.

    N may differ between ranks. `factor` is the weight of this batch in running estimates.
    """
    wide = input if input.element_size() >= 4 else input.float()
    around = [dim for dim in range(input.dim()) if dim != 1]
    shape = [1, -1, *[1] * (input.dim() - 2)]
    count = wide.new_full((1,), input.numel() / max(1, input.shape[1]))
    sums = all_reduce(cat([wide.sum(around), count]), "sum", group)
    count = sums[-1:].detach()
    mean = sums[:-1] / count
    centred = wide - mean.view(shape)
    variance = all_reduce((centred * centred).sum(around), "sum", group) / count
    if layer.training and layer.track_running_stats:
        _update(layer.running_mean, mean, factor)
        _update(layer.running_var, variance * (count / (count - 1)), factor)
    result = centred * (variance + layer.eps).rsqrt().view(shape)
    if layer.weight is not None:
        result = result * layer.weight.view(shape)
    return (result if layer.bias is None else result + layer.bias.view(shape)).to(input.dtype)


def _update(running: Any, new: Any, factor: float) -> None:
    with no_grad():
        running.mul_(1 - factor).add_(new.detach().to(running.dtype), alpha=factor)


class NormBase(Module):
    """Parameters and running statistics of one number per channel; a subclass says what is normalised with them."""

    _version = 2  # num_batches_tracked is part of the state since 2
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
        self.num_features = argument_checks.integer(type(self).__name__, "num_features", num_features)
        self.eps, self.momentum, self.affine = eps, momentum, affine
        self.track_running_stats = track_running_stats
        factory = {"device": device, "dtype": dtype}
        self.register_parameter("weight", Parameter(empty(num_features, **factory)) if affine else None)
        self.register_parameter("bias", Parameter(empty(num_features, **factory)) if affine and bias else None)
        tracks_stats = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **factory) if tracks_stats else None)
        self.register_buffer("running_var", ones(num_features, **factory) if tracks_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if tracks_stats else None)
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


class _BatchNorm(NormBase):
    expected_dims: tuple[int, ...]

    def _check_input_dim(self, input: Tensor) -> None:
        argument_checks.tensor(type(self).__name__, "input", input)
        if input.dim() not in self.expected_dims:
            expected = " or ".join(f"{dims}D" for dims in self.expected_dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def _average_factor(self) -> float:
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            count(self.num_batches_tracked)
            if self.momentum is None:  # plain average over all batches
                return 1.0 / float(self.num_batches_tracked)
        return self.momentum or 0.0

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor, mean, var = (
            self._average_factor(),
            self.running_mean,
            self.running_var,
        )  # a look-up costs as much as an op
        from_batch = self.training or (mean is None and var is None)
        if self.training and not self.track_running_stats:
            mean = var = None
        return F.batch_norm(input, mean, var, self.weight, self.bias, from_batch, factor, self.eps)


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
        device, dtype: where parameters and buffers lie, and their dtype.
        bias: whether the affine part has a bias.

    Shape: Input: (N, C) or (N, C, L). Output: the same.

    Source: Ioffe and Szegedy, Batch Normalization (2015).

    Raises:
        ValueError: input of other dimensions, or a training batch of one value per channel.
        RuntimeError: input without num_features channels.

    Example:
        >>> y = sg.nn.BatchNorm1d(3)(sg.randn(10, 3))
        >>> bool((y.mean(0).abs() < 1e-5).all())
        True
    """

    expected_dims = (2, 3)


@completed_from(BatchNorm1d)
class BatchNorm2d(_BatchNorm):
    """Normalises each channel over the batch and the image.

    Example:
        >>> list(sg.nn.BatchNorm2d(3)(sg.randn(2, 3, 5, 6)).shape)
        [2, 3, 5, 6]
    """

    expected_dims = (4,)


@completed_from(BatchNorm2d)
class BatchNorm3d(_BatchNorm):
    expected_dims = (5,)


class LazyNorm(LazyModuleMixin, NormBase):
    """Base of the lazy norms: the number of channels is the second size of the first input."""

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
        self.affine, self.track_running_stats = affine, track_running_stats
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
        """Take the size of parameters and estimates from `input`, that of the first call."""
        if self.has_uninitialized_params():
            self.num_features = self._channels(argument_checks.tensor(type(self).__name__, "input", input))
            names = ("weight", "bias", "running_mean", "running_var")
            materialized(self, **dict.fromkeys(names, (self.num_features,)))
            self.reset_parameters()
        self.num_features = next((len(t) for t in (self.weight, self.running_mean) if t is not None), 0)


@completed_from(BatchNorm1d)
class LazyBatchNorm1d(LazyNorm, BatchNorm1d):
    """A `BatchNorm1d` whose `num_features` is the number of channels of its first input.

    Example:
        >>> layer = sg.nn.LazyBatchNorm1d()
        >>> _ = layer(sg.ones(4, 2, 5))
        >>> layer.num_features
        2
    """

    cls_to_become = BatchNorm1d


@completed_from(LazyBatchNorm1d)
class LazyBatchNorm2d(LazyNorm, BatchNorm2d):
    cls_to_become = BatchNorm2d


@completed_from(LazyBatchNorm1d)
class LazyBatchNorm3d(LazyNorm, BatchNorm3d):
    cls_to_become = BatchNorm3d


@completed_from(BatchNorm1d)
class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over the batches of all ranks of a process group; of one rank, it is BatchNorm.

    Args:
        process_group: the ranks; those of the default group when left out.

    Shape: Input: (N, C) or (N, C, ...). Output: the same.

    Raises: ValueError: input of fewer than 2 dimensions.

    Example:
        >>> y = sg.nn.SyncBatchNorm(3)(sg.randn(10, 3, 4, 4, 4))
        >>> bool((y.mean((0, 2, 3, 4)).abs() < 1e-5).all())
        True
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if argument_checks.tensor("SyncBatchNorm", "input", input).dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        if self.training or self.running_mean is None:
            group = group_of(self.process_group)
            if group is not None:
                self._check_input_dim(input)
                return batch_norm(input, self, self._average_factor(), group)
        return super().forward(input)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with SyncBatchNorm in place of each batch normalisation in it, which share their parameters.

        Args:
            module: a batch normalisation, or a module that holds some.
            process_group: as of SyncBatchNorm.

        Example:
            >>> type(sg.nn.SyncBatchNorm.convert_sync_batchnorm(sg.nn.BatchNorm2d(3))).__name__
            'SyncBatchNorm'
        """
        converted = cls._like(module, process_group) if isinstance(module, _BatchNorm) else module
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted

    @classmethod
    def _like(cls, norm: Any, process_group: Any) -> SyncBatchNorm:
        made = cls(norm.num_features, norm.eps, norm.momentum, norm.affine, norm.track_running_stats, process_group)
        made.weight, made.bias = norm.weight, norm.bias
        made.running_mean, made.running_var = norm.running_mean, norm.running_var
        made.num_batches_tracked = norm.num_batches_tracked
        made.training = norm.training
        return made


_NormBase = NormBase

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]
