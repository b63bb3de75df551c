"""Batch normalisation over the batches of all ranks: its sums are sums over ranks, and so are their gradients."""

from __future__ import annotations

from typing import Any

from ...generated.ops import all_reduce, cat
from ...runtime.distributed.groups.process_group import ProcessGroup
from ...runtime.distributed.world import is_initialized, member
from ...runtime.modes.grad_mode import no_grad


def group_of(chosen: Any) -> ProcessGroup | None:
    """The group whose ranks share statistics; None where this process is the only one, or alone in it."""
    result = member(chosen) if is_initialized() else None
    return result if result is not None and result.size() > 1 else None


def batch_norm(input: Any, layer: Any, factor: float, group: ProcessGroup) -> Any:
    """The input, less the mean of each channel over all ranks' batches and over its standard deviation there.

    Args:
        input: of shape (N, C) or (N, C, ...); N may differ between ranks.
        layer: the SyncBatchNorm.
        factor: the weight of this batch in running estimates.
        group: the ranks.
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
