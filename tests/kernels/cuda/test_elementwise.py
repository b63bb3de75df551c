"""Element-wise ops on a device: layouts, sizes and dtypes in memory, against NumPy in float64; simulated threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from specgrad.runtime.device.cuda.array import DeviceArray
from specgrad.runtime.device.device import device
from specgrad.runtime.dispatch.elementwise.general import elementwise_ops
from specgrad.runtime.kernels.cpu.elementwise_table import ElementKernels
from specgrad.runtime.kernels.cuda_launch import arrays
from specgrad.runtime.kernels.cuda_launch.elementwise import launch_elementwise
from tests.device.cuda.simulator import simulated

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
STORED = [np.dtype(t) for t in (np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32)]
STORED += [BFLOAT16, F64]


@pytest.fixture
def target_device() -> Iterator[Any]:
    """A simulated device."""
    with simulated():
        yield device("cuda", 0)


def kernels(name: str) -> ElementKernels:
    return elementwise_ops[name].kernels


def added(
    target_device: Any, x: Any, y: Any, shape: tuple[int, ...], out: np.dtype = F32, to: np.dtype = F32
) -> np.ndarray:
    """x + 2 y of operands on the device or numbers, computed in `to`, stored as `out`."""
    result = arrays.empty((int(np.prod(shape)),), out, target_device)
    launch_elementwise(kernels("add_tensor"), "forward", [x, y], [to, to], shape, [2.0], [result])
    return arrays.to_host(result).reshape(shape)


def sampled(shape: tuple[int, ...], kind: np.dtype = F32) -> np.ndarray:
    """Numbers that every dtype holds exactly, with sums that do."""
    full = np.random.default_rng(sum(shape)).integers(0, 2 if kind.kind == "b" else 40, shape)
    return full.astype(kind)


@pytest.mark.parametrize("size", [0, 1, 31, 33 * 17, 256, 257, 1024, 1025])
def test_sizes_that_leave_a_remainder(target_device: Any, size: int) -> None:
    """Each element is computed once, also where the last block or thread has too few."""
    x, y = sampled((size,)), sampled((size,)) / 8
    found = added(target_device, arrays.from_host(x, target_device), arrays.from_host(y, target_device), (size,))
    assert np.array_equal(found, x.astype(F64) + 2 * y.astype(F64))


@pytest.mark.parametrize("kind", STORED, ids=str)
def test_dtypes_in_memory(target_device: Any, kind: np.dtype) -> None:
    """Operands are read in the dtype that memory holds and computed in another; so are results written."""
    x, y = sampled((37,), kind), sampled((37,))
    given = arrays.from_host(x, target_device), arrays.from_host(y, target_device)
    expected = x.astype(F64) + 2 * y.astype(F64)
    assert np.array_equal(added(target_device, *given, (37,)), expected)
    stored = added(target_device, *given, (37,), out=kind)
    assert stored.dtype == kind and np.array_equal(stored, expected.astype(kind))


@pytest.mark.parametrize(
    "shapes",
    [((5, 7), (7,)), ((5, 7), (5, 1)), ((5, 7), ()), ((3, 1, 4), (1, 6, 1)), ((2, 1, 3, 1, 2), (1, 3, 1, 2, 1))],
    ids=str,
)
def test_operands_broadcast(target_device: Any, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Any pair of shapes that NumPy broadcasts, of more than three dimensions too."""
    x, y = (sampled(shape) for shape in shapes)
    shape = np.broadcast_shapes(*shapes)
    found = added(target_device, arrays.from_host(x, target_device), arrays.from_host(y, target_device), shape)
    assert np.array_equal(found, x.astype(F64) + 2 * y.astype(F64))


def part(array: DeviceArray, like: np.ndarray, base: np.ndarray) -> DeviceArray:
    """The part of an array on the device that a view of its copy on the host is."""
    offset = like.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return array.ravel().strided(like.shape, like.dtype, offset, like.strides)


@pytest.mark.parametrize("kind", [F32, F64, BFLOAT16], ids=str)
def test_strided_operands_and_results(target_device: Any, kind: np.dtype) -> None:
    """Transposed operands and every other row, written to every other column of a result."""
    base, into = sampled((8, 6), kind), np.zeros((6, 8), kind)
    held, target = arrays.from_host(base, target_device), arrays.from_host(into, target_device)
    x, y, out = base[::2].T, base[1::2].T, into[:, 1::2]
    given = part(held, x, base), part(held, y, base)
    results = [part(target, out, into)]
    launch_elementwise(kernels("add_tensor"), "forward", given, [F32, F32], x.shape, [2.0], results)
    into[:, 1::2] = (x.astype(F64) + 2 * y.astype(F64)).astype(kind)
    assert np.array_equal(arrays.to_host(target), into)


@pytest.mark.parametrize("numbers", [(True, False), (False, True), (True, True)])
def test_numbers_for_operands(target_device: Any, numbers: tuple[bool, bool]) -> None:
    """Any operand may be a number, of Python's or of NumPy's."""
    x = sampled((9,))
    given = [1.5 if number else arrays.from_host(x, target_device) for number in numbers]
    first, second = (1.5 if number else x.astype(F64) for number in numbers)
    assert np.array_equal(added(target_device, *given, (9,)), np.broadcast_to(first + 2 * second, (9,)))


def test_masks_are_read_as_they_are(target_device: Any) -> None:
    """A condition stays a bool beside numbers; backward gives all gradients in one launch."""
    mask, x = sampled((4, 5), np.dtype(np.bool_)), sampled((4, 5))
    held, grad = arrays.from_host(mask, target_device), arrays.from_host(x, target_device)
    outs = [arrays.empty((20,), F32, target_device) for _ in range(2)]
    launch_elementwise(kernels("where_self"), "backward_3", [grad, held], [F32, None], (4, 5), [], outs)
    first, second = (arrays.to_host(out).reshape(4, 5) for out in outs)
    assert np.array_equal(first, np.where(mask, x, 0)) and np.array_equal(second, np.where(mask, 0, x))


def test_complex_numbers_and_results_of_other_dtypes(target_device: Any) -> None:
    """A complex function calls complex scalar functions; its result may be real, that of a comparison bool."""
    z = sampled((11,)) + 1j * sampled((11,))[::-1]
    held, kind = arrays.from_host(z.astype(np.complex64), target_device), np.dtype(np.complex64)
    size = arrays.empty((11,), F32, target_device)
    launch_elementwise(kernels("abs"), "forward_complex", [held], [kind], (11,), [], [size])
    assert np.allclose(arrays.to_host(size), np.abs(z), rtol=1e-6)
    x, less = arrays.from_host(sampled((11,)), target_device), arrays.empty((11,), np.dtype(np.bool_), target_device)
    launch_elementwise(kernels("lt_tensor"), "forward", [x, 20.0], [F32, F32], (11,), [], [less])
    assert np.array_equal(arrays.to_host(less), sampled((11,)) < 20)


def test_in_place(target_device: Any) -> None:
    """A result may be the memory of an operand."""
    x = sampled((300,))
    held = arrays.from_host(x, target_device)
    launch_elementwise(kernels("mul_tensor"), "forward", [held, held], [F32, F32], (300,), [], [held])
    assert np.array_equal(arrays.to_host(held), x.astype(F64) ** 2)
