"""`utils.benchmark`: times by a clock that the test turns, so that what is said of them can be known."""

import importlib
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.utils.benchmark import Compare, Measurement, TaskSpec, Timer, select_unit, trim_sigfig

pytestmark = pytest.mark.cpu("a clock is no tensor")


class Clock:
    """A clock that goes on by a step at each look, so that a run of any length takes one step."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def both(name: str) -> Any:
    """A name of the module in each library that is there."""
    libraries = ["specgrad"] + (["torch"] if importlib.util.find_spec("torch") else [])
    return [getattr(importlib.import_module(f"{lib}.utils.benchmark"), name) for lib in libraries]


def test_a_number_of_runs() -> None:
    """The time of one run is that of all divided by their number."""
    for kind in both("Timer"):
        found = kind("x += 1", setup="x = 0", timer=Clock(0.5)).timeit(100)
        assert found.number_per_run == 100 and found.raw_times == [0.5]
        assert found.median == found.mean == 0.005 and found.iqr == 0


def test_blocks_until_enough_time_has_passed() -> None:
    """Blocks are measured until they took the time that was asked for."""
    seen: list[Any] = []
    timer = Timer("calls.append(1)", globals={"calls": seen})
    found = timer.blocked_autorange(min_run_time=0.01)
    assert sum(found.raw_times) >= 0.01
    assert len(seen) >= found.number_per_run * len(found.raw_times)
    notified: list[Any] = []
    short = timer.adaptive_autorange(min_run_time=0.001, max_run_time=0.02, callback=lambda *x: notified.append(x))
    assert len(notified) == len(short.raw_times)


def test_threads() -> None:
    """The statement runs with the number of threads that was given, and afterwards all is as it was."""
    seen: list[int] = []
    before = sg.get_num_threads()
    Timer("seen.append(count())", globals={"seen": seen, "count": sg.get_num_threads}, num_threads=3).timeit(2)
    assert set(seen) == {3} and sg.get_num_threads() == before


def test_quartiles() -> None:
    """Median, mean and the distance of quartiles are NumPy's."""
    times = [0.1, 0.4, 0.2, 0.9, 0.3]
    for made in (kind(2, times, task) for kind, task in zip(both("Measurement"), tasks(), strict=True)):
        halves = np.array(times) / 2
        assert made.median == pytest.approx(np.median(halves)) and made.mean == pytest.approx(halves.mean())
        assert made.iqr == pytest.approx(np.subtract(*np.percentile(halves, [75, 25])))
        assert made.has_warnings and not made.meets_confidence(0.5) and made.title == "label: sub"


def tasks() -> list[Any]:
    """One task for each library."""
    return [kind("f()", "pass", label="label", sub_label="sub", num_threads=2) for kind in both("TaskSpec")]


def test_joined() -> None:
    """Measurements of one task are joined, per run of the statement."""
    for kind, task in zip(both("Measurement"), tasks(), strict=True):
        (found,) = kind.merge([kind(2, [0.2], task), kind(4, [0.8, 1.2], task)])
        assert found.times == pytest.approx([0.1, 0.2, 0.3])


def test_tables() -> None:
    """A table has a column for each description and a row for each sub_label."""
    made = [
        Measurement(1, [time], TaskSpec("f()", "pass", label="sizes", sub_label=size, description=way))
        for time, size, way in [(1e-3, "10", "old"), (2e-3, "100", "old"), (5e-4, "10", "new"), (7e-4, "100", "new")]
    ]
    lines = str(Compare(made)).splitlines()
    assert lines[0].strip("[-] ") == "sizes" and [part.strip() for part in lines[1].split("|")[1:]] == ["old", "new"]
    rows = [[part.strip() for part in line.split("|")] for line in lines[3:5]]
    assert rows == [["10", "1000.0", "500.0"], ["100", "2000.0", "700.0"]]
    assert lines[-1] == "Times are in microseconds (us)."
    with pytest.raises(ValueError, match="Measurement"):
        Compare([3])  # type: ignore[list-item]


def test_units_and_digits() -> None:
    """Times are shown in the unit in which they are at least 1."""
    assert [select_unit(time)[0] for time in (3e-9, 2e-6, 0.5, 4.0)] == ["ns", "us", "ms", "s"]
    assert trim_sigfig(0.012345, 2) == pytest.approx(0.012) and trim_sigfig(0, 3) == 0


def test_refusals() -> None:
    """Statements in C++ and counts of instructions are refused."""
    with pytest.raises(ValueError, match="global_setup"):
        Timer(global_setup="int x;")
    with pytest.raises(ValueError):
        Timer(language="c++")
    with pytest.raises(RuntimeError, match="not counted"):
        Timer().collect_callgrind()
    with pytest.raises(NotImplementedError):
        Timer().autorange()
