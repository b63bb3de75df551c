"""Where an op runs: the device of its tensors, which must agree, and the kernels for it; shape rules for `meta`."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..device.device import CPU, META, device
from ..errors import DeviceError, NoDataError
from ..namespace import op
from ..tensor.meta import MetaArray
from ..tensor.tensor import TensorBase

_RUNTIME = __name__.rpartition(".dispatch.")[0]


class Shaped:
    """Stands for a kernel on `meta`: returns arrays without memory of the shapes that its rule gives.

    A rule is a function, or its place in the runtime (`"ops.reduction.shapes:reduced"`). It takes the kernel's
    arguments and gives the shape of the result, a list of them for several; a result of another dtype than the first
    operand's, that the entry does not name, is an array itself."""

    def __init__(self, kernel: Any, rule: Any) -> None:
        self.name = kernel.__name__
        self.rule = _resolved(rule) if isinstance(rule, str) else rule or getattr(kernel, "shapes", None)

    def __call__(self, *args: Any) -> Any:
        if self.rule is None:
            raise NoDataError(
                f"{self.name}(): attempted to run this operator with Meta tensors, but there was no fake impl or Meta "
                "kernel registered: its entry has no key 'shape'"
            )
        arrays = list(_arrays_in(args))
        for array in arrays:  # none with memory beside those without, but for single numbers of the host
            if not isinstance(array, MetaArray) and (array.ndim or not isinstance(array, np.ndarray)):
                raise devices_differ(self.name, META, array.device)
        dtype = next(array.dtype for array in arrays if isinstance(array, MetaArray))
        result = self.rule(*args)
        return [_made(each, dtype) for each in result] if isinstance(result, list) else _made(result, dtype)


@cache
def _resolved(target: str) -> Any:
    module, name = target.split(":")
    return getattr(import_module(f"{_RUNTIME}.{module}"), name)


def _made(shape: Any, dtype: Any) -> MetaArray:
    return shape if isinstance(shape, MetaArray) else MetaArray(shape, dtype)


def _arrays_in(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _arrays_in(value)
        elif isinstance(value, np.ndarray) or getattr(value, "on_device", False):
            yield value


def at(tensor: Any, kernel: Any, shape: Any = None) -> Any:
    """`shape` names the rule of the kernel's results."""
    if tensor is None or tensor._device is CPU:
        return kernel
    return Shaped(kernel, shape) if tensor._device is META else counterpart(kernel)


def at_first(tensors: Sequence[Any], kernel: Any, shape: Any = None) -> Any:
    if not tensors:
        return kernel
    first = tensors[0]
    for tensor in tensors:
        if tensor is not None and first is not None and tensor._device is not first._device:
            raise devices_differ(kernel.__name__, first._device, tensor._device)
    return at(first, kernel, shape)


def at_array(array: Any, kernel: Any) -> Any:
    """`array`: an array, or a list of arrays and None."""
    if array.__class__ is np.ndarray:
        return kernel
    if isinstance(array, (list, tuple)):
        array = next((a for a in array if a is not None), None)
    if not getattr(array, "on_device", False):
        return kernel
    return shapeless if array.device is META else counterpart(kernel)


def counterpart(kernel: Any) -> Any:
    """The kernel of this name for CUDA devices, or one that computes on the host."""
    from ..kernels.cuda_launch.cpu_fallback import counterpart  # loaded with the first device

    return counterpart(kernel)


def shapeless(*args: Any) -> Any:
    """Stands for a kernel of gradients without memory, whose shapes are those of the inputs."""
    return SHAPELESS


SHAPELESS = object()


def device_of(name: str, operands: Iterable[Any]) -> device:
    """The device of the tensors, of which only 0-d ones may lie on the CPU beside others."""
    target_device, alone = None, None
    for value in operands:
        if not isinstance(value, TensorBase):
            continue
        result = value._device
        if result is CPU and not value._shape:
            alone = result
        elif target_device is None:
            target_device = result
        elif target_device is not result:
            raise devices_differ(name, target_device, result)
    return target_device or alone or CPU


def check_devices(name: str, values: Iterable[Any]) -> None:
    tensors: list[Any] = []
    for value in values:
        tensors.extend(value if isinstance(value, (list, tuple)) else (value,))
    matches = {t._device for t in tensors if isinstance(t, TensorBase)}
    if len(matches) > 1:
        raise devices_differ(name, *sorted(matches, key=str, reverse=True)[:2])


def devices_differ(name: str, one: device, other: device) -> DeviceError:
    return DeviceError(
        f"{name}(): Expected all tensors to be on the same device, but found at least two devices, {one} and {other}!"
    )


def brought(operands: tuple[Any, ...], target_device: device) -> tuple[Any, ...]:
    """0-d tensors of the CPU that require grad are moved, so that their gradients come back."""
    return tuple([_moved(v, target_device) if isinstance(v, TensorBase) and v._requires_grad else v for v in operands])


def _moved(tensor: Any, target_device: device) -> Any:
    return tensor if tensor._device is target_device else op.to_device(tensor, target_device, False)
