"""Several devices: with one of them, data parallelism is the module itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .modules.module.base import Module


class DataParallel(Module):
    """Calls a module with parts of a batch on several GPUs; on the CPU, with all of it.

    Formula: y = module(x)

    Args:
        module: the module.
        device_ids: is kept where there are GPUs to use; nothing depends on it.
        output_device: likewise.
        dim: the dimension of the batch.

    Shape:
        Those of the module.

    Example:
        >>> import specgrad as sg
        >>> parallel = sg.nn.DataParallel(sg.nn.Linear(2, 3))
        >>> list(parallel.state_dict()), parallel(sg.ones(1, 2)).shape
        (['module.weight', 'module.bias'], specgrad.Size([1, 3]))
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []
        self.output_device = output_device
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
