"""What programs ask before they call ops of several tensors: tensors by place and dtype, and where these are fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Grouped = dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]]


def group_tensors_by_device_and_dtype(tensorlistlist: Sequence[Sequence[Any]], with_indices: bool = False) -> Grouped:
    """Lists of tensors that belong together, cut into those of each device and dtype.

    Args:
        tensorlistlist: lists of one length; the first decides where the tensors of all of them go.
        with_indices: whether the places in these lists are wanted.

    Returns:
        For each device and dtype the lists, and the places.

    Raises:
        TypeError: there are no lists.

    Example:
        >>> import specgrad as sg
        >>> found = group_tensors_by_device_and_dtype([[sg.ones(1), sg.ones(1).double(), sg.zeros(1)]], True)
        >>> [(dtype, places) for (_, dtype), (_, places) in found.items()]
        [(specgrad.float32, [0, 2]), (specgrad.float64, [1])]
    """
    if not isinstance(tensorlistlist, list | tuple) or not all(isinstance(row, list | tuple) for row in tensorlistlist):
        raise TypeError("_group_tensors_by_device_and_dtype(): expected a list of lists of tensors")
    groups: Grouped = {}
    for position, row in enumerate(zip(*tensorlistlist, strict=True)):
        first = next(tensor for tensor in row if tensor is not None)
        lists, positions = groups.setdefault((first.device, first.dtype), ([[] for _ in row], []))
        for result, tensor in zip(lists, row, strict=True):
            result.append(tensor)
        if with_indices:
            positions.append(position)
    return groups


def foreach_devices() -> list[str]:
    """The kinds of devices on which PyTorch prefers ops of several tensors."""
    return ["cuda", "xpu", "mtia"]


def fused_devices() -> list[str]:
    """The kinds of devices that have optimizers of one kernel."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def device_has_foreach(device: Any) -> bool:
    """Whether ops of several tensors are preferred on a device."""
    return device.type in (*foreach_devices(), "cpu")


def has_foreach(tensors: Sequence[Any], device: Any) -> bool:
    """Whether ops of several tensors take these."""
    return device_has_foreach(device) and all(tensor is None or hasattr(tensor, "dtype") for tensor in tensors)
