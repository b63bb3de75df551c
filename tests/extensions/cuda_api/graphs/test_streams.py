"""Graphs and streams: branches inside of a graph, and replays that are ordered with other work or refused."""

from typing import Any

import pytest

import specgrad as sg
from tests.extensions.cuda_api.graphs.programs import recorded


def branches(x: Any) -> Any:
    """The sum of a product that another stream computes and one that this one does."""
    side, own = sg.cuda.Stream(), sg.cuda.current_stream()
    side.wait_stream(own)
    with sg.cuda.stream(side):
        one = x * 2
    other = x * 3
    own.wait_stream(side)
    return one + other


def test_branches() -> None:
    """Streams that wait for the capture take part, and their work is replayed in the order that events give."""
    x = sg.ones(4, device="cuda")
    graph, total = recorded(lambda: branches(x))
    for k in range(8):
        x.fill_(float(k))
        graph.replay()
        assert total.tolist() == [5.0 * k] * 4


def test_a_race_between_branches() -> None:
    """What no event orders inside of a graph is refused when it is replayed, with the lines that were recorded."""
    x = sg.ones(4, device="cuda")

    def write() -> None:
        side, own = sg.cuda.Stream(), sg.cuda.current_stream()
        side.wait_stream(own)
        with sg.cuda.stream(side):
            x.mul_(2)
        x.add_(1)
        own.wait_stream(side)

    graph, _ = recorded(write)
    graph.replay()
    with pytest.raises(sg.AcceleratorError, match=r"CUDA race: nothing orders .*recorded at .*test_streams.py"):
        sg.cuda.synchronize()


def test_replays_on_other_streams() -> None:
    """A replay comes after what its stream was given, and what the stream is given then comes after the replay."""
    x = sg.ones(4, device="cuda")
    graph, y = recorded(lambda: x + 1)
    sg.cuda.synchronize()
    side, found = sg.cuda.Stream(), []
    side.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(side):
        for k in range(5):
            x.fill_(float(k))
            graph.replay()
            found.append(y.clone())
    sg.cuda.current_stream().wait_stream(side)
    assert [t[0].item() for t in found] == [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize("is_ordered", [True, False])
def test_work_beside_a_replay(is_ordered: bool) -> None:
    """A write to what a replay reads on another stream is a race, unless an event orders them."""
    x = sg.ones(4, device="cuda")
    graph, y = recorded(lambda: x + 1)
    sg.cuda.synchronize()
    side = sg.cuda.Stream()
    with sg.cuda.stream(side):
        graph.replay()
        done = side.record_event()
    if is_ordered:
        done.wait()
    x.fill_(7.0)
    if is_ordered:
        sg.cuda.synchronize()
        assert y.tolist() == [2.0] * 4
    else:
        with pytest.raises(sg.AcceleratorError, match="CUDA race"):
            sg.cuda.synchronize()


def test_replays_of_one_graph_come_one_after_the_other() -> None:
    """Also on streams that nothing orders, as CUDA has it; of two graphs, the memory that both use must be ordered."""
    x = sg.zeros(4, device="cuda")
    graph, sampled = recorded(lambda: (x.add_(1.0), sg.rand(2, device="cuda"))[1])
    other, _ = recorded(lambda: x.mul_(2.0))
    sg.cuda.synchronize()
    sg.manual_seed(3)
    streams = [sg.cuda.Stream() for _ in range(3)]
    for stream in streams:
        with sg.cuda.stream(stream):
            graph.replay()
    sg.cuda.synchronize()
    assert x.tolist() == [3.0] * 4
    sg.manual_seed(3)
    assert [sg.rand(2, device="cuda").tolist() for _ in range(3)][-1] == sampled.tolist()
    for stream, each in zip(streams, (graph, other), strict=False):
        with sg.cuda.stream(stream):
            each.replay()
    with pytest.raises(sg.AcceleratorError, match="CUDA race"):
        sg.cuda.synchronize()


def test_other_streams_work_during_a_capture() -> None:
    """What takes no part is done as usual."""
    x, side = sg.ones(4, device="cuda"), sg.cuda.Stream()
    sg.cuda.synchronize()
    seen = []

    def capture() -> Any:
        with sg.cuda.stream(side):
            seen.append((x * 5).tolist())
        return x * 2

    graph, y = recorded(capture)
    assert seen == [[5.0] * 4]
    graph.replay()
    assert y.tolist() == [2.0] * 4


def test_a_given_stream() -> None:
    """A capture may have a stream of the user's, and its graph be written to a file."""
    x, stream = sg.ones(4, device="cuda"), sg.cuda.Stream()
    graph = sg.cuda.CUDAGraph(keep_graph=True)
    with sg.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        assert sg.cuda.current_stream() == stream
        y = x + 1
    assert sg.cuda.current_stream() != stream and graph.raw_cuda_graph()
    with pytest.raises(RuntimeError, match="until instantiate"):
        graph.raw_cuda_graph_exec()
    graph.instantiate()
    graph.replay()
    assert y.tolist() == [2.0] * 4 and graph.raw_cuda_graph_exec()


def test_pictures(tmp_path: Any) -> None:
    """In the debug mode, what was recorded can be drawn."""
    x = sg.ones(4, device="cuda")
    graph, path = sg.cuda.CUDAGraph(), tmp_path / "graph.dot"
    with sg.cuda.graph(graph):
        x + 1
    with pytest.warns(UserWarning, match="debugging not enabled"):
        graph.debug_dump(str(path))
    graph.reset()
    graph.enable_debug_mode()
    with sg.cuda.graph(graph):
        branches(x)
    graph.debug_dump(str(path))
    text = path.read_text()
    assert text.startswith("digraph") and text.count("launch of mul") == 2 and text.count("->") == 2
    graph.replay()
    with pytest.raises(RuntimeError, match="keep_graph=true"):
        graph.raw_cuda_graph()


def test_two_devices() -> None:
    """A graph belongs to the device on which it was captured."""
    from tests.device.cuda.simulator import simulated

    with simulated(2), sg.cuda.device(1):
        x = sg.ones(3, device="cuda:1")
        graph, y = recorded(lambda: x * 2)
        graph.replay()
        assert y.device == sg.device("cuda:1") and y.tolist() == [2.0] * 3
