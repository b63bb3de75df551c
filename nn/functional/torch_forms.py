"""Functions that PyTorch offers beside those of `nn.functional`, with arguments in the order of its C++ library.

Programs for TorchScript call `torch.dropout(x, p, train)`, `torch.layer_norm`, `torch.kl_div` and the like. A reduction
is a number here: 0 none, 1 the mean, 2 the sum. Flags for cuDNN change nothing. The names are those of `specgrad`
itself, and are loaded when one of them is first asked for.
"""

from builtins import range as numbers
from collections.abc import Sequence
from typing import Any

from ...generated import ops
from ...generated.ops import channel_shuffle, conv1d
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.methods.argument_guard import guard_module
from ...runtime.ops.creation import ones_like
from ...runtime.tensor.dtypes import bool_
from .. import functional as F
from .normalization import batch_norm as _batch_norm
from .normalization import group_norm as _group_norm
from .normalization import instance_norm as _instance_norm
from .normalization import layer_norm as _layer_norm
from .normalization import rms_norm

REDUCTIONS = ("none", "mean", "sum")


def _reduction(op: str, number: Any) -> str:
    result = argument_checks.integer(op, "reduction", number)
    if not 0 <= result < len(REDUCTIONS):
        raise ValueError(f"{op}(): {result} is not a valid value for reduction")
    return REDUCTIONS[result]


# ---- dropout ---------------------------------------------------------------------------------------------------------


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.dropout`, elements of `input` dropped with probability `p` if `train`."""
    return F.dropout(input, p, train)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` in place."""
    return F.dropout(input, p, train, inplace=True)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.alpha_dropout`, which keeps mean and variance."""
    return F.alpha_dropout(input, p, train)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`alpha_dropout` in place."""
    return F.alpha_dropout(input, p, train, inplace=True)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout of whole channels: of dimension 1, whatever dimensions follow."""
    return ops.noise_scale(input, _channels_left(input, p)) if train else input.clone()


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`feature_dropout` in place."""
    return ops.noise_scale_(input, _channels_left(input, p)) if train else input


def _channels_left(input: Tensor, p: float) -> Tensor:
    if input.ndim < 2:
        raise RuntimeError("feature_dropout(): Feature dropout requires at least 2 dimensions in the input")
    channels = ones_like(input[(..., *(slice(0, 1),) * (input.ndim - 2))].detach())
    return F.dropout(channels, p, True)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout`: of whole channels, mean and variance kept."""
    return F.feature_alpha_dropout(input, p, train)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`feature_alpha_dropout` in place."""
    return F.feature_alpha_dropout(input, p, train, inplace=True)


def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Dropout, and which elements were kept."""
    if train is False:
        return input.clone(), ones_like(input, dtype=bool_)
    scaled = F.dropout(ones_like(input.detach()), p, True)
    return ops.noise_scale(input, scaled), scaled != 0


