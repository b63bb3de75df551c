"""Profiling under the older of PyTorch's names; the code is in specgrad.runtime.profiler."""

from ..runtime.arguments import guard_module as _guard_module
from ..runtime.profiler.emit import emit_itt, emit_nvtx
from ..runtime.profiler.event_list import EventList
from ..runtime.profiler.events import FunctionEvent, FunctionEventAvg
from ..runtime.profiler.legacy import profile
from ..runtime.profiler.ranges import record_function

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "emit_itt", "emit_nvtx", "profile", "record_function"]

_guard_module(__name__)
