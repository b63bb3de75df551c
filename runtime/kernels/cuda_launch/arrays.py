"""Memory of CUDA devices: new arrays, copies, and views of other dims, sizes and steps. In a rehearsal a kernel fills
and copies, where else the driver does: a launch can be done again."""

import copyreg
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...device.cuda import graph_capture
from ...device.cuda.allocator import allocate
from ...device.cuda.array import DeviceArray
from ...device.cuda.current import current_stream
from ...device.cuda.driver import driver
from ...device.cuda.dry_run import constant_noted, is_rehearsed, unrehearsed
from ...device.cuda.index_errors import raise_if_any
from ...device.cuda.pinned_memory import is_pinned, used_on
from ...device.device import resolve
from ...shapes import Shape
from ..cpu.casting import cast, copy_cast
from ..cuda.storage import in_registers
from . import elementwise
from .launch import read_extent


def empty(shape: Shape, dtype: np.dtype, device: Any) -> DeviceArray:
    kind = np.dtype(dtype)
    block = allocate(device.index, prod(shape) * kind.itemsize)
    return DeviceArray(block.address, tuple(shape), kind, block, device)


def zeros(shape: Shape, dtype: np.dtype, device: Any) -> DeviceArray:
    return _cleared(empty(shape, dtype, device))


def _cleared(array: DeviceArray) -> DeviceArray:
    if is_rehearsed() and not is_long(array):
        elementwise.fill(array, 0)
        return array
    driver().fill(array.address, 0, array.nbytes, current_stream(array.device.index))
    return array


def result(like: DeviceArray, shape: Shape) -> DeviceArray:
    """A new array for what an op gives: kernels round to the op's dtype as they store."""
    return empty(shape, like.final, like.device).as_read(like.dtype, like.final)


def result_of_zeros(like: DeviceArray, shape: Shape) -> DeviceArray:
    return _cleared(result(like, shape))


def result_of(array: DeviceArray) -> DeviceArray:
    made = result(array, array.shape)
    copy(made, array)
    return made


def scratch(like: DeviceArray, shape: Shape) -> DeviceArray:
    """A new array for numbers on the way to a result, in the dtype that `like` is read in."""
    return empty(shape, like.dtype, like.device).as_read(like.dtype, like.final)


def exposed(array: DeviceArray) -> DeviceArray:
    """An array whose elements the program may read though nobody has written them: it has asked for that."""
    driver().expose(array.address, array.nbytes, current_stream(array.device.index))
    return array


def from_host(array: np.ndarray, device: Any, non_blocking: bool = False) -> DeviceArray:
    """A copy of a NumPy array on a device, in row order; from pinned memory it may still be on its way."""
    value = np.ascontiguousarray(array).reshape(array.shape)
    result, stream = empty(value.shape, value.dtype, device), current_stream(device.index)
    if value.size:
        driver().copy(result.address, value.ctypes.data, value.nbytes, "h2d", stream)
        if is_pinned(value):  # else the copy is complete
            used_on(value, device.index, stream) if non_blocking else driver().synchronize_stream(stream)
            graph_capture.keep_pinned(device.index, value)
    return result


def constant(array: np.ndarray, device: Any) -> DeviceArray:
    """A copy on a device of what an op knows beforehand: who keeps launches keeps it, and does not copy again."""
    capture = graph_capture.here_on(device.index)
    if capture is None:
        with unrehearsed():
            value = from_host(array, device)
        constant_noted(value)
        return value
    with capture.aside():
        capture.retained.append(value := from_host(array, device))
    return value


def to_host(array: DeviceArray) -> np.ndarray:
    """A copy on the host, once all that was to be done before on the array's stream is done."""
    span = _span(array)
    return span if array.stored == array.dtype else cast(span, array.dtype)


def _span(array: DeviceArray) -> np.ndarray:
    steps = array.byte_strides
    size = sum((n - 1) * step for n, step in zip(array.shape, steps, strict=True)) + array.itemsize if array.size else 0
    buffer = np.empty(size, np.uint8)
    if size:
        stream = current_stream(array.device.index)
        driver().copy(buffer.ctypes.data, array.address, size, "d2h", stream)
        raise_if_any(array.device.index, stream)
    return np.ndarray(array.shape, array.stored, buffer, 0, steps)


def contiguous(array: DeviceArray) -> DeviceArray:
    """The elements in row order, in the dtype that they are read in; the array itself where they are."""
    return array if array.strides is None and array.stored == array.dtype else copied(array)


def copied(array: DeviceArray) -> DeviceArray:
    result = empty(array.shape, array.dtype, array.device)
    copy(result, array)
    return result


def moved(array: DeviceArray) -> DeviceArray:
    """The same, in the dtype that memory holds: what reads it converts."""
    result = empty(array.shape, array.stored, array.device)
    copy(result, array.as_stored())
    return result.as_read(array.dtype, array.final)


def in_order(array: DeviceArray) -> DeviceArray:
    return array if array.strides is None else moved(array)


