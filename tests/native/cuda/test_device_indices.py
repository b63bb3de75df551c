"""Kernels that note bad indices, launched natively: the error comes when the program next waits, as after Python's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.native.check_mode import native_alone
from tests.device.cuda.simulator import simulated
from tests.native.cuda.test_devices import Noted, launched

F = sg.nn.functional


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    """Results are not compared, which would wait for them."""
    with pytest.MonkeyPatch.context() as patch, native_alone():
        patch.setattr("specgrad.runtime.extensions.simulator.driver.LaunchEntry", Noted)
        with simulated():
            yield
            sg.cuda.synchronize()


def indices(*numbers: int) -> Any:
    return sg.tensor(numbers).cuda()


def table(requires_grad: bool = False) -> Any:
    return sg.arange(12.0).reshape(4, 3).cuda().requires_grad_(requires_grad)


CALLS: dict[str, tuple[Callable[[Any, Any, Any], Any], str]] = {
    "embedding": (lambda x, at, y: F.embedding(at, x), r"embedding\(\): index 77 "),
    "index_select": (lambda x, at, y: x.index_select(0, at), r"index_select\(\): index 77 "),
    "gather": (lambda x, at, y: x.gather(0, at.reshape(3, 1)), r"gather\(\): index 77 "),
    "scatter_add": (lambda x, at, y: x.scatter_add(0, at.reshape(3, 1), y[:3]), r"scatter_add\(\): index 77 "),
    "index_add": (lambda x, at, y: x.index_add(0, at, y[:3]), r"index_add\(\): index 77 "),
    "cross_entropy": (lambda x, at, y: F.cross_entropy(x[:3], at), "Target 77 is out of bounds"),
    "nll_loss": (lambda x, at, y: F.nll_loss(x[:3], at), "Target 77 is out of bounds"),
}


def natively(call: Callable[[], Any]) -> Any:
    """The result of a call, which native code must launch."""
    launched.clear()
    result = call()
    assert launched
    return result


@pytest.mark.parametrize("name", CALLS)
def test_raised_when_the_program_waits(name: str) -> None:
    """After the first call, the second and the tenth; the error comes once, and calls go on after it."""
    op, text = CALLS[name]
    x, y, good, bad = table(), table() + 1, indices(0, 1, 2), indices(0, 77, 1)
    expected = op(x.cpu(), good.cpu(), y.cpu())
    op(x, bad, y)
    for count in (1, 9):
        with pytest.raises(IndexError, match=text):
            sg.cuda.synchronize()
        sg.cuda.synchronize()
        for _ in range(count):
            found = natively(lambda: op(x, good, y))
        assert sg.allclose(found.cpu(), expected)
        result = natively(lambda: op(x, bad, y))
    with pytest.raises(IndexError, match=text):
        result.cpu()
    assert sg.allclose(natively(lambda: op(x, good, y)).cpu(), expected)


def test_gradients_tell_too() -> None:
    """The indices that a node kept are looked at where they are read."""
    for op in (lambda x, at: F.embedding(at, x), lambda x, at: x.gather(0, at.reshape(3, 1).expand(3, 3))):
        at = indices(0, 1, 2)
        for bad in (False, True, True):
            x = table(requires_grad=True)
            found = op(x, at)
            if bad:
                at.data.copy_(indices(0, 9, 1))
            sg.autograd.grad(found, x, sg.ones_like(found))
            if bad:
                with pytest.raises(IndexError, match="index 9 "):
                    sg.cuda.synchronize()
            sg.cuda.synchronize()
            at = indices(0, 1, 2)


def test_each_stream_has_its_own() -> None:
    """What one stream finds is raised where that one is waited for."""
    side, x, good, bad = sg.cuda.Stream(), table(), indices(0, 1, 2), indices(5)
    for _ in range(2):
        x.index_select(0, indices(1))
        side.wait_stream(sg.cuda.current_stream())
        with sg.cuda.stream(side):
            x.index_select(0, good)
            x.index_select(0, bad)
            natively(lambda: x.index_select(0, bad))
        x.index_select(0, good)
        sg.cuda.current_stream().synchronize()
        with pytest.raises(IndexError, match="index 5 "):
            side.synchronize()
    sg.cuda.synchronize()


def test_launches_that_block_tell_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is launched natively, which is remembered: no other test has a table of this shape."""
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    x = sg.arange(15.0).reshape(5, 3).cuda()
    launched.clear()
    for _ in range(3):
        assert x.index_select(0, indices(1)).tolist() == [[3, 4, 5]]
        with pytest.raises(IndexError, match="index 6 "):
            x.index_select(0, indices(6))
    assert not launched


def test_graphs_have_their_own() -> None:
    """Launches before, in and after a capture: each error is raised once, where the program waits for it."""
    x, at = table(), indices(0, 1, 2)
    for _ in range(2):
        x.index_select(0, at)
    graph, other = sg.cuda.CUDAGraph(), at.clone()
    sg.cuda.synchronize()
    with sg.cuda.graph(graph):
        found = x.index_select(0, other)
    graph.replay()
    assert found.tolist() == natively(lambda: x.index_select(0, at)).tolist()
    other.copy_(indices(0, 8, 1))
    graph.replay()
    with pytest.raises(IndexError, match="index 8 "):
        sg.cuda.synchronize()
    natively(lambda: x.index_select(0, indices(3, 4, 0)))
    with pytest.raises(IndexError, match="index 4 "):
        sg.cuda.synchronize()


def test_indices_of_other_dtypes_are_left_to_python() -> None:
    """What was found for int64 is not used for them."""
    x = table()
    for dtype in (sg.int64, sg.int32, sg.int64, sg.int32):
        at = sg.tensor([3, 1], dtype=dtype).cuda()
        assert F.embedding(at, x).tolist() == [[9, 10, 11], [3, 4, 5]]


def test_lists_of_other_lengths_and_kinds() -> None:
    """Tuples and lists, which change between calls; what is no tensor of the device is Python's to refuse."""
    parts = [table() + i for i in range(5)]
    for _ in range(2):
        for count in (1, 2, 5):
            for kind in (list, tuple):
                chosen = kind(parts[:count])
                assert sg.cat(chosen).tolist() == sg.cat([part.cpu() for part in chosen]).tolist()
                assert sg.stack(chosen, 1).tolist() == sg.stack([part.cpu() for part in chosen], 1).tolist()
    natively(lambda: sg.cat(parts))
    for wrong in ([], [parts[0], None], [parts[0], table().cpu()], [parts[0], 1.0]):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            sg.cat(wrong)
    assert sg.cat([parts[0], parts[0]]).tolist() == sg.cat([parts[0].cpu()] * 2).tolist()
    assert sg.cat([parts[0], sg.empty(0).cuda()]).tolist() == parts[0].tolist()
