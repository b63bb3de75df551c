"""PyTorch's `torch.autograd.profiler`, by names: written from `torch_names.py`."""

from specgrad.runtime.profiler.emit import emit_itt as emit_itt
from specgrad.runtime.profiler.emit import emit_nvtx as emit_nvtx
from specgrad.runtime.profiler.event_list import EventList as EventList
from specgrad.runtime.profiler.events import FunctionEvent as FunctionEvent
from specgrad.runtime.profiler.events import FunctionEventAvg as FunctionEventAvg
from specgrad.runtime.profiler.legacy import legacy_profile
from specgrad.runtime.profiler.ranges import record_function as record_function

profile = legacy_profile
