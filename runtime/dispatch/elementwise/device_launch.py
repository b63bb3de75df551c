"""Element-wise ops on a device: `row_loops.launch` for tensors whose memory lies there."""

from math import prod
from typing import Any

import numpy as np

from ...autograd.version_counter import note_write
from ...device.device import CPU, META
from ...fast_path import launches_on_devices
from ...kernels.cpu.elementwise_table import ElementKernels as Kernels
from ...shapes import Shape
from ...tensor.dtypes import from_numpy
from ...tensor.memory import copy_cast, empty
from ...tensor.tensor import TensorBase, adopt, from_flat, host_array
from ..destinations import layout_of, takes_directly
from .strided import Values, launch

MAX_CACHED_LAUNCHES = 4096  # launches of one kernel; then it forgets all of them


def launch_on_device(
    kernels: Kernels, attribute: str, operands: Values, read_dtypes: Values, shape: Shape, numbers: Values, outs: Values
) -> Any:
    """Operands: tensors, 0-d ones of the CPU among them, and numbers. Returns the launches that it took."""
    if outs[0].device is META:
        return []  # there is nothing to compute with
    from ...device.cuda.driver import driver
    from ...kernels.cuda_launch.elementwise import launch_elementwise

    max_dims = driver().max_elements
    if max_dims is not None and outs[0].size > max_dims:
        launch_on_host(kernels, attribute, operands, read_dtypes, shape, numbers, outs)
        return []
    args = [converted_as(value, to) for value, to in zip(operands, read_dtypes, strict=True)]
    return launch_elementwise(kernels, attribute, args, read_dtypes, shape, numbers, outs)


def launch_on_host(
    kernels: Kernels, attribute: str, operands: Values, read_dtypes: Values, shape: Shape, numbers: Values, outs: Values
) -> None:
    """Compute on the host what a simulated device would take too long for."""
    args = [adopt(host_array(v), v._dtype) if isinstance(v, TensorBase) else v for v in operands]
    matches = [np.empty(out.size, from_numpy(out.dtype).compute.np) for out in outs]
    launch(kernels, attribute, args, read_dtypes, shape, numbers, matches)
    for out, array in zip(outs, matches, strict=True):
        copy_cast(out, array.reshape(out.shape))


def converted_as(value: Any, to: Any) -> Any:
    """An operand as an array on the device, in memory or as it is read in the dtype `to`, or as a number."""
    from ...kernels.cuda_launch.arrays import materialized

    if not isinstance(value, TensorBase):
        return value
    if value._device is CPU:
        return value.array[()]
    array = value.array
    return array if array.dtype == to else materialized(array)


def computed_on_device(
    op: Any,
    name: str,
    attribute: str,
    operands: Values,
    read_dtypes: Values,
    shape: Shape,
    numbers: Values,
    final: Any,
    into: Any,
) -> Any:
    """`into` itself where the result could be written there at once."""
    direct = into is not None and into._device is not CPU and takes_directly(into, operands, shape, final)
    target_device = next(v._device for v in operands if isinstance(v, TensorBase) and v._device is not CPU)
    result = into if direct else from_flat(empty(prod(shape), final.np, target_device), shape, final)
    out = result.array if direct else result._flat
    launches = launch_on_device(op.kernels, attribute, operands, read_dtypes, shape, numbers, (out,))
    remember_forward(op, "launch_in_place" if direct else "launch", (*operands, *numbers), launches, out, result)
    if direct:
        note_write(into, name)
    return result


def gradients_on_device(
    op: Any, mask: int, attribute: str, operands: Values, read_dtypes: Values, numbers: Values, final: Any, count: int
) -> list[Any]:
    grad = operands[0]
    shape, target_device = grad._shape, grad._device
    outs = [empty(prod(shape), final.np, target_device) for _ in range(count)]
    launches = launch_on_device(op.kernels, attribute, operands, read_dtypes, shape, numbers, outs)
    remember_gradients(op, mask, operands, numbers, launches, outs, final)
    return [from_flat(out, shape, final) for out in outs]


def remember_forward(op: Any, name: str, args: Values, launches: Any, out: Any, result: Any) -> None:
    """Of tensors of one dtype for floats, and a number as the second operand where the op takes one."""
    if len(launches) != 1 or (native := launches_on_devices()) is None:
        return
    native.enter(out.device)
    operands = args[: len(op.operands)]
    takes = [i for i, v in enumerate(operands) if not isinstance(v, TensorBase)]
    tensors = [v for v in operands if isinstance(v, TensorBase)]
    own = {v._dtype for i, v in enumerate(operands) if isinstance(v, TensorBase) and not op.is_raw(i)}
    plain = all(v.__class__ in (int, float) for v in args if not isinstance(v, TensorBase))
    there = all(v._device is out.device for v in tensors) and takes in ([], [1] if op.takes_number else [])
    if plain and there and len(own) == 1 and all(dtype.kind == "f" for dtype in own):
        key = tuple([part for v in operands for part in layout_of(v)])
        blocks = () if name == "launch_in_place" else (out.block,)
        keep(native, op.launches[name], key, launches, args, [(out, result._shape, result._dtype)], blocks)


def keep(native: Any, table: Any, key: Any, launches: Any, args: Values, results: Values, blocks: Values) -> None:
    arrays = launches[0].kernel_args[: len(args)]
    result = native.cache_entry(launches, args, arrays, results, blocks, in_order=True)
    if result is not None:
        if len(table) >= MAX_CACHED_LAUNCHES:
            table.clear()
        table[key] = result


def remember_gradients(op: Any, mask: int, args: Values, numbers: Values, launches: Any, outs: Any, dtype: Any) -> None:
    """Of arrays in row order, of one shape."""
    grad = args[0]
    if len(launches) != 1 or (native := launches_on_devices()) is None:
        return
    target_device, shape = grad._device, grad._shape
    native.enter(target_device)
    there = [t for t in args if t._device is target_device]
    of_host = [t for t in args if t._device is CPU]
    plain = all(t._flat is not None and t._shape == shape for t in there) and grad._dtype is dtype
    if plain and len(there) + len(of_host) == len(args) and len(of_host) <= 1 and all(t.numel() == 1 for t in of_host):
        key, blocks = (dtype, shape, bool(of_host)), [out.block for out in outs]
        left = iter(outs)
        results = [(next(left), shape, dtype) if mask >> i & 1 else None for i in range(mask.bit_length())]
        keep(native, op.launches[mask], key, launches, (*args, *numbers), results, blocks)
