"""Memory of devices that libraries share by DLPack: what a capsule says, who waits for whom, who owns the memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.tensor import dlpack
from tests.device.cuda.simulator import simulated

DTYPES = [sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.complex64, sg.int8, sg.uint8, sg.int64, sg.bool]


@pytest.fixture
def two() -> Iterator[SimulatedDriver]:
    """Two simulated devices."""
    with simulated(2) as found:
        yield found


class Other:
    """A tensor as another library has it: with DLPack's methods alone, whose arguments are noted."""

    def __init__(self, tensor: Any, **changes: Any) -> None:
        self.tensor, self.changes = tensor, changes
        self.requested: dict[str, Any] = {}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.changes.get("device", self.tensor.__dlpack_device__())

    def __dlpack__(self, **keywords: Any) -> Any:
        self.requested = keywords
        return self.tensor.__dlpack__(**keywords)


class Unversioned(Other):
    """A library that knows no versions."""

    def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
        return self.tensor.__dlpack__(stream=stream)


@pytest.mark.parametrize("library", [Other, Unversioned])
@pytest.mark.parametrize("kind", DTYPES, ids=str)
def test_memory_is_shared(two: SimulatedDriver, kind: Any, library: type[Other]) -> None:
    """The same elements at the same addresses, in any dtype and layout; writes are seen by both."""
    x = sg.arange(24, device="cuda").to(kind).reshape(2, 3, 4)
    for given in (x, x[1:, ::2], x.permute(2, 0, 1), x[0, 0, 0], x[:0], x[:, :1].expand(2, 3, 4)):
        found = sg.from_dlpack(library(given))
        assert (found.shape, found.dtype, found.device) == (given.shape, given.dtype, given.device)
        assert found.data_ptr() == given.data_ptr() or not given.numel()
        assert bool((found == given).all())
    sg.from_dlpack(library(x[1]))[0, 1] = 1
    assert x[1, 0, 1].item() == 1


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_what_a_capsule_says(two: SimulatedDriver, version: Any) -> None:
    """Address, device, shape, strides in elements and dtype, whatever the version."""
    x = sg.zeros(2, 3, device="cuda").t()
    capsule = x.__dlpack__(max_version=version)
    message = dlpack.content(capsule).tensor
    assert (message.data, message.device_type, message.device_id, message.ndim) == (x.data_ptr(), 2, 0, 2)
    assert (message.shape[:2], message.strides[:2], message.byte_offset) == ([3, 2], [1, 3], 0)
    assert (message.code, message.bits, message.lanes) == (2, 32, 1)
    assert ("versioned" in repr(capsule)) == (version is not None)


def test_who_owns_the_memory(two: SimulatedDriver) -> None:
    """It lives as long as a tensor over it, or a capsule that nobody has taken, and no longer."""
    before = sg.cuda.memory_allocated()
    x = sg.ones(1000, device="cuda")
    size = sg.cuda.memory_allocated() - before
    y = sg.from_dlpack(Other(x))
    part = y[3:5]
    del x, y
    assert sg.cuda.memory_allocated() - before == size and part.tolist() == [1, 1]
    del part
    assert sg.cuda.memory_allocated() == before
    capsule = sg.ones(1000, device="cuda").__dlpack__()
    assert sg.cuda.memory_allocated() - before == size
    del capsule
    assert sg.cuda.memory_allocated() == before


def test_a_capsule_is_taken_once(two: SimulatedDriver) -> None:
    """Who has it from a function takes it; a second time is refused."""
    capsule = sg.arange(3, device="cuda").__dlpack__()
    assert sg.from_dlpack(capsule).tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="that nobody has taken"):
        sg.from_dlpack(capsule)
    host = sg.arange(3).__dlpack__()
    assert sg.from_dlpack(host).tolist() == [0, 1, 2]


