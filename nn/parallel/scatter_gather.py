"""Parts of arguments for several devices, and results of several devices as one."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...generated.ops import cat
from ...generated.tensor import Tensor
from ...runtime.device.device import device as Device
from ...runtime.errors import warn_user
from ...runtime.methods.argument_guard import explained


def device_of(index: Any) -> Device:
    """The device of a number, a name or a device: numbers are those of CUDA devices, and -1 is the CPU."""
    if isinstance(index, int):
        return Device("cpu") if index < 0 else Device("cuda", index)
    return Device(index)


@explained
def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Arguments for each of several devices: a tensor is cut into parts, whatever is no tensor goes to each.

    Args:
        inputs: a tensor, or tuples, lists and dicts with tensors in them.
        target_gpus: the devices or their numbers.
        dim: the dimension that tensors are cut along.

    Returns: A list of what each device gets; fewer than devices where a tensor has fewer rows.

    Example:
        >>> [part.tolist() for part in sg.nn.parallel.scatter(sg.arange(3), ["cpu", "cpu"])]
        [[0, 1], [2]]
    """
    if isinstance(inputs, Tensor):
        parts = inputs.chunk(len(target_gpus), dim)
        return [part.to(device_of(index)) for part, index in zip(parts, target_gpus, strict=False)]
    if isinstance(inputs, (tuple, list)) and inputs:
        columns = zip(*(scatter(item, target_gpus, dim) for item in inputs), strict=False)
        make = getattr(type(inputs), "_make", type(inputs))
        return [make(column) for column in columns]
    if isinstance(inputs, dict) and inputs:
        pairs = zip(*(scatter(pair, target_gpus, dim) for pair in inputs.items()), strict=False)
        return [type(inputs)(result) for result in pairs]
    return [inputs for _ in target_gpus]


@explained
def scatter_kwargs(
    inputs: Sequence[Any], kwargs: Mapping[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Arguments by place and by name for each of several devices, equally many of both.

    Args:
        inputs: the arguments by place.
        kwargs: the arguments by name.
        target_gpus: the devices or their numbers.
        dim: the dimension that tensors are cut along.
    """
    positional_args = scatter(tuple(inputs), target_gpus, dim) if inputs else []
    by_name = scatter(dict(kwargs), target_gpus, dim) if kwargs else []
    count = max(len(positional_args), len(by_name))
    positional_args += [()] * (count - len(positional_args))
    by_name += [{} for _ in range(count - len(by_name))]
    return tuple(positional_args), tuple(by_name)


@explained
def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """Results of several devices as one result on one: tensors are joined.

    Args:
        outputs: the results, all of one structure.
        target_device: the device or its number; -1 is the CPU.
        dim: the dimension that tensors are joined along; numbers become a vector.

    Raises: ValueError: dicts with other keys.

    Example:
        >>> sg.nn.parallel.gather([sg.ones(1), sg.zeros(2)], "cpu")
        tensor([1., 0., 0.])
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        return _concatenated([output.to(device_of(target_device)) for output in outputs], dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if any(output.keys() != first.keys() for output in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([output[key] for output in outputs], target_device, dim)) for key in first)
    make = getattr(type(first), "_make", type(first))
    return make(gather(column, target_device, dim) for column in zip(*outputs, strict=True))


def _concatenated(parts: list[Tensor], dim: int) -> Tensor:
    if all(part.dim() == 0 for part in parts) and dim == 0:
        warn_user(
            "Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and "
            "return a vector."
        )
        parts = [part.reshape(1) for part in parts]
    return cat(parts, dim)
