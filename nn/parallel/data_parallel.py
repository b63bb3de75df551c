"""Data parallelism in one process: each device computes a part of the batch."""

from collections.abc import Sequence
from typing import Any

from ...runtime.device.device import cuda_device_count
from ...runtime.methods.argument_guard import explained
from ..modules.module.base import Module
from .parallel_apply import parallel_apply
from .replicate import replicate
from .scatter_gather import device_of, gather, scatter_kwargs


class DataParallel(Module):
    """Calls a module with parts of a batch on several CUDA devices; with one device, or none, it calls the module.

    Formula: y = module(x)

    Args:
        module: the module; its parameters lie on the first device.
        device_ids: the devices or their numbers; all CUDA devices when left out.
        output_device: the device of the result; the first when left out.
        dim: the dimension of the batch.

    Shape: Those of the module.

    Raises: RuntimeError: in a call: a parameter or buffer does not lie on the first device.

    Example:
        >>> parallel = sg.nn.DataParallel(sg.nn.Linear(2, 3))
        >>> list(parallel.state_dict()), parallel(sg.ones(1, 2)).shape
        (['module.weight', 'module.bias'], specgrad.Size([1, 3]))
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        devices = cuda_device_count()
        self.module, self.dim = module, dim
        self.device_ids: list[Any] = []
        if devices:
            self.device_ids = list(range(devices)) if device_ids is None else list(device_ids)
        self.output_device = output_device
        if self.device_ids and output_device is None:
            self.output_device = self.device_ids[0]

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        self._check_devices()
        parts, names = scatter_kwargs(inputs, kwargs, self.device_ids, self.dim)
        if not parts:  # no arguments: one call
            parts, names = ((),), ({},)
        if len(parts) == 1:
            return self.module(*parts[0], **names[0])
        replicas = replicate(self.module, self.device_ids[: len(parts)])
        return gather(parallel_apply(replicas, parts, names), self.output_device, self.dim)

    def _check_devices(self) -> None:
        first = device_of(self.device_ids[0])
        for tensor in (*self.module.parameters(), *self.module.buffers()):
            if tensor.device != first:
                raise RuntimeError(
                    f"module must have its parameters and buffers on device {first} (device_ids[0]) but found one of "
                    f"them on device: {tensor.device}"
                )


@explained
def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Sequence[Any] | None = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """The result of a module, of which each device computes a part: `DataParallel` as a function.

    Args:
        module: the module.
        inputs: a tuple of arguments, or the only one.
        device_ids, output_device, dim: as of DataParallel.
        module_kwargs: arguments by name.

    Example:
        >>> sg.nn.parallel.data_parallel(sg.nn.ReLU(), sg.tensor([-1.0, 1.0]))
        tensor([0., 1.])
    """
    parallel = DataParallel(module, device_ids, output_device, dim)
    value = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return parallel.forward(*value, **(module_kwargs or {}))