def test_streams(two: SimulatedDriver) -> None:
    """The consumer's stream waits for the producer's current one, unless it says that nobody waits."""
    side, other = sg.cuda.Stream(), sg.cuda.Stream()
    with sg.cuda.stream(side):
        x = sg.ones(8, device="cuda")
        capsule = x.__dlpack__(stream=other.cuda_stream)
    with sg.cuda.stream(other):
        assert (sg.from_dlpack(capsule) + 1).tolist() == [2] * 8
    for stream in (None, 1):
        with sg.cuda.stream(side):
            x = sg.ones(8, device="cuda")
            capsule = x.__dlpack__(stream=stream)
        assert (sg.from_dlpack(capsule) + 1).tolist() == [2] * 8
    with sg.cuda.stream(side):
        x = sg.ones(8, device="cuda")
        capsule = x.__dlpack__(stream=-1)
    with sg.cuda.stream(other), pytest.raises(RuntimeError, match="race|nobody wrote"):
        (sg.from_dlpack(capsule) + 1).tolist()


def test_the_consumer_names_its_stream(two: SimulatedDriver) -> None:
    """1 for the default stream, else CUDA's handle."""
    other = Other(sg.ones(2, device="cuda"))
    sg.from_dlpack(other)
    assert other.requested == {"stream": 1, "max_version": (1, 0)}
    side = sg.cuda.Stream()
    with sg.cuda.stream(side):
        sg.from_dlpack(other)
    assert other.requested["stream"] == side.cuda_stream


def test_a_stream_that_uses_borrowed_memory(two: SimulatedDriver) -> None:
    """The owner gets it back when a stream that was recorded is done."""
    side = sg.cuda.Stream()
    x = sg.from_dlpack(Other(sg.ones(8, device="cuda")))
    side.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(side):
        y = x + 1
    x.record_stream(side)
    del x
    z = sg.zeros(8, device="cuda")
    side.synchronize()
    assert y.tolist() == [2] * 8 and z.tolist() == [0] * 8


@pytest.mark.parametrize(
    ("stream", "error", "message"),
    [
        (0, AssertionError, "unsupported stream on CUDA: 0"),
        (2, BufferError, "per-thread default stream is not supported"),
        ("1", TypeError, "stream must be ``int`` or ``none``"),
    ],
)
def test_streams_that_are_refused(two: SimulatedDriver, stream: Any, error: type[Exception], message: str) -> None:
    """As PyTorch refuses them."""
    with pytest.raises(error, match=message):
        sg.ones(2, device="cuda").__dlpack__(stream=stream)
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        sg.ones(2).__dlpack__(stream=3)


def test_devices(two: SimulatedDriver) -> None:
    """What lies elsewhere is copied where that may be, or refused."""
    x = sg.arange(3.0, device="cuda")
    assert x.__dlpack_device__() == (2, 0)
    assert sg.from_dlpack(Other(x), device="cpu").device.type == "cpu"
    assert sg.from_dlpack(Other(x), device="cuda:1").tolist() == [0, 1, 2]
    assert sg.from_dlpack(np.arange(3.0), device="cuda").device == x.device
    assert sg.from_dlpack(Other(x), copy=True).data_ptr() != x.data_ptr()
    with pytest.raises(ValueError, match="without copying"):
        sg.from_dlpack(Other(x), device="cpu", copy=False)
    assert np.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="without copying"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="different CUDA device index. Expected: 1. Current device: 0"):
        sg.ones(2, device="cuda:1").__dlpack__()
    with sg.cuda.device(1):
        assert sg.from_dlpack(Other(sg.ones(2, device="cuda:1"))).device.index == 1


def test_what_is_no_memory_of_the_device(two: SimulatedDriver) -> None:
    """Devices that there are not, and addresses of another driver, are refused."""
    x = sg.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match="it lies on cuda:5, of 2 CUDA devices"):
        sg.from_dlpack(Other(x, device=(2, 5)))
    with pytest.raises(RuntimeError, match=r"there are no 8 bytes at 0x\w+ on cuda:1"):
        sg.from_dlpack(Other(x, device=(2, 1)))
    capsule = x.__dlpack__()
    with simulated(1), pytest.raises(RuntimeError, match=r"there are no 8 bytes at 0x\w+ on cuda:0"):
        sg.from_dlpack(capsule)
    with pytest.raises(BufferError, match="require gradient"):
        sg.ones(2, device="cuda", requires_grad=True).__dlpack__()


def test_dtypes_that_are_not_here(two: SimulatedDriver) -> None:
    """A dtype of other libraries is refused, and the memory stays theirs."""
    capsule = sg.ones(2, device="cuda").__dlpack__()
    dlpack.content(capsule).tensor.bits = 128
    with pytest.raises(RuntimeError, match="no dtype for float128"):
        sg.from_dlpack(capsule)