# ---- norms -----------------------------------------------------------------------------------------------------------


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """`nn.functional.layer_norm`."""
    return _layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """`nn.functional.normalization`."""
    return _group_norm(input, num_groups, weight, bias, eps)


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.batch_norm`, with weight and bias first."""
    return _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """`nn.functional.instance_norm`, with weight and bias first."""
    return _instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`layer_norm`, with the mean and 1 / sqrt(var + eps) of each row."""
    output = _layer_norm(input, normalized_shape, weight, bias, eps)
    dims = tuple(numbers(-len(normalized_shape), 0))
    return output, *_statistics(input.detach(), dims, eps, keepdim=True)  # PyTorch gives them no gradient either


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """`group_norm` of N examples of C channels of HxW places, with mean and 1 / sqrt(var + eps) of each group."""
    output = _group_norm(input, group, weight, bias, eps)
    return output, *_statistics(input.reshape(N, group, C // group * HxW), (2,), eps)


def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm`, with the mean and 1 / sqrt(var + eps) of each channel when training, else two empty tensors."""
    output = _batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return output, input.new_empty(0), input.new_empty(0)
    return output, *_statistics(input.detach(), (0, *numbers(2, input.ndim)), eps)


def _statistics(x: Tensor, dims: Sequence[int], eps: float, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return x.mean(dims, keepdim), (x.var(dims, correction=0, keepdim=keepdim) + eps).rsqrt()


# ---- losses ----------------------------------------------------------------------------------------------------------


def kl_div(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """`nn.functional.kl_div`."""
    how, losses = _reduction("kl_div", reduction), F.kl_div(input, target, reduction="none", log_target=log_target)
    return losses if how == "none" else losses.mean() if how == "mean" else losses.sum()


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """`nn.functional.ctc_loss`."""
    how = _reduction("ctc_loss", reduction)
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """`nn.functional.cosine_embedding_loss`."""
    how = _reduction("cosine_embedding_loss", reduction)
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=how)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 1) -> Tensor:
    """`nn.functional.hinge_embedding_loss`."""
    return F.hinge_embedding_loss(input, target, margin, reduction=_reduction("hinge_embedding_loss", reduction))


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 1
) -> Tensor:
    """`nn.functional.margin_ranking_loss`."""
    how = _reduction("margin_ranking_loss", reduction)
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=how)


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Tensor:
    """`nn.functional.poisson_nll_loss`."""
    how = _reduction("poisson_nll_loss", reduction)
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=how)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: int = 1,
) -> Tensor:
    """`nn.functional.triplet_margin_loss`."""
    how = _reduction("triplet_margin_loss", reduction)
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=how)


# ---- convolution, pooling, matrices ----------------------------------------------------------------------------------


def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of images."""
    return ops.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """`grid_sampler` of volumes."""
    return ops.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """sqrt(sum |x|^2) over `dim`."""
    return ops.norm(input, 2, dim or None, keepdim)


def nuclear_norm(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The sum of singular values of matrices, which lie in two dimensions `dim`."""
    if isinstance(dim, bool):  # the overload without a dimension
        dim, keepdim = None, dim
    return ops.norm(input, "nuc", dim, keepdim)


# ---- tensors ---------------------------------------------------------------------------------------------------------


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolution of signals whose dimensions are time, batch and channels.

    Args:
        input: signals.
        weight: of shape (width, channels, output channels).
        bias: what is added to each output channel.
        pad: how many zeros stand before and behind the signal.

    Shape: Input (T, B, C); the output has the length of the convolution and the output channels in place of T and C.

    Raises: RuntimeError: shapes that do not belong together.

    Example:
        >>> sg.nn.functional.conv_tbc(sg.ones(3, 1, 2), sg.ones(2, 2, 4), sg.zeros(4)).shape
        specgrad.Size([2, 1, 4])
    """
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels in another order: `channel_shuffle`.

    Args:
        input: the values.
        groups: how many groups of channels.

    Shape: Input and output (N, C, *).

    Example:
        >>> sg.nn.functional.native_channel_shuffle(sg.arange(4).view(1, 4, 1), 2).flatten()
        tensor([0, 2, 1, 3])
    """
    return channel_shuffle(input, groups)


__all__ = [
    "alpha_dropout",
    "alpha_dropout_",
    "batch_norm",
    "cosine_embedding_loss",
    "ctc_loss",
    "dropout",
    "dropout_",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "feature_dropout",
    "feature_dropout_",
    "frobenius_norm",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "group_norm",
    "hinge_embedding_loss",
    "instance_norm",
    "kl_div",
    "layer_norm",
    "margin_ranking_loss",
    "native_batch_norm",
    "native_dropout",
    "native_group_norm",
    "native_layer_norm",
    "nuclear_norm",
    "poisson_nll_loss",
    "rms_norm",
    "triplet_margin_loss",
]


guard_module(__name__)
