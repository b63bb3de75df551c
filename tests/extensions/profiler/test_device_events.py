"""Times of work on devices: of ops, of backward, of what holds them, in tables and traces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.profiler import ProfilerActivity, profile, record_function, supported_activities
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.simulator import in_use, simulated


class Clock(SimulatedDriver):
    """A device whose events are a millisecond apart, in the order in which they were recorded, and lie in its books."""

    def __init__(self) -> None:
        super().__init__()
        self.times: dict[int, int] = {}
        self.alive: set[int] = set()

    def create_event(self, device: int, timing: bool = False) -> int:
        event = super().create_event(device, timing)
        self.alive.add(event)
        return event

    def record(self, event: int, stream: int) -> None:
        super().record(event, stream)
        self.times[event] = len(self.times)

    def destroy_event(self, event: int) -> None:
        super().destroy_event(event)
        self.alive.remove(event)

    def elapsed(self, start: int, end: int) -> float:
        super().elapsed(start, end)
        return float(self.times[end] - self.times[start])


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A device whose time is known."""
    found = Clock()
    with in_use(found):
        yield found


def named(prof: Any, name: str) -> Any:
    return next(event for event in prof.events() if event.name == name)


def test_times_of_ops(clock: Clock) -> None:
    """An op is as long as its pair of events; what holds ops is as long as these; events are given back."""
    x = sg.ones(3, device="cuda", requires_grad=True)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        with record_function("part"):
            y = x.exp()
            z = y.sin()
        z.sum().backward()
    assert [named(prof, f"aten::{name}").device_time_total for name in ("exp", "sin", "sum")] == [1000] * 3
    part = named(prof, "part")
    assert (part.device_time_total, part.self_device_time_total, part.device_index) == (2000, 0, -1)
    node = named(prof, "SinBackward0")
    assert node.cpu_children == []  # one kernel computes it
    assert node.self_device_time_total == node.device_time_total == 1000
    assert node.cpu_parent.cuda_time_total == 1000 and node.cpu_parent.self_cuda_time_total == 0
    averages = prof.key_averages()
    exp = next(each for each in averages if each.key == "aten::exp")
    assert (exp.device_time, exp.cuda_time, exp.self_device_time_total) == (1000, 1000, 1000)
    assert averages.self_device_time_total == prof.events().self_device_time_total
    references = 1
    assert len(clock.alive) == references


def test_ops_in_ops(clock: Clock) -> None:
    """An op that is made of others has their time, and its own besides."""
    x = sg.ones(2, 3, 4, device="cuda")
    with profile() as prof:
        sg.matmul(x, x.mT)
    outer = named(prof, "aten::matmul")
    inner = next(child for child in outer.cpu_children if child.name == "aten::bmm")
    assert outer.device_time_total == outer.self_device_time_total + sum(
        c.device_time_total for c in outer.cpu_children
    )
    assert inner.device_time_total > 0 and outer.device_time_total > inner.device_time_total


def test_what_takes_no_time(clock: Clock) -> None:
    """Views, work on the CPU, and everything where CUDA was not asked for."""
    x, y = sg.ones(3, 2, device="cuda"), sg.ones(3)
    with profile() as prof:
        x.t(), x[1], y.exp()
    assert [event.device_time_total for event in prof.events()] == [0] * len(prof.events())
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        x.exp()
    assert named(prof, "aten::exp").device_time_total == 0
    with profile(use_cuda=False) as prof:
        x.exp()
    assert named(prof, "aten::exp").device_time_total == 0
    with sg.autograd.profiler.profile(use_device="cuda") as old:
        x.exp()
    assert old.function_events[0].device_time_total == 1000


def test_copies_from_the_host(clock: Clock) -> None:
    """A copy to a device is its work, though no argument lies there."""
    with profile() as prof:
        sg.ones(3).to("cuda")
    assert named(prof, "aten::to_device").device_time_total == 1000


def test_table(clock: Clock) -> None:
    """Columns for devices are there if devices worked."""
    x = sg.ones(3, device="cuda")
    with profile() as prof:
        x.exp(), x.exp(), x.sin()
    text = prof.key_averages().table(sort_by="self_device_time_total")
    assert all(title in text for title in ("Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"))
    assert "Self CUDA time total: 3.000ms" in text and "66.67%" in text
    assert text.index("aten::exp") < text.index("aten::sin")
    with profile() as prof:
        sg.ones(2).exp()
    assert "CUDA" not in prof.key_averages().table()


def test_trace(clock: Clock, tmp_path: Path) -> None:
    """Each stream of a device has a lane, with arrows from ops to what the device did for them."""
    x = sg.ones(3, device="cuda")
    side = sg.cuda.Stream()
    with profile() as prof:
        x.exp()
        side.wait_stream(sg.cuda.current_stream())
        with sg.cuda.stream(side):
            y = x.sin()
        side.synchronize()
    prof.export_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    kernels = [entry for entry in trace["traceEvents"] if entry.get("cat") == "kernel"]
    assert [(k["name"], k["pid"], k["tid"], k["dur"]) for k in kernels] == [
        ("aten::exp", 0, 0, 1000),
        ("aten::sin", 0, side.cuda_stream, 1000),
    ]
    assert kernels[1]["ts"] > kernels[0]["ts"]
    arrows = [entry for entry in trace["traceEvents"] if entry.get("cat") == "ac2g"]
    assert [arrow["ph"] for arrow in arrows] == ["s", "f"] * 2 and len({arrow["id"] for arrow in arrows}) == 2
    assert trace["deviceProperties"][0]["name"] == "Simulated CUDA device"
    names = [e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name" and e["pid"] == 0]
    assert names == ["CUDA 0"] and y.tolist()


def test_activities_of_a_machine_with_a_device() -> None:
    """CUDA is among them."""
    with simulated():
        assert supported_activities() == {ProfilerActivity.CPU, ProfilerActivity.CUDA}
