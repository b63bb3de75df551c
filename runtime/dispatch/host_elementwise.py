"""Element-wise ops on a device for which there is no kernel there: computed on the host, and copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels.table import ElementKernels
from ..tensor.base import TensorBase, adopt
from ..tensor.casting import copy_cast
from ..tensor.devices import CPU
from ..tensor.shapes import Shape
from .row_loops import launch


def launch_on_host(
    kernels: ElementKernels,
    attribute: str,
    operands: Sequence[Any],
    wanted: Sequence[Any],
    shape: Shape,
    numbers: Sequence[Any],
    outs: Sequence[Any],
) -> None:
    """`row_loops.launch` for operands and results on a device."""
    from ..cuda.fallback import note

    given = [on_host(value) for value in operands]
    found = [np.empty(out.shape, out.dtype) for out in outs]
    note(kernels.module.rpartition(".")[2], sum(out.nbytes for out in outs))
    launch(kernels, attribute, given, wanted, shape, numbers, found)
    for out, array in zip(outs, found, strict=True):
        copy_cast(out, array)


def on_host(value: Any) -> Any:
    """A tensor of a device as one of the host, outside any graph; everything else as it is."""
    if not isinstance(value, TensorBase) or value._device is CPU:
        return value
    from ..cuda.memory import to_host

    return adopt(to_host(value.array), value._dtype)
