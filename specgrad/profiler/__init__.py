"""The profiler under PyTorch's name; the code is in specgrad.runtime.profiler."""

from ..runtime.arguments import guard_module as _guard_module
from ..runtime.profiler.event_list import EventList
from ..runtime.profiler.events import FunctionEvent, FunctionEventAvg
from ..runtime.profiler.export import tensorboard_trace_handler
from ..runtime.profiler.profile import (
    ProfilerAction,
    ProfilerActivity,
    kineto_available,
    profile,
    schedule,
    supported_activities,
)
from ..runtime.profiler.ranges import record_function
from . import profiler

__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "profile",
    "profiler",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

_guard_module(__name__)
