"""Memory of graphs: a pool of their own, reused inside and never outside, with right figures, until they are gone."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.device.cuda import allocator
from specgrad.runtime.device.cuda.real_driver import RealDriver
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.kernels.cuda_launch import arrays, elementwise
from tests.device.cuda.fake_bindings import FakeBindings
from tests.device.cuda.simulator import in_use
from tests.extensions.cuda_api.graphs.programs import recorded

KIB = 1024


def block(tensor: Any) -> int:
    return tensor.data_ptr()


def ones(kib: int) -> Any:
    return sg.ones(kib * KIB // 4, device="cuda")


def test_figures() -> None:
    """What a capture allocates counts as any other memory; it stays reserved when the cache is emptied."""
    x = ones(1)
    sg.cuda.empty_cache()
    assert (sg.cuda.memory_allocated(), sg.cuda.memory_reserved()) == (KIB, KIB)
    graph, y = recorded(lambda: (x + 1) * 2 + x)  # two blocks serve three results
    assert (sg.cuda.memory_allocated(), sg.cuda.memory_reserved()) == (2 * KIB, 3 * KIB)
    assert sg.cuda.memory_stats()["segment.all.current"] == 3
    sg.cuda.empty_cache()
    assert sg.cuda.memory_reserved() == 3 * KIB
    graph.replay()
    assert y.tolist() == [5.0] * 256
    address = block(y)
    del y
    assert (sg.cuda.memory_allocated(), sg.cuda.memory_reserved()) == (KIB, 3 * KIB)
    others = [ones(1) for _ in range(3)]
    assert address not in map(block, others), "the graph goes on to write there"
    graph.replay()
    sg.cuda.synchronize()
    graph.reset()
    sg.cuda.empty_cache()
    assert sg.cuda.memory_reserved() == sg.cuda.memory_allocated() == 4 * KIB


def test_a_graph_gives_its_memory_back_when_it_is_collected() -> None:
    """Tensors that are still used keep theirs until they are gone, too."""
    graph, (y, _) = recorded(lambda: (ones(1), ones(2)))
    graph.replay()
    del graph, _
    sg.cuda.empty_cache()
    assert sg.cuda.memory_reserved() == KIB and y.tolist() == [1.0] * 256
    del y
    assert (sg.cuda.memory_allocated(), sg.cuda.memory_reserved()) == (0, KIB)
    sg.cuda.empty_cache()
    assert sg.cuda.memory_reserved() == 0


def test_shared_pools() -> None:
    """Graphs of one pool use what earlier ones have freed; graphs of other pools, and eager calls, do not."""
    x = ones(1)
    first, y = recorded(lambda: x * 2)
    address = block(y)
    del y
    second, z = recorded(lambda: x * 3, pool=first.pool())
    assert block(z) == address and second.pool() == first.pool()
    third, w = recorded(lambda: x * 4)
    assert block(w) != address and third.pool() != first.pool()
    handle = sg.cuda.graph_pool_handle()
    fourth, v = recorded(lambda: x * 5, pool=handle)
    assert fourth.pool() == handle
    for graph in (first, second, third, fourth):
        graph.replay()
    assert (z[0].item(), w[0].item(), v[0].item()) == (3.0, 4.0, 5.0)
    first.reset()
    sg.cuda.empty_cache()
    second.replay()
    assert z[0].item() == 3.0, "memory stays while one graph of the pool lives"


def test_what_is_allocated_may_be_filled_from_outside() -> None:
    """A tensor that a capture allocates and does not write is written before a replay."""

    def double() -> Any:
        x = sg.empty(4, device="cuda")
        return x, x * 2

    graph, (x, y) = recorded(double)
    for k in (1.0, 2.0):
        x.fill_(k)
        graph.replay()
        assert y.tolist() == [2 * k] * 4


def test_reading_what_nobody_wrote(device: SimulatedDriver) -> None:
    """Memory that is given out again inside of a graph is unwritten there, in every replay."""

    def read() -> Any:
        first = ones(1)
        del first
        float32, target_device = np.dtype(np.float32), sg.device("cuda:0")
        unwritten, result = (arrays.empty((256,), float32, target_device) for _ in range(2))
        elementwise.convert(result, unwritten)
        return result

    graph, _ = recorded(read)
    graph.replay()
    with pytest.raises(RuntimeError, match="which nobody wrote"):
        sg.cuda.synchronize()


def test_use_after_free() -> None:
    """What a graph reads and did not allocate must live; what has taken its place is not it."""
    held = [ones(1)]
    graph, y = recorded(lambda: held[0] * 2)
    graph.replay()
    assert y[0].item() == 2.0
    held.clear()
    with pytest.raises(sg.AcceleratorError, match=r"use after free .* which launch of mul.*test_memory.py"):
        graph.replay()
    other = ones(1)
    with pytest.raises(sg.AcceleratorError, match="must live as long as it is replayed"):
        graph.replay()
    assert other[0].item() == 1.0


def test_memory_that_is_freed_after_a_replay_was_given() -> None:
    """A replay that waits still reads what was freed meanwhile, as other work does."""
    held = [ones(1)]
    graph, y = recorded(lambda: held[0] * 2)
    graph.replay()
    held.clear()
    assert y[0].item() == 2.0


def test_freed_on_another_stream_during_a_capture() -> None:
    """A block that other streams use is looked at when the capture is over, as its events cannot be asked before."""
    side = sg.cuda.Stream()
    x = ones(1)
    x.record_stream(side)
    address = block(x)

    def free() -> Any:
        nonlocal x
        x = ones(2)
        x.record_stream(side)
        del x
        return ones(1)

    graph, y = recorded(free)
    assert block(y) != address
    sg.cuda.synchronize()
    assert block(ones(1)) == address, "the cache has it back"
    graph.replay()
    assert y[0].item() == 1.0


def test_no_memory_left(device: SimulatedDriver) -> None:
    """The error is as always, and a graph goes on with what it has."""
    device.memory.totals[0] = 64 * KIB
    with pytest.raises(sg.OutOfMemoryError, match="Tried to allocate 1.00 MiB"):
        recorded(lambda: sg.empty(1 << 18, device="cuda"))
    graph, y = recorded(lambda: ones(1) + 1)
    graph.replay()
    assert y[0].item() == 2.0


def test_pinned_memory_is_kept() -> None:
    """A copy from pinned memory is recorded, and reads what is there at each replay."""
    held = [sg.ones(4).pin_memory()]
    target_device = np.asarray(held[0])
    graph, y = recorded(lambda: held[0].to("cuda", non_blocking=True) * 2)
    held.clear()
    for k in (1.0, 3.0):
        target_device[...] = k
        graph.replay()
        assert y.tolist() == [2 * k] * 4


def test_other_threads_and_streams_allocate_as_usual(device: SimulatedDriver) -> None:
    """Only streams that take part get memory of the graph."""
    graph = sg.cuda.CUDAGraph()
    with pytest.warns(UserWarning, match="empty"), sg.cuda.graph(graph):
        inside = allocator.allocate(0, KIB)
        outside = allocator.allocate(0, KIB, device.create_stream(0))
    assert inside.size_class.pool is not None and outside.size_class.pool is None


def test_the_real_driver_allocates_aside() -> None:
    """Memory of a graph comes from another stream than the one that is recorded, in a mode that allows it."""
    bindings = FakeBindings(SimulatedDriver(1, 1 << 20))
    with in_use(RealDriver(bindings)):
        graph, target_device = sg.cuda.CUDAGraph(), sg.device("cuda:0")
        with sg.cuda.graph(graph):
            stream, before = sg.cuda.current_stream().cuda_stream, len(bindings.calls)
            x = arrays.zeros((8,), np.dtype(np.int32), target_device)
            names = [call[0] for call in bindings.calls[before:]]
            (requested,) = (call for call in bindings.calls[before:] if call[0] == "cuMemAllocFromPoolAsync")
        assert requested[3] not in (0, stream)
        start, end = names.index("cuThreadExchangeStreamCaptureMode"), names.index("cuMemAllocFromPoolAsync")
        assert start < end < len(names) - names[::-1].index("cuThreadExchangeStreamCaptureMode")
        graph.replay()
        assert arrays.to_host(x).tolist() == [0] * 8
        graph.reset()
        del x
        allocator.release()
        assert bindings.device.memory.used == [0]
