"""Data parallelism of several processes: it needs process groups, which are not there yet."""

from __future__ import annotations

from typing import Any

from ..modules.module.base import Module


class DistributedDataParallel(Module):
    """The gradients of a module averaged over processes: refused, as there are no process groups yet.

    Formula: y = module(x)

    Args:
        module: the module.
        *args, **kwargs: as in PyTorch.

    Shape:
        Those of the module.

    Raises:
        RuntimeError: always.

    Example:
        >>> import specgrad as sg
        >>> sg.distributed.is_available()
        False
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "nn.parallel.DistributedDataParallel: there are no process groups yet (specgrad.distributed.is_available() "
            "is False); one process uses all cores (set_num_threads) and several devices (nn.DataParallel)"
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
