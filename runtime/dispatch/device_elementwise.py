"""Element-wise ops on a device: `row_loops.launch` for tensors whose memory lies there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels.table import ElementKernels
from ..tensor.base import TensorBase, adopt, host_array
from ..tensor.casting import copy_cast
from ..tensor.devices import CPU
from ..tensor.dtypes import from_numpy
from ..tensor.shapes import Shape
from .row_loops import launch


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
    from ..cuda.driver import driver
    from ..cuda.elementwise import launch_elementwise

    most = driver().most_elements
    if most is not None and outs[0].size > most:
        launch_on_host(kernels, attribute, operands, wanted, shape, numbers, outs)
        return
    given = [given_as(value, to) for value, to in zip(operands, wanted, strict=True)]
    launch_elementwise(kernels, attribute, given, wanted, shape, numbers, outs)


def launch_on_host(
    kernels: ElementKernels,
    attribute: str,
    operands: Sequence[Any],
    wanted: Sequence[Any],
    shape: Shape,
    numbers: Sequence[Any],
    outs: Sequence[Any],
) -> None:
    """Compute on the host what a simulated device would take too long for."""
    given = [adopt(host_array(v), v._dtype) if isinstance(v, TensorBase) else v for v in operands]
    found = [np.empty(out.shape, from_numpy(out.dtype).compute.np) for out in outs]
    launch(kernels, attribute, given, wanted, shape, numbers, found)
    for out, array in zip(outs, found, strict=True):
        copy_cast(out, array)


def given_as(value: Any, to: Any) -> Any:
    """An operand as an array on the device, in memory or as it is read in the dtype `to`, or as a number."""
    from ..cuda.memory import materialized

    if not isinstance(value, TensorBase):
        return value
    if value._device is CPU:
        return value.array[()]
    array = value.array
    return array if array.dtype == to else materialized(array)
