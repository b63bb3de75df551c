"""The profiler under PyTorch's name; the code is in specgrad.runtime.profiler."""

from ..runtime.arguments import guard_module as _guard_module
from ..runtime.profiler.averages import FunctionEventAvg
from ..runtime.profiler.event_list import EventList
from ..runtime.profiler.events import FunctionEvent
from ..runtime.profiler.handlers import tensorboard_trace_handler
from ..runtime.profiler.profile import profile
from ..runtime.profiler.ranges import record_function
from ..runtime.profiler.schedule import ProfilerAction, ProfilerActivity, schedule, supported_activities
from . import profiler

__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "profiler",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

_guard_module(__name__)
