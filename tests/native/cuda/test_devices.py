"""Ops on devices by native launches: what they give, when they stand back, and whose memory it is."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.cuda import driver
from specgrad.runtime.extensions.simulator.launches import LaunchEntry
from specgrad.runtime.kernels.cuda_libraries import matmul
from tests.device.cuda.simulator import simulated
from tests.native.cuda.device_programs import PROGRAMS, numbers

launched: list[int] = []  # the functions that native code launches


class Noted(LaunchEntry):
    """The function that native code calls, with a note of each call."""

    def _launch(self, function: int, *others: Any) -> int:
        launched.append(function)
        return super()._launch(function, *others)


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("specgrad.runtime.extensions.simulator.driver.LaunchEntry", Noted)
        with simulated():
            yield
            sg.cuda.synchronize()


@pytest.fixture
def natively() -> list[int]:
    """The functions that native code launches."""
    launched.clear()
    return launched


@pytest.mark.parametrize("name", PROGRAMS)
def test_gives_what_python_gives(name: str, natively: list[int]) -> None:
    """The first call finds what the next look up: those give the same bits."""
    first = PROGRAMS[name]()
    natively.clear()
    second = PROGRAMS[name]()
    assert natively
    for one, other in zip(first, second, strict=True):
        assert one.device == other.device and one.dtype is other.dtype and one.stride() == other.stride()
        assert one.cpu().tolist() == other.cpu().tolist()


def test_each_op_is_one_launch(natively: list[int]) -> None:
    x, y = numbers(4, requires_grad=True), numbers(4)
    for _ in range(2):
        natively.clear()
        result = (x * y).exp() * 2.0
        result.backward(y)
    assert len(natively) == 6


@pytest.mark.parametrize("dtype", [sg.float64, sg.float16, sg.bfloat16], ids=str)
def test_ops_with_kernels_of_their_own_launch_natively(dtype: Any, natively: list[int]) -> None:
    """Softmax, and its gradient, are one launch each from the second call on."""
    x, given = numbers(3, 5, dtype=dtype, requires_grad=True), numbers(3, 5, dtype=dtype)
    for _ in range(2):
        natively.clear()
        result = x.softmax(-1)
        result.backward(given)
    assert len(natively) == 2
    natively.clear()
    assert x.detach().softmax(dim=0).tolist() == x.detach().softmax(dim=0).tolist()  # of other arguments
    assert len(natively) == 2


def test_operands_that_share_memory_are_told_apart(natively: list[int]) -> None:
    """What was found for one tensor as both operands is not used for two."""
    x, y = numbers(4, 4), numbers(4, 4) + 1
    F = sg.nn.functional
    for one, other in ((x, x), (x, y), (y, x), (x, x)):
        for _ in range(2):
            assert (one * other).tolist() == (one.cpu() * other.cpu()).tolist()
            expected = F.mse_loss(one.cpu(), other.cpu())
            assert abs(F.mse_loss(one, other).item() - expected.item()) < 1e-12


@pytest.mark.parametrize(("dtype", "eps"), [(sg.float64, 1e-14), (sg.float16, 2**-9), (sg.bfloat16, 2**-6)])
def test_products_are_called_natively(dtype: Any, eps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the second call on Python describes no product; the operands are those of each call."""
    layer, first = sg.nn.Linear(4, 3, dtype=dtype).cuda(), numbers(2, 4, dtype=dtype, requires_grad=True)
    layer(first).sum().backward()
    monkeypatch.setattr(matmul, "described_product", None)
    for k in range(2):
        x = (numbers(2, 4, dtype=dtype) + k).requires_grad_()
        layer.zero_grad()
        layer(x).sum().backward()
        given, weight, bias = (each.detach().cpu().double().numpy() for each in (x, layer.weight, layer.bias))
        np.testing.assert_allclose(layer(x).tolist(), given @ weight.T + bias, rtol=eps, atol=eps)
        np.testing.assert_allclose(x.grad.tolist(), np.ones((2, 3)) @ weight, rtol=eps, atol=eps)
        np.testing.assert_allclose(layer.weight.grad.tolist(), np.ones((3, 2)) @ given, rtol=eps, atol=eps)


