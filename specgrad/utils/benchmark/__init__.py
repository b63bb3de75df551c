"""Measuring statements under PyTorch's name; the code is in specgrad.runtime.measuring."""

from ...runtime.measuring.compare import Compare
from ...runtime.measuring.measurement import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)
from ...runtime.measuring.timer import Language, Timer, set_torch_threads, timer

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
