"""The older `autograd.profiler.profile`: records what runs inside, and is itself printed as a table."""

from __future__ import annotations

from typing import Any

from .event_list import EventList
from .results import Recorder, Results


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

    def __enter__(self) -> legacy_profile:
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


legacy_profile.__name__ = legacy_profile.__qualname__ = "profile"  # as PyTorch calls it
