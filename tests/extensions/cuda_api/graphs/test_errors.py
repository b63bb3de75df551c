"""What cannot be recorded: PyTorch's kind of error with the function's name, after which all goes on."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.kernels.cuda_launch import arrays
from specgrad.runtime.kernels.cuda_launch.cpu_fallback import Fallback
from tests.extensions.cuda_api.graphs.programs import recorded

NOT_PERMITTED = r"CUDA error: operation not permitted when stream is capturing .*: "
X = Any

REFUSED: dict[str, Callable[[X], Any]] = {
    "item": lambda x: x.sum().item(),
    "tolist": lambda x: x.tolist(),
    "cpu": lambda x: x.cpu(),
    "to": lambda x: x.to("cpu"),
    "tensor": lambda x: sg.tensor([1.0], device="cuda"),
    "cuda": lambda x: sg.ones(3).cuda(),
    "__repr__": repr,
    "to_bool": lambda x: bool((x > 0).all()),
    "nonzero": lambda x: x.nonzero(),
    "masked_select": lambda x: x.masked_select(x > 0),
    "equal": lambda x: sg.equal(x, x),
    "synchronize": lambda x: sg.cuda.synchronize(),
    "query": lambda x: sg.cuda.current_stream().query(),
    "empty_cache": lambda x: sg.cuda.empty_cache(),
    "replay": lambda x: recorded_before.replay(),
    "linalg_pinv": lambda x: sg.linalg.pinv(x.reshape(2, 2)),
}
recorded_before: Any = None


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The capture ends with the error, which names the function; then the device works, and captures, as before."""
    x = sg.ones(4, device="cuda")
    monkeypatch.setitem(globals(), "recorded_before", recorded(lambda: x * 2)[0])
    reserved = sg.cuda.memory_reserved()
    broken = sg.cuda.CUDAGraph()
    with pytest.raises(sg.AcceleratorError, match=NOT_PERMITTED + name), sg.cuda.graph(broken):
        y = x + 1
        REFUSED[name](y)
    with pytest.raises(RuntimeError, match="Called CUDAGraph::replay without a preceding successful capture"):
        broken.replay()
    assert not sg.cuda.is_current_stream_capturing() and (x * 3).tolist() == [3.0] * 4
    del y
    gc.collect()  # the error's frames hold tensors
    sg.cuda.empty_cache()
    assert sg.cuda.memory_reserved() == reserved
    graph, z = recorded(lambda: x + 2)
    graph.replay()
    assert z.tolist() == [3.0] * 4


def negated(a: np.ndarray) -> np.ndarray:
    return -a


def test_the_error_of_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    """An op without a kernel is computed on the CPU, which no graph can do."""
    monkeypatch.setenv("SPECGRAD_CUDA_FALLBACK", "silent")
    x = arrays.from_host(np.ones(3), sg.device("cuda:0"))
    assert arrays.to_host(Fallback(negated)(x)).tolist() == [-1.0] * 3
    with pytest.raises(sg.AcceleratorError, match="is computed on the CPU .negated has no CUDA kernel"):
        recorded(lambda: Fallback(negated)(x))


def test_an_invalid_capture() -> None:
    """Who goes on after the error is told that the capture is lost, and so is who ends it."""
    x = sg.ones(4, device="cuda")
    graph = sg.cuda.CUDAGraph()
    with sg.cuda.stream(sg.cuda.Stream()):
        graph.capture_begin()
        assert sg.cuda.is_current_stream_capturing()
        with pytest.raises(sg.AcceleratorError, match="not permitted"):
            x.cpu()
        with pytest.raises(sg.AcceleratorError, match="operation failed due to a previous error during capture"):
            x + 1
        with pytest.raises(sg.AcceleratorError, match="operation failed due to a previous error during capture"):
            graph.capture_end()
        assert not sg.cuda.is_current_stream_capturing()


