"""Element-wise ops on arrays of a device: any layouts and dtypes, by one launch of the op's kernel."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ...shapes import Shape
from ..cpu.elementwise_table import ElementKernels
from ..cuda.elementwise import (
    PER_BLOCK,
    THREADS,
    copy_kernel,
    divisor,
    element_kernel,
    element_signature,
    operands_read,
)
from ..cuda.kernel import Array, Kernel
from ..cuda.storage import FLOAT32, in_registers
from .launch import ADDRESS, Launched, array_slots, dtype_of, function_of, handles, number_slots, perform
from .layouts import Layout, merged, slices, steps_in

WARP = 32
FLOAT64 = np.dtype(np.float64)


def launch_elementwise(
    kernels: ElementKernels, attribute: str, operands: Sequence[Any], read_dtypes: Sequence[Any], shape: Shape,
    numbers: Sequence[Any], outs: Sequence[DeviceArray],
) -> list[Launched]:  # fmt: skip
    """Compute an op of `operands`, DeviceArrays that broadcast to `shape` or numbers, into `outs`, of any layout; by
    which launches. `wanted` is the dtype in which the kernel reads each operand, None for its own (masks)."""
    computed = next((to for to in read_dtypes if to is not None), None) or own_dtype(operands[0])
    name = f"{kernels.name}_{attribute.removesuffix('_complex')}"
    read = operands_read(kernels.package, kernels.family, name)
    args = [
        as_passed(value if i in read else False, to)  # what is not read may be memory that nobody has written
        for i, (value, to) in enumerate(zip(operands, read_dtypes, strict=True))
    ]
    own = (*[to is None for to in read_dtypes], *[True] * len(numbers))
    kernel = element_kernel(kernels.package, kernels.family, name, computed, own)
    return run(kernel, (*args, *numbers), shape, outs)


def as_passed(value: Any, read_dtypes: np.dtype | None) -> Any:
    if isinstance(value, DeviceArray):
        return value
    return dtype_of(value).type(value) if read_dtypes is None else read_dtypes.type(value)


def own_dtype(value: Any) -> np.dtype:
    kind: np.dtype = value.dtype if isinstance(value, DeviceArray) else dtype_of(value)
    return kind


def convert(to: DeviceArray, source: DeviceArray) -> None:
    run(copy_kernel(between(source.stored, to.stored)), (source,), to.shape, (to,))


def between(source: np.dtype, to: np.dtype) -> np.dtype:
    wide = source in (FLOAT64, np.dtype(np.complex128))
    return FLOAT64 if wide and to.itemsize == 2 and in_registers(to) == FLOAT32 else in_registers(to)


def fill(to: DeviceArray, value: Any) -> None:
    computed = in_registers(to.stored)
    run(copy_kernel(computed), (np.asarray(value).astype(computed)[()],), to.shape, (to,))


def run(kernel: Kernel, operands: Sequence[Any], shape: Shape, outs: Sequence[DeviceArray]) -> list[Launched]:
    arrays = (*[value for value in operands if isinstance(value, DeviceArray)], *outs)
    size = prod(shape)
    if not size:
        return []
    if all(a.strides is None and a.size == size for a in arrays):
        layout, dims = Layout((size,), ((1,),) * len(arrays)), 0
    else:
        layout = merged(shape, tuple([steps_in(a, shape) for a in arrays]))
        dims = len(layout.sizes)
    device = outs[0].device.index or 0
    function = function_for(kernel, operands, outs, dims, device)
    done = []
    for part, starts in slices(layout):
        total = prod(part.sizes)
        threads = THREADS if total > THREADS else -(-total // WARP) * WARP
        args = (*operands, *outs)
        slot_values, positions = argument_slots(args, part, starts, dims)
        done.append(
            Launched(function, (-(-total // PER_BLOCK), 1, 1), (threads, 1, 1), 0, slot_values, args, positions)
        )
        perform(done[-1], device)
    return done


def function_for(kernel: Kernel, operands: Sequence[Any], outs: Sequence[DeviceArray], dims: int, device: int) -> int:
    kinds = [v.stored.num if isinstance(v, DeviceArray) else ~dtype_of(v).num for v in operands]
    result, key = handles(), (kernel, device, dims, *kinds, None, *[out.stored.num for out in outs])
    if key not in result:
        parts = tuple([Array(v.stored) if isinstance(v, DeviceArray) else dtype_of(v) for v in operands])
        signature = element_signature(parts, tuple([Array(out.stored) for out in outs]), dims)
        result[key] = function_of(kernel, signature, device)
    return result[key]


def argument_slots(
    args: Sequence[Any], layout: Layout, starts: Sequence[int], dims: int
) -> tuple[list[int], list[int]]:
    """The words of a launch: arrays, numbers, steps, sizes; and the places of addresses and numbers."""
    slot_values: list[int] = []
    positions: list[int] = []
    arrays = iter(zip(starts, layout.reaches, strict=True))
    for value in args:
        if isinstance(value, DeviceArray):
            (start, read_extent), item = next(arrays), value.stored.itemsize
            positions.append(len(slot_values) + ADDRESS)
            slot_values += array_slots(value.address + start * item, read_extent, item)
        else:
            positions.append(len(slot_values))
            slot_values += number_slots(value)
    if dims:
        slot_values += [step for steps in layout.steps for step in steps]
        slot_values += [number for n in layout.sizes[:-1] for number in divisor(n)]
    slot_values.append(prod(layout.sizes))
    return slot_values, positions
