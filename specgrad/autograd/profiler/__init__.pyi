"""PyTorch's `torch.autograd.profiler`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.profiler.collect import emit_itt as emit_itt
from specgrad.runtime.extensions.profiler.collect import emit_nvtx as emit_nvtx
from specgrad.runtime.extensions.profiler.event_list import EventList as EventList
from specgrad.runtime.extensions.profiler.events import FunctionEvent as FunctionEvent
from specgrad.runtime.extensions.profiler.events import FunctionEventAvg as FunctionEventAvg
from specgrad.runtime.extensions.profiler.named_ranges import record_function as record_function
from specgrad.runtime.extensions.profiler.profile import legacy_profile

profile = legacy_profile
