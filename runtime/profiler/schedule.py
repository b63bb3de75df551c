"""When a profiler records: `schedule` says for every step what is to be done, `ProfilerAction` names that."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from ..arguments import explained
from ..user_warning import warn_user


class ProfilerActivity(Enum):
    """What is profiled. Everything runs on the CPU; CUDA is accepted, and the times of its kernels are not measured."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(Enum):
    """What a profiler does during one step."""

    NONE = 0
    WARMUP = 1  # it is on, so that what happens only the first time has happened, and forgets what it saw
    RECORD = 2
    RECORD_AND_SAVE = 3  # the last step of those that are recorded together


def supported_activities() -> set[ProfilerActivity]:
    """The kinds of activity whose times are measured: those of the CPU."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """A schedule for `profile(schedule=...)`: wait, warm up, record, and so again.

    Args:
        wait: steps of each cycle in which the profiler is off.
        warmup: steps in which it is on and forgets what it sees, so that kernels are compiled before it counts.
        active: steps that are recorded.
        repeat: how many cycles there are; 0 means as many as the program has steps for.
        skip_first: steps before the first cycle.
        skip_first_wait: unless 0, the first cycle has no steps of waiting.

    Returns:
        A function from the number of a step to a ProfilerAction.

    Raises:
        AssertionError: a number is out of range.

    Example:
        >>> import specgrad as sg
        >>> plan = sg.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [plan(step).name for step in range(5)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn_user("Profiler won't be using warmup, this can skew profiler results")
    cycle = wait + warmup + active

    @explained
    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first - (wait if skip_first_wait else 0)
        if repeat and step >= repeat * cycle:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action
