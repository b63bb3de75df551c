"""Measuring statements under PyTorch's name; the code is in specgrad.runtime.pytorch.measuring."""

from ...runtime.arguments import guard_module as _guard_module
from ...runtime.pytorch.measuring.compare import Compare
from ...runtime.pytorch.measuring.measurement import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)
from ...runtime.pytorch.measuring.timer import Language, Timer, set_torch_threads, timer

__all__ = [
    "Compare",
    "Language",
    "Measurement",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]

_guard_module(__name__)
