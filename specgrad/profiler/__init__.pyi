"""PyTorch's `torch.profiler`, by names: written from `torch_names.py`."""

from specgrad.runtime.profiler.event_list import EventList as EventList
from specgrad.runtime.profiler.events import FunctionEvent as FunctionEvent
from specgrad.runtime.profiler.events import FunctionEventAvg as FunctionEventAvg
from specgrad.runtime.profiler.export import tensorboard_trace_handler as tensorboard_trace_handler
from specgrad.runtime.profiler.profile import ProfilerAction as ProfilerAction
from specgrad.runtime.profiler.profile import ProfilerActivity as ProfilerActivity
from specgrad.runtime.profiler.profile import kineto_available as kineto_available
from specgrad.runtime.profiler.profile import profile as profile
from specgrad.runtime.profiler.profile import schedule as schedule
from specgrad.runtime.profiler.profile import supported_activities as supported_activities
from specgrad.runtime.profiler.ranges import record_function as record_function

from . import profiler as profiler
