"""Schedules: which steps are recorded, when the handler is called, and what it finds."""

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.profiler import ProfilerAction, ProfilerActivity, profile, schedule, supported_activities
from specgrad.runtime.tensor.observers import watch

NONE, WARMUP, RECORD, SAVE = ProfilerAction


def plan(text: str) -> Callable[[int], ProfilerAction]:
    """A schedule of one letter per step: n, w, r, s; then nothing."""
    actions = dict(zip("nwrs", ProfilerAction, strict=True))
    return lambda step: actions[text[step]] if step < len(text) else NONE


def run(prof: profile, steps: int) -> None:
    """Each step runs an op that only it has."""
    x, ops = sg.ones(2), [sg.sin, sg.cos, sg.exp, sg.log, sg.tanh, sg.sqrt, sg.abs, sg.neg]
    with prof:
        for op in ops[:steps]:
            op(x)
            prof.step()


def names(prof: profile) -> list[str]:
    return [event.trace_name.removeprefix("aten::") for event in prof.events()]


def test_schedule_says_what_each_step_is() -> None:
    """Wait, warm up, record, save, and so again, from the step after those that are skipped."""
    actions = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    assert [actions(step).name for step in range(1, 5)] == ["NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"]
    assert "".join(str(actions(step).value) for step in range(12)) == "001230123000"


def test_schedules_are_pytorchs() -> None:
    """For all small arguments the actions are the same in every step."""
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # both warn of schedules without warm-up
        for wait, warmup, active, repeat, skip, first in itertools.product(
            range(3), range(2), (1, 2), range(3), (0, 2), (0, 1)
        ):
            arguments = {"wait": wait, "warmup": warmup, "active": active, "repeat": repeat, "skip_first": skip}
            own = schedule(**arguments, skip_first_wait=first)
            other = torch.profiler.schedule(**arguments, skip_first_wait=first)
            assert [own(step).name for step in range(20)] == [other(step).name for step in range(20)], arguments


def test_schedule_refuses_impossible_numbers() -> None:
    """As PyTorch does, with the same words."""
    for wrong in ({"wait": -1}, {"warmup": -1}, {"active": 0}, {"repeat": -1}, {"skip_first": -1}):
        with pytest.raises(AssertionError, match="Invalid profiler schedule arguments"):
            schedule(**{"wait": 1, "warmup": 1, "active": 1, **wrong})
    with pytest.raises(AssertionError, match="non-negative"):
        schedule(wait=0, warmup=1, active=1)(-1)
    with pytest.warns(UserWarning, match="won't be using warmup"):
        schedule(wait=0, warmup=0, active=1)


def test_only_active_steps_are_recorded() -> None:
    """The handler gets the events of the steps of its cycle, in a range per step; afterwards those of the last."""
    found: list[Any] = []
    actions = schedule(wait=1, warmup=1, active=2, repeat=2)
    prof = profile(schedule=actions, on_trace_ready=lambda p: found.append((p.step_num, names(p))))
    run(prof, 8)
    assert found == [
        (4, ["ProfilerStep#2", "exp", "ProfilerStep#3", "log"]),
        (8, ["ProfilerStep#6", "abs", "ProfilerStep#7", "neg"]),
    ]
    assert names(prof) == found[1][1] and prof.step_num == 8
    assert prof.key_averages()[0].key == "ProfilerStep*" and prof.key_averages()[0].count == 2


def test_events_may_accumulate() -> None:
    """With acc_events those of earlier cycles stay."""
    prof = profile(schedule=schedule(wait=0, warmup=1, active=1, repeat=2), acc_events=True)
    run(prof, 5)
    assert names(prof) == ["ProfilerStep#1", "cos", "ProfilerStep#3", "log"]


def test_the_end_cuts_a_cycle_short() -> None:
    """A recording that is not complete when the profiler stops is handed over as it is; a warm-up is not."""
    found: list[Any] = []
    run(profile(schedule=plan("rrrr"), on_trace_ready=lambda p: found.append(names(p))), 2)
    assert found == [["ProfilerStep#0", "sin", "ProfilerStep#1", "cos", "ProfilerStep#2"]]
    prof = profile(schedule=plan("nww"), on_trace_ready=lambda p: found.append(None))
    run(prof, 2)
    assert len(found) == 1
    with pytest.raises(AssertionError, match="must be initialized"):
        prof.events()


def test_without_a_schedule_everything_is_recorded() -> None:
    """step() only counts then, and the handler is called once, at the end."""
    found: list[Any] = []
    prof = profile(on_trace_ready=lambda p: found.append(names(p)))
    run(prof, 3)
    assert found == [["sin", "cos", "exp"]] and prof.step_num == 3


@pytest.mark.parametrize(
    ("text", "retained"), [("rn", ["ProfilerStep#0", "sin"]), ("rw", ["ProfilerStep#0", "sin"]), ("wn", None)]
)
def test_schedules_that_save_nothing_are_warned_of(text: str, retained: list[str] | None) -> None:
    """A recording must end with RECORD_AND_SAVE; what there is stays to be read, the handler is not called."""
    found: list[Any] = []
    prof = profile(schedule=plan(text), on_trace_ready=found.append)
    with pytest.warns(UserWarning, match="Incorrect schedule: .* followed by"):
        run(prof, 1)
    assert not watch.active and found == []
    if retained is not None:
        assert names(prof) == retained


def test_off_between_cycles() -> None:
    """While a schedule waits nothing watches, and other profilers still cannot start."""
    with profile(schedule=plan("nsn")) as prof:
        assert not watch.timers
        with pytest.raises(RuntimeError, match="already enabled"):
            profile().start()
        prof.step()
        assert watch.timers
        prof.step()
        assert not watch.active


def test_a_handler_that_raises_leaves_the_profiler_off() -> None:
    """Its error reaches the caller of step(), and the next profiler can start."""

    def fail(_: Any) -> None:
        raise KeyError("handler")

    with pytest.raises(KeyError, match="handler"):
        run(profile(schedule=plan("ssss"), on_trace_ready=fail), 3)
    assert not watch.active
    with profile():
        pass


def test_activities() -> None:
    """Without a device, times are those of the CPU; asking for CUDA's too is accepted, as scripts do."""
    assert supported_activities() == {ProfilerActivity.CPU}
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        sg.ones(2).sin()
    assert prof.events()[0].cuda_time == prof.key_averages()[0].device_time_total == 0
