"""How much native code takes at once, and that no more is ever put into a frame."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba import njit, types

import specgrad as sg
from specgrad.runtime.compiler.language.call_abi import MAX_ARRAYS, MAX_INTS, CallFrame, call_elementwise
from specgrad.runtime.compiler.language.functions import cast, native
from specgrad.runtime.compiler.native_unit import Unit
from specgrad.runtime.device.threads.call_record import kernel_address
from specgrad.runtime.kernels.cpu.plan import Layout, Step
from specgrad.runtime.native.plans import op_plans
from specgrad.runtime.native.plans.kernel_op_plans import check_capacity, read_extent


@native
def called(kernel: int, arrays: int, size: int, slot_values: int) -> int:
    return call_elementwise(kernel, arrays, size, cast(CallFrame, slot_values))


UNIT = Unit("a call", [called], Path(__file__).read_text)


@pytest.mark.parametrize("count", range(1, MAX_ARRAYS + 1))
def test_a_kernel_gets_all_its_arrays(count: int) -> None:
    """Whatever their number: the last one is written, from the sum of the others, and nothing else is."""
    names = [f"a{i}" for i in range(count)]
    body = " + ".join(f"{name}[i]" for name in names[:-1]) or "7.0"
    source = (
        f"def kernel({', '.join(names)}):\n    for i in range({names[-1]}.size):\n        {names[-1]}[i] = {body}\n"
    )
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    arrays = [np.full(5, 10.0**i) for i in range(count)]
    slot_values = CallFrame.pack(memory=[array.ctypes.data for array in arrays], itemsize=[8] * count)
    kernel = kernel_address(njit(namespace["kernel"]), [types.Array(types.float64, 1, "C")] * count)
    call = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)(UNIT.address(called))
    call(kernel, count, 5, slot_values.ctypes.data)
    assert arrays[-1].tolist() == [sum(10.0**i for i in range(count - 1)) or 7.0] * 5
    assert all(arrays[i].tolist() == [10.0**i] * 5 for i in range(count - 1))


def test_ops_with_more_operands_are_for_the_general_path() -> None:
    """Thirteen tensors and a result are as many as a frame has places for; an op of 14 has no native plan."""
    for tensors, fits in ((13, True), (14, False)):
        known: dict[str, Any] = {"numbers": (), "takes_number": False, "raw": (), "rule": "match", "node": None}
        known["is_raw"] = lambda i: False
        op = SimpleNamespace(operands=tuple("abcdefghijklmn"[:tensors]), **known)
        assert op_plans.fits_capacity(op) is fits
    for operands, numbers, fits in (("a", 4, True), ("ab", 3, True), ("ab", 4, False), ("abc", 4, True)):
        # Rows of two operands may need one number more: an operand that is the same for a whole row.
        known["operands"], known["numbers"] = tuple(operands), ("n",) * numbers
        op = SimpleNamespace(**known)
        assert op_plans.fits_capacity(op) is fits
    assert not op_plans.fits_backward_capacity(SimpleNamespace(keeps={}, fused={1: ((), tuple("abcd"))}))
    node = SimpleNamespace(keeps=dict.fromkeys("ab"), fused={1: (("kept_a",), ())})
    assert op_plans.fits_backward_capacity(node)
    assert not op_plans.fits_backward_capacity(SimpleNamespace(keeps={}, fused={7: ((), ())}))
    assert not op_plans.fits_backward_capacity(SimpleNamespace(keeps={}, fused={3: ((), tuple("abcde"))}))
    check_capacity(Step(sg.sum, (0, 1, 2, 3, 4), ((0, (1,)), (1, (1,)), (2, (1,))), ints=(1,) * MAX_INTS))
    with pytest.raises(ValueError, match="more arrays"):
        check_capacity(Step(sg.sum, (0, 1), ((0, (1,)),), ints=(1,) * (MAX_INTS - 1), rows=(4, 1)))


@pytest.mark.parametrize("shape", [(), (0,), (4,), (2, 3), (3, 0, 2), (4, 1, 5)])
def test_a_plan_knows_how_far_an_operand_reaches(shape: tuple[int, ...]) -> None:
    """The distance of the farthest element, which is that of NumPy's, for usual strides and others."""
    for strides in (None, tuple(3 + i for i in range(len(shape))), (0,) * len(shape)):
        steps = sg.empty(shape).stride() if strides is None else strides
        positions = [int(np.dot(index, steps)) for index in np.ndindex(shape)]
        assert read_extent(Layout(shape, strides)) == max(positions, default=-1) + 1


def test_operands_whose_memory_is_too_short_are_refused() -> None:
    """A tensor whose array does not hold what its shape says, as in the middle of a change, is not read."""
    for shape, other in (((6, 5), (6, 5)), ((6, 5), (5,))):
        x, y = sg.ones(shape), sg.ones(other)
        for _ in range(3):
            x * y
        y._flat = y._storage = np.ones(1, np.float32)
        y._array = None
        with pytest.raises((RuntimeError, ValueError)):
            x * y
    x = sg.ones(6, 5)
    for _ in range(3):
        x.sum(1), x.t(), x[1:]
    x._flat = x._storage = np.ones(3, np.float32)
    x._array = None
    for read in (lambda: x.sum(1), lambda: x.t().contiguous(), lambda: (x[1:] + 1).numpy()):
        with pytest.raises((RuntimeError, ValueError, TypeError)):
            read()


@pytest.mark.parametrize(
    "op", [lambda x: x.softmax(-1), lambda x: x.tanh(), lambda x: x.max(1).values, lambda x: x.var(1)]
)
def test_a_second_backward_pass_finds_nothing_kept(op: Any) -> None:
    """What a node has released is no tensor any more, and nothing is read from it: an error, each time."""
    x = sg.randn(3, 4, requires_grad=True)
    for _ in range(3):
        result = op(x).sum()
        result.backward()
        with pytest.raises(RuntimeError, match="second time"):
            result.backward()
