"""The module in which PyTorch's `profiler` package defines its names; the code is in specgrad.runtime.profiler."""

from ..runtime.profiler.export import tensorboard_trace_handler
from ..runtime.profiler.profile import ProfilerAction, profile, schedule, supported_activities

__all__ = ["ProfilerAction", "profile", "schedule", "supported_activities", "tensorboard_trace_handler"]
