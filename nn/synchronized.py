"""Layers for several devices or processes, as they are with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from .batchnorm import _BatchNorm
from .module import Module


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over the batches of all processes; of one process, which is all there is, it is BatchNorm.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        num_features: channels.
        eps: added to the variance.
        momentum: weight of a batch in the running estimates; None averages all batches alike.
        affine: whether there are a learned weight and bias.
        track_running_stats: whether there are running estimates; without them the batch's are used always.
        process_group: is kept; nothing depends on it.
        device: where parameters and buffers lie.
        dtype: their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C) or (N, C, ...). Output: the same.

    Raises:
        ValueError: input of fewer than 2 dimensions.

    Example:
        >>> import specgrad as sg
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
        if checks.tensor("SyncBatchNorm", "input", input).dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with SyncBatchNorm in place of each batch normalisation in it, which share their parameters.

        Args:
            module: a batch normalisation, or a module that holds some.
            process_group: as of SyncBatchNorm.

        Example:
            >>> import specgrad as sg
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