def copied_to(array: DeviceArray, device: Any) -> DeviceArray:
    value, stream = contiguous(array), current_stream(array.device.index)
    result = empty(value.shape, value.dtype, device)
    if value.size:
        driver().synchronize_stream(current_stream(device.index))  # where the new memory was used before
        driver().copy(result.address, value.address, value.nbytes, "d2d", stream)
        driver().synchronize_stream(stream)
    return result


def materialized(array: DeviceArray) -> DeviceArray:
    return array if array.stored == array.dtype else copied(array)


def fill(array: DeviceArray, value: Any) -> None:
    if is_long(array):
        _upload(array, np.asarray(value))
    else:
        elementwise.fill(array, value)


def copy(to: Any, source: Any) -> None:
    if isinstance(to, np.ndarray):
        copy_cast(to, to_host(source))
    elif isinstance(source, np.ndarray):
        _upload(to, source)
    elif to.device is not source.device:
        copy(to, copied_to(source, to.device))
    elif source.stored != source.dtype == in_registers(source.stored):
        copy(to, source.as_stored())  # which kernels read in no other way
    elif _same_bytes(to, source) and (is_long(to) or not is_rehearsed()):
        driver().copy(to.address, source.address, to.nbytes, "d2d", current_stream(to.device.index))
    elif source.stored != source.dtype != to.stored or _overlap(to, source):
        elementwise.convert(to, copied(source))  # two conversions, or elements that are read after they are written
    elif is_long(to):
        _upload(to, to_host(source))
    else:
        elementwise.convert(to, source)


def is_long(array: DeviceArray) -> bool:
    limit = driver().max_elements
    return limit is not None and array.size > limit


def _overlap(one: DeviceArray, other: DeviceArray) -> bool:
    first, last = sorted((one, other), key=lambda array: array.address)
    return last.address < first.address + read_extent(first) * first.itemsize


def _same_bytes(to: DeviceArray, source: DeviceArray) -> bool:
    plain = to.strides is None and source.strides is None and to.shape == source.shape
    return plain and to.stored == source.stored == source.dtype


def _upload(to: DeviceArray, source: np.ndarray) -> None:
    if to.size and to.strides is None:
        value = np.empty(to.shape, to.stored)
        copy_cast(value, np.broadcast_to(source, to.shape))
        driver().copy(to.address, value.ctypes.data, value.nbytes, "h2d", current_stream(to.device.index))
    elif to.size:
        span = _span(to)  # what lies between the elements stays as it is
        copy_cast(span, np.broadcast_to(source, to.shape))
        _put_back(to, span)


def _put_back(to: DeviceArray, span: np.ndarray) -> None:
    buffer = span.base
    assert isinstance(buffer, np.ndarray)
    driver().copy(to.address, buffer.ctypes.data, buffer.nbytes, "h2d", current_stream(to.device.index))


def write_changes_on_host(into: DeviceArray, result: DeviceArray, write: Any) -> None:
    """Let a function of the host write to a copy of all bytes of an array whose elements share places."""
    span = _span(into)
    write(span, to_host(result))
    _put_back(into, span)


def restored(array: np.ndarray, target_device: str) -> DeviceArray:
    return from_host(array, resolve(target_device))


copyreg.pickle(DeviceArray, lambda array: (restored, (to_host(array), str(array.device))))


def over(array: DeviceArray, shape: Shape, steps: Sequence[int], offset: int = 0) -> DeviceArray:
    return array.with_strides(shape, tuple(steps), offset)


def permuted(array: DeviceArray, *order: int) -> DeviceArray:
    steps = array.byte_strides
    return over(array, tuple(array.shape[d] for d in order), [steps[d] for d in order])


def swapped(array: DeviceArray) -> DeviceArray:
    return permuted(array, *range(array.ndim - 2), array.ndim - 1, array.ndim - 2)


def narrowed(array: DeviceArray, dim: int, start: int, stop: int) -> DeviceArray:
    """A range of one dim; where the rest lies in row order, so does what is left of the first dim."""
    steps = array.byte_strides
    shape = (*array.shape[:dim], stop - start, *array.shape[dim + 1 :])
    result = over(array, shape, steps, start * steps[dim])
    if array.strides is None and dim == 0:
        result.strides = None
    return result


def selected(array: DeviceArray, dim: int, index: int) -> DeviceArray:
    steps = array.byte_strides
    remaining_steps = [d for d in range(array.ndim) if d != dim]
    result = over(
        array, tuple(array.shape[d] for d in remaining_steps), [steps[d] for d in remaining_steps], index * steps[dim]
    )
    if array.strides is None and dim == 0:
        result.strides = None
    return result


def broadcast(array: DeviceArray, shape: Shape) -> DeviceArray:
    added = len(shape) - array.ndim
    args = ((1,) * added + array.shape, (0,) * added + array.byte_strides)
    steps = [step if n == size else 0 for n, step, size in zip(*args, shape, strict=True)]
    return over(array, shape, steps)


def reshaped(array: DeviceArray, *sizes: int) -> DeviceArray:
    return in_order(array).reshape(sizes)