def test_an_error_of_the_program() -> None:
    """A block that raises ends its capture, and its error is what is seen."""
    graph = sg.cuda.CUDAGraph()
    with pytest.raises(ZeroDivisionError), sg.cuda.graph(graph):
        sg.ones(3, device="cuda")
        1 / 0  # noqa: B018
    assert not sg.cuda.is_current_stream_capturing()


def test_calls_in_the_wrong_order() -> None:
    """PyTorch's errors for methods that come too early, too late or on another stream."""
    graph = sg.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="CUDA graphs must be captured on a non-default stream"):
        graph.capture_begin()
    for method, name in ((graph.replay, "replay"), (graph.pool, r"pool\(\)")):
        with pytest.raises(RuntimeError, match=f"Called CUDAGraph::{name} without a preceding successful capture"):
            method()
    with pytest.raises(RuntimeError, match="without a preceding capture_begin"):
        graph.capture_end()
    with sg.cuda.stream(sg.cuda.Stream()):
        with pytest.raises(RuntimeError, match="Unknown capture error mode. Expected `global`, `thread_local`"):
            graph.capture_begin(capture_error_mode="local")
        with pytest.raises(TypeError, match="'pool' must be what graph_pool_handle"):
            graph.capture_begin(pool=3)  # type: ignore[arg-type]
        graph.capture_begin(capture_error_mode="relaxed")
        sg.ones(3, device="cuda")
        with sg.cuda.stream(sg.cuda.Stream()), pytest.raises(RuntimeError, match="on the same stream it began on"):
            graph.capture_end()
        graph.capture_end()
        with pytest.raises(RuntimeError, match="already owns a captured graph"):
            graph.capture_begin()
    graph.reset()
    with pytest.raises(RuntimeError, match="replay without"):
        graph.replay()
    with sg.cuda.graph(graph):
        x = sg.ones(3, device="cuda")
    graph.replay()
    assert x.tolist() == [1.0] * 3


def test_an_empty_graph() -> None:
    """Nothing was recorded: that is said, and replaying it does nothing."""
    graph = sg.cuda.CUDAGraph()
    with pytest.warns(UserWarning, match="The CUDA Graph is empty"), sg.cuda.graph(graph):
        pass
    graph.replay()


def test_events_of_captures(device: SimulatedDriver) -> None:
    """An event in a capture is a place in the graph: it is not asked, and others do not wait for it afterwards."""
    event = sg.cuda.Event()
    with pytest.raises(sg.AcceleratorError, match="event last recorded in a capturing stream"):
        recorded(lambda: (event.record(), event.query()))
    before, x = sg.cuda.Event(), sg.ones(3, device="cuda")
    before.record()
    with pytest.raises(sg.AcceleratorError, match="dependency created on uncaptured work"):
        recorded(lambda: (before.wait(), x + 1))
    recorded(lambda: (x + 1, event.record()))
    with pytest.raises(sg.AcceleratorError, match="event last recorded in a capturing stream"):
        event.wait(sg.cuda.Stream())
    event.record()
    event.synchronize()


def test_streams_that_do_not_come_back() -> None:
    """A stream that has waited for the capture must be waited for before it ends."""
    x, side = sg.ones(3, device="cuda"), sg.cuda.Stream()

    def fork() -> None:
        side.wait_stream(sg.cuda.current_stream())
        with sg.cuda.stream(side):
            assert sg.cuda.is_current_stream_capturing()
            x.mul(2)

    with pytest.raises(sg.AcceleratorError, match="capturing stream has unjoined work"):
        recorded(fork)
    with sg.cuda.stream(side):
        assert not sg.cuda.is_current_stream_capturing()
    assert x.tolist() == [1.0] * 3


def test_a_seed_during_a_capture() -> None:
    """Draws go on from where the generator is at each replay, so it cannot be seeded in between."""
    generator = sg.Generator()
    with pytest.raises(sg.AcceleratorError, match="draws from a generator that was seeded"):
        recorded(lambda: (sg.rand(3, device="cuda"), sg.manual_seed(5), sg.rand(3, device="cuda")))
    assert sg.rand(2, device="cuda", generator=generator).shape == (2,)