@pytest.mark.parametrize("program", ["lstm", "gru", "attended"])
def test_many_products_are_called_natively(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of all steps of a layer and of all heads, forward and backward, with the memory that they work in."""
    PROGRAMS[program]()
    monkeypatch.setattr(matmul, "described_product", None)
    PROGRAMS[program]()


def test_products_of_memory_that_lies_otherwise() -> None:
    """A plan asks for the alignment that was seen; other operands are described anew."""
    for start in (0, 1, 0, 3):
        x, y = numbers(12)[start : start + 9].view(3, 3), numbers(3, 3)
        for _ in range(2):
            np.testing.assert_allclose((x @ y).tolist(), x.cpu().numpy() @ y.cpu().numpy(), rtol=1e-14)


def test_switches_of_libraries_hold_for_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of precision products are described anew."""
    x, described = numbers(3, 3, dtype=sg.float32), []
    own = matmul.described_product
    monkeypatch.setattr(matmul, "described_product", lambda *args: described.append(1) or own(*args))
    for precision, count in (("highest", 1), ("high", 1), ("highest", 1)):
        described.clear()
        sg.set_float32_matmul_precision(precision)
        for _ in range(3):
            x @ numbers(3, 3, dtype=sg.float32)
        assert len(described) >= count
        described.clear()
        x @ numbers(3, 3, dtype=sg.float32)
        assert not described


def test_a_rehearsal_takes_no_memory() -> None:
    x = numbers(64, 64)
    before = sg.cuda.memory_allocated()
    x.softmax(1)
    x.var(0)
    assert sg.cuda.memory_allocated() == before


def test_numbers_differ_from_call_to_call(natively: list[int]) -> None:
    x = numbers(4)
    for number in (-0.25, 2.0, 3, -0.0, float("inf"), 1e300):
        assert (x * number).tolist() == [value * number for value in x.tolist()]
    assert len(natively) >= 3


@pytest.mark.parametrize("dtype", [sg.float16, sg.bfloat16], ids=str)
def test_gradients_of_products_with_numbers_of_16_bits(dtype: Any, natively: list[int]) -> None:
    """The number that a node keeps has 16 bits; the kernel gets the same number as a float32."""
    x, given = numbers(4, dtype=dtype, requires_grad=True), sg.ones(4, dtype=dtype).cuda()
    for number in (0.5, -3.0, 0.0, -0.0, 1 / 3, 6e-8, -4e-6, 2e-5, 6.1e-5, 65504.0, float("inf"), float("nan")):
        for _ in range(2):
            natively.clear()
            (found,) = sg.autograd.grad(x * number, x, given)
            retained = sg.tensor(number, dtype=dtype).item()
            np.testing.assert_array_equal(found.tolist(), [retained] * 4)
            assert np.copysign(1, found.tolist()[0]) == np.copysign(1, retained) or np.isnan(retained)
        assert len(natively) == 2


def test_numbers_that_a_check_reads_in_memory_are_read_each_time() -> None:
    """The range of a histogram is that of each call's elements where none is given."""
    x = sg.tensor([0.0, 1.0, 2.0, 4.0]).cuda()
    for factor in (1.0, 1.0, 10.0, 10.0, 0.5):
        assert (x * factor).histc(4).tolist() == [1, 1, 1, 1]
    for _ in range(2):
        assert (x * 10).histc(4, 0, 4).tolist() == [1, 0, 0, 0]


def test_what_native_code_does_not_know_is_left_to_python() -> None:
    """Ints beyond all floats, bools, tensors of the host beside, other dtypes."""
    x = numbers(4)
    assert (x * 2).tolist() == (x * 2).tolist()
    with pytest.raises((RuntimeError, OverflowError)):
        x * 10**400
    assert (x * True).tolist() == x.tolist()
    assert (x * sg.tensor(2.0)).tolist() == (x * 2).tolist()
    assert (x.float() * x).dtype is sg.float64
    full = sg.tensor([1, 2]).cuda()
    assert [(full + full).tolist() for _ in range(3)] == [[2, 4]] * 3


def test_streams_keep_their_own_order() -> None:
    """A launch belongs to the stream that is current when it is made."""
    side = sg.cuda.Stream()
    for _ in range(3):
        x = numbers(33)
        side.wait_stream(sg.cuda.current_stream())
        with sg.cuda.stream(side):
            y = x * 2
            z = y + x
        sg.cuda.current_stream().wait_stream(side)
        result = (z - x) * 0.5
        expected = ((x.cpu() * 2 + x.cpu()) - x.cpu()) * 0.5
        z.record_stream(sg.cuda.current_stream())
        assert result.tolist() == expected.tolist()


def test_a_forgotten_dependency_is_found(natively: list[int]) -> None:
    x, y, side = numbers(33), numbers(33), sg.cuda.Stream()
    sg.cuda.synchronize()
    for _ in range(2):
        x * 2
        with sg.cuda.stream(side):
            y + x
    sg.cuda.synchronize()
    with sg.cuda.stream(side):
        y + x
    natively.clear()
    x.mul_(2)
    x.mul_(2)
    with sg.cuda.stream(side), pytest.raises(RuntimeError, match="race"):
        y + x
        sg.cuda.synchronize()
    assert natively
    with contextlib.suppress(RuntimeError):  # of both that race
        sg.cuda.synchronize()


def test_several_threads_launch() -> None:
    found: list[list[float]] = []
    x = numbers(16)
    sg.cuda.synchronize()
    expected = ((x * 2 + x) * 3).tolist()

    def run() -> None:
        for _ in range(20):
            found.append(((x * 2 + x) * 3).tolist())

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 60


def test_another_driver_has_other_functions(natively: list[int]) -> None:
    """Handles of one driver are none of another."""
    before = (numbers(5) * 2).tolist(), (numbers(5) * 2).tolist()
    with simulated():
        after = (numbers(5) * 2).tolist(), (numbers(5) * 2).tolist()
    assert before == after and len(natively) == 2


def test_memory_comes_back() -> None:
    """Figures and references are as before, however often ops run."""
    x, y = numbers(8, requires_grad=True), numbers(8)

    def step() -> None:
        result = (x * y).tanh() + 1
        result.backward(y)
        x.grad = None

    for _ in range(5):
        step()
    gc.collect()
    sg.cuda.synchronize()
    shared = [None, True, 0, x.device, x.dtype, x.dtype.np, x._shape, x, x._storage, y]
    before = sg.cuda.memory_allocated(), [sys.getrefcount(obj) for obj in shared]
    for _ in range(100):
        step()
    sg.cuda.synchronize()
    assert gc.collect() < 100  # what the simulation leaves is not more with each step
    after = sg.cuda.memory_allocated(), [sys.getrefcount(obj) for obj in shared]
    assert before[0] == after[0] and all(abs(a - b) < 50 for a, b in zip(before[1], after[1], strict=True))


def test_a_device_that_is_full_says_so() -> None:
    with simulated(memory=1 << 16):
        x = sg.zeros(1024).cuda()
        retained = []
        with pytest.raises(sg.cuda.OutOfMemoryError, match="CUDA out of memory. Tried to allocate 4.00 KiB"):
            for _ in range(100):
                retained.append(x + 1)
        assert 8 <= len(retained) <= 16
        retained.clear()
        assert (x + 1).sum().item() == 1024


def test_writes_are_counted_and_refused_as_on_the_host(natively: list[int]) -> None:
    x, y = numbers(4, requires_grad=True), numbers(4)
    for _ in range(3):
        retained = y.clone()
        result = x * retained
        before = retained._version
        assert retained.mul_(2) is retained and retained._version == before + 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            result.backward(y)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        x.mul_(2)
    wide = numbers(1).expand(4)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="more than one element"):
            wide.mul_(2)
    shifted = numbers(6)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="some elements of the input tensor"):
            shifted[1:].add_(shifted[:-1])


def test_errors_of_a_launch_reach_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    x = numbers(4)
    for _ in range(2):
        sg.add(x, x)
    found = driver.driver()
    launch = type(found).launch
    calls: list[int] = []

    def refuse(self: Any, *arguments: Any) -> None:
        calls.append(1)
        raise RuntimeError("CUDA error: a launch that is refused")

    monkeypatch.setattr(type(found), "launch", refuse)
    with pytest.raises(RuntimeError, match="a launch that is refused"):
        sg.add(x, x)
    monkeypatch.setattr(type(found), "launch", launch)
    assert len(calls) == 2
    sg.cuda.synchronize()
