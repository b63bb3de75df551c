"""Scalar functions that are written by hand, over arrays in any layout: for what no expression of the spec gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kernels.cuda.element import source_kernel
from ...kernels.cuda.storage import in_registers
from .. import memory
from ..array import DeviceArray
from .elementwise import as_passed as given_to_loops
from .elementwise import run as run_loops


def apply(function: Any, computed: np.dtype, operands: Sequence[Any], *outs: DeviceArray) -> None:
    """Fill results of one shape with a function of the elements at each place.

    Args:
        function: the text. It may name `T`, the type that it computes in, and scalar functions; all its operands are
            of that type, and it returns as many numbers as there are results.
        computed: the dtype of `T`; 16-bit floats are computed with as float32.
        operands: arrays of any dtype that broadcast to the results, and numbers.
    """
    registers = in_registers(computed)
    args = [given_to_loops(ready(value, registers), registers) for value in operands]
    run_loops(source_kernel(function, registers), args, outs[0].shape, outs)


def made(function: Any, shape: Sequence[int], operands: Sequence[Any], dtype: np.dtype | None = None) -> DeviceArray:
    """A new array of what a function makes of operands, the first of which is an array; of a `dtype`, or a result."""
    first = operands[0]
    result = memory.result(first, tuple(shape)) if dtype is None else memory.empty(tuple(shape), dtype, first.device)
    apply(function, first.dtype, operands, result)
    return result


def ready(value: Any, target_dtype: np.dtype) -> Any:
    """An operand that one conversion brings to a dtype: the result of a cast that is another one is made before."""
    if not isinstance(value, DeviceArray) or value.dtype in (target_dtype, in_registers(value.stored)):
        return value
    return memory.materialized(value)
