"""PyTorch's `torch.profiler`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.profiler.event_list import EventList as EventList
from specgrad.runtime.extensions.profiler.events import FunctionEvent as FunctionEvent
from specgrad.runtime.extensions.profiler.events import FunctionEventAvg as FunctionEventAvg
from specgrad.runtime.extensions.profiler.export import tensorboard_trace_handler as tensorboard_trace_handler
from specgrad.runtime.extensions.profiler.named_ranges import record_function as record_function
from specgrad.runtime.extensions.profiler.profile import ProfilerAction as ProfilerAction
from specgrad.runtime.extensions.profiler.profile import ProfilerActivity as ProfilerActivity
from specgrad.runtime.extensions.profiler.profile import kineto_available as kineto_available
from specgrad.runtime.extensions.profiler.profile import profile as profile
from specgrad.runtime.extensions.profiler.profile import schedule as schedule
from specgrad.runtime.extensions.profiler.profile import supported_activities as supported_activities

from . import profiler as profiler
