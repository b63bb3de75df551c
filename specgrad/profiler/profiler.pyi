"""PyTorch's `torch.profiler.profiler`, by names: written from `torch_names.py`."""

from specgrad.runtime.profiler.export import tensorboard_trace_handler as tensorboard_trace_handler
from specgrad.runtime.profiler.profile import ProfilerAction as ProfilerAction
from specgrad.runtime.profiler.profile import profile as profile
from specgrad.runtime.profiler.profile import schedule as schedule
from specgrad.runtime.profiler.profile import supported_activities as supported_activities
