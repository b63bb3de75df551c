"""Element-wise ops on a device: `row_loops.launch` for tensors whose memory lies there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..kernels.table import ElementKernels
from ..tensor.base import TensorBase
from ..tensor.devices import CPU
from ..tensor.shapes import Shape


def launch_on_device(
    kernels: ElementKernels,
    attribute: str,
    operands: Sequence[Any],
    wanted: Sequence[Any],
    shape: Shape,
    numbers: Sequence[Any],
    outs: Sequence[Any],
) -> None:
    """Run a kernel over operands of any layout and dtype: tensors, 0-d ones of the CPU among them, and numbers."""
    from ..cuda.elementwise import launch_elementwise

    given = [given_as(value, to) for value, to in zip(operands, wanted, strict=True)]
    launch_elementwise(kernels, attribute, given, wanted, shape, numbers, outs)


def given_as(value: Any, to: Any) -> Any:
    """An operand as an array on the device, in memory or as it is read in the dtype `to`, or as a number."""
    from ..cuda.memory import materialized

    if not isinstance(value, TensorBase):
        return value
    if value._device is CPU:
        return value.array[()]
    array = value.array
    return array if array.dtype == to else materialized(array)
