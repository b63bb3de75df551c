"""`profile`, which records, by a schedule if wanted, and shows what it saw; and `autograd.profiler.profile`."""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from ...device.device import cuda_available
from ...errors import warn_user
from ...methods.argument_guard import explained
from .event_list import EventList
from .named_ranges import RANGE
from .results import Recorder, Results
from .session import Record

ProfilerActivity = Enum("ProfilerActivity", "CPU XPU MTIA CUDA HPU PrivateUse1", module=__name__, start=0)
ProfilerActivity.__doc__ = "Activities: of the program on the CPU, and of CUDA devices."


class ProfilerAction(Enum):
    """The action of a profiler during one step of its schedule."""

    NONE = 0
    WARMUP = 1  # it is on, so that what happens only the first time has happened, and forgets what it saw
    RECORD = 2
    RECORD_AND_SAVE = 3  # the last step of those that are recorded together


def kineto_available() -> bool:
    """Whether `profile` can be used: it can, without the library that PyTorch asks for here."""
    return True


def supported_activities() -> set[ProfilerActivity]:
    """The kinds of activity whose times are measured: those of the CPU, and of CUDA devices if there are any."""
    return {ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda_available() else [])}


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
        position = step % cycle
        if position < wait:
            return ProfilerAction.NONE
        if position < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if position < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


NONE, WARMUP = ProfilerAction.NONE, ProfilerAction.WARMUP
RECORD, RECORD_AND_SAVE = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE


class profile(Results):
    """Record the ops, backward nodes and named ranges that run inside, in every thread, with their times.

    The same kernels run with it as without. docs/profiling.md explains the figures.

    Args:
        activities: a list of ProfilerActivity, all when left out; with CUDA, ops are also timed on their devices.
        schedule: a function from the number of a step to a ProfilerAction, see `schedule`; without one everything
            between start and stop is recorded. `step()` ends a step.
        on_trace_ready: called with the profiler when steps that are recorded together, or everything, are complete.
        record_shapes: also record the arguments of ops.
        profile_memory: also follow the memory of what ops return.
        with_stack: also note from where in the program each op was called.
        with_flops: also estimate floating-point operations of products and element-wise arithmetic.
        with_modules: accepted for compatibility.
        experimental_config: accepted for compatibility.
        execution_trace_observer: accepted for compatibility.
        acc_events: keep the events of earlier cycles of the schedule; otherwise those of the last cycle are shown.
        use_cuda: whether ops are timed on CUDA devices, in place of what `activities` says.

    Raises:
        AssertionError: `activities` has something that is no ProfilerActivity, or nothing.
        RuntimeError: at the start, when another profiler is on.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, 3, requires_grad=True)
        >>> with sg.profiler.profile(record_shapes=True) as prof:
        ...     (x * x).sum().backward()
        >>> [(event.name, event.input_shapes) for event in prof.events()[:2]]
        [('aten::mul', [[2, 3], [2, 3]]), ('aten::sum', [[2, 3]])]
        >>> prof.key_averages().table(sort_by="cpu_time_total", row_limit=5).splitlines()[1].split()[:4]
        ['Name', 'Self', 'CPU', '%']
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
    ) -> None:
        chosen = set(ProfilerActivity if activities is None else activities)
        if not chosen or not all(isinstance(activity, ProfilerActivity) for activity in chosen):
            raise AssertionError(
                f"No valid profiler activities found: expected members of ProfilerActivity, got {activities}"
            )
        self.activities = chosen
        self.schedule = schedule
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = NONE
        devices = ProfilerActivity.CUDA in chosen if use_cuda is None else use_cuda
        self._recorder = Recorder(record_shapes, profile_memory, with_stack, with_flops, acc_events, devices)
        self._step: Record | None = None

    def start(self) -> None:
        """Begin: record, or do what the schedule says for step 0."""
        self._recorder.claim()
        self.step_num = 0
        self.current_action = self._action()
        self._move(NONE, self.current_action)

    def step(self) -> None:
        """End a step: the next one is done as the schedule says."""
        self._end_step()
        self.step_num += 1
        before, self.current_action = self.current_action, self._action()
        self._move(before, self.current_action)

    def stop(self) -> None:
        """End: nothing more is recorded, and `on_trace_ready` gets what was. An AssertionError where nothing began."""
        if self.current_action is NONE and not self._recorder.claimed:
            raise AssertionError("Profiler must be initialized before stopping trace")
        before, self.current_action = self.current_action, NONE
        self._end_step()
        try:
            ready = self._recorder.end(keep=before not in (NONE, WARMUP))
        finally:
            self._recorder.release()
        if ready and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def __enter__(self) -> "profile":
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _action(self) -> ProfilerAction:
        return RECORD if self.schedule is None else self.schedule(self.step_num)

    def _move(self, before: ProfilerAction, after: ProfilerAction) -> None:
        recorder = self._recorder
        broken = before in (WARMUP, RECORD) and after is NONE or before is RECORD and after is WARMUP
        if broken:
            warn_user(f"Incorrect schedule: {before.name} followed by {after.name}")
        if before is RECORD_AND_SAVE or broken or (before is WARMUP and after is not WARMUP):
            ready = recorder.end(keep=before is not WARMUP)
            if ready and before is RECORD_AND_SAVE and self.on_trace_ready is not None:
                self.on_trace_ready(self)
        if after is not NONE and recorder.session is None:
            recorder.begin()
        if self.schedule is not None and recorder.session is not None:
            self._step = recorder.session.begin(f"ProfilerStep#{self.step_num}", RANGE)

    def _end_step(self) -> None:
        if self._step is not None and self._recorder.session is not None:
            self._recorder.session.end(self._step)
        self._step = None


class legacy_profile(Results):
    """Record the ops, backward nodes and named ranges that run inside; `specgrad.profiler.profile` also has schedules.

    Args:
        enabled: False does nothing.
        use_cuda: also time ops on CUDA devices.
        use_device: "cuda" does the same.
        record_shapes: also record the arguments of ops.
        with_flops: also estimate floating-point operations of products and element-wise arithmetic.
        profile_memory: also follow the memory of what ops return.
        with_stack: also note from where in the program each op was called.
        with_modules: accepted for compatibility.
        use_kineto: accepted for compatibility.
        use_cpu: accepted for compatibility.
        acc_events: accepted for compatibility; there is one recording.

    Raises:
        RuntimeError: at the start, when another profiler is on or this one has been used.

    Example:
        >>> import specgrad as sg
        >>> with sg.autograd.profiler.profile() as prof:
        ...     y = sg.ones(2).exp()
        >>> [event.name for event in prof.function_events]
        ['aten::exp']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: Any = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        acc_events: bool = False,
    ) -> None:
        self.enabled = enabled
        self.entered = False
        devices = use_cuda or use_device == "cuda"
        self._recorder = Recorder(record_shapes, profile_memory, with_stack, with_flops, devices=devices)

    def __enter__(self) -> "legacy_profile":
        if self.enabled:
            if self.entered:
                raise RuntimeError("Profiler context manager is not reentrant")
            self._recorder.claim()
            self.entered = True
            self._recorder.begin()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.enabled:
            try:
                self._recorder.end()
            finally:
                self._recorder.release()

    @property
    def function_events(self) -> EventList:
        """All events, in the order in which they began."""
        return self.events()

    def table(self, *args: Any, **kwargs: Any) -> str:
        """The events as a table; arguments as of `EventList.table`."""
        return self.events().table(*args, **kwargs)

    def __str__(self) -> str:
        return self.table() if self._recorder.finished else "<unfinished profiler.profile>"
