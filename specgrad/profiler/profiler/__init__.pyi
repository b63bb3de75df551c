"""PyTorch's `torch.profiler.profiler`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.profiler.export import tensorboard_trace_handler as tensorboard_trace_handler
from specgrad.runtime.extensions.profiler.profile import ProfilerAction as ProfilerAction
from specgrad.runtime.extensions.profiler.profile import profile as profile
from specgrad.runtime.extensions.profiler.profile import schedule as schedule
from specgrad.runtime.extensions.profiler.profile import supported_activities as supported_activities
