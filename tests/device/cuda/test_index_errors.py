"""Indices out of bounds on a device: skipped, noted, and raised when the program waits; all goes on after that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.device.cuda import driver
from tests.places import simulated_device


@pytest.fixture(autouse=True)
def on_device() -> Iterator[None]:
    with simulated_device():
        yield


def indices(*numbers: int) -> Any:
    return sg.tensor(numbers, device="cuda")


def table() -> Any:
    return sg.ones(4, 3, device="cuda")


CALLS: dict[str, Callable[[Any], Any]] = {
    "index_select": lambda at: table().index_select(0, at),
    "index": lambda at: table()[at],
    "gather": lambda at: table().gather(0, at.reshape(1, 3)),
    "scatter_add": lambda at: table().scatter_add(0, at.reshape(1, 3), table()),
    "index_add": lambda at: table().index_add(0, at, table()[:3]),
    "index_put": lambda at: table().index_put((at,), table()[:3]),
    "embedding": lambda at: sg.nn.functional.embedding(at, table()),
    "take": lambda at: table().take(at),
}
WAITS: list[Callable[[Any], Any]] = [
    lambda result: result.cpu(),
    lambda result: sg.cuda.synchronize(),
    lambda result: sg.cuda.current_stream().synchronize(),
]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wait", WAITS)
def test_raised_when_the_program_waits(name: str, wait: Callable[[Any], Any]) -> None:
    """With the op and the index; the next results are whole, and the error comes once."""
    result = CALLS[name](indices(0, 77, 1))
    with pytest.raises(IndexError, match=rf"{name}\(\): index 77 is out of bounds for dimension 0 with size (4|12)"):
        wait(result)
    sg.cuda.synchronize()
    assert CALLS[name](indices(0, 1, 2)).cpu().sum().item() > 0


def test_the_first_one_is_raised() -> None:
    """Of several calls that of the first; it is a RuntimeError, too, as on the CPU of some ops."""
    table().index_select(0, indices(0, -1))
    table()[indices(0, -5)]
    with pytest.raises(RuntimeError, match=r"index_select\(\): index -1 "):
        sg.cuda.synchronize()
    sg.cuda.synchronize()


def test_places_with_good_indices_are_computed() -> None:
    """A bad one gives zero, or nothing."""
    found = table().index_add(0, indices(0, 4, 3), table()[:3])
    with pytest.raises(IndexError):
        sg.cuda.synchronize()
    assert found[:, 0].tolist() == [2, 1, 1, 2]


def test_at_once_where_launches_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    with pytest.raises(IndexError, match="index 9 "):
        table()[indices(9)]


def test_each_stream_has_its_own() -> None:
    """Waiting for one stream says nothing of others."""
    side, at = sg.cuda.Stream(), indices(4)
    side.wait_stream(sg.cuda.current_stream())
    with sg.cuda.stream(side):
        found = table().index_select(0, at)
    sg.cuda.current_stream().synchronize()
    with pytest.raises(IndexError, match="index 4 "):
        side.synchronize()
    assert found.is_cuda and driver.driver() is not None
