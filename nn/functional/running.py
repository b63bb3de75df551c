"""Running statistics of norms: they follow those of the batches, in place and outside any graph."""

from __future__ import annotations

from ...generated.tensor import Tensor
from ...runtime.modes.grad_mode import no_grad
from ...runtime.modes.inference import check_written
from ...runtime.modes.intercept import watch
from ...runtime.ops.norm import cpu


def follow(running: Tensor | None, batch: Tensor, momentum: float, factor: float = 1.0) -> None:
    """running = (1 - momentum) * running + momentum * factor * batch, of whatever shape as long as the sizes agree.

    Args:
        running: what is written to; None for nothing.
        batch: the statistics of a batch.
        momentum: their weight.
        factor: what they are multiplied by first.
    """
    if running is None:
        return
    check_written(running)
    old, new = running._flat, batch._flat
    same = running._dtype is batch._dtype and running._dtype.native and not running.requires_grad
    if watch.active or old is None or new is None or not same or not running.is_cpu:
        with no_grad():
            running.lerp_(batch.reshape(running.shape).to(running.dtype) * factor, momentum)
        return
    cpu.follow(old, new, float(momentum), float(factor))
    running._bump_version("batch_norm")


def count(batches: Tensor) -> None:
    """Add one to a counter.

    Args:
        batches: an int64 scalar.
    """
    check_written(batches)
    if watch.active or batches._flat is None or not batches.is_cpu:
        batches.add_(1)
        return
    batches._flat[0] += 1
    batches._bump_version("add_")
