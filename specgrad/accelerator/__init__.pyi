"""PyTorch's `torch.accelerator`, by names: written from `torch_names.py`."""

from specgrad.runtime.device.device import cuda_available, cuda_device_count
from specgrad.runtime.device.device import current_accelerator as current_accelerator
from specgrad.runtime.extensions.cuda_api.accelerator import current_device_idx as current_device_idx
from specgrad.runtime.extensions.cuda_api.accelerator import current_device_index as current_device_index
from specgrad.runtime.extensions.cuda_api.accelerator import current_stream as current_stream
from specgrad.runtime.extensions.cuda_api.accelerator import device_index as device_index
from specgrad.runtime.extensions.cuda_api.accelerator import empty_cache as empty_cache
from specgrad.runtime.extensions.cuda_api.accelerator import empty_host_cache as empty_host_cache
from specgrad.runtime.extensions.cuda_api.accelerator import get_memory_info as get_memory_info
from specgrad.runtime.extensions.cuda_api.accelerator import max_memory_allocated as max_memory_allocated
from specgrad.runtime.extensions.cuda_api.accelerator import max_memory_reserved as max_memory_reserved
from specgrad.runtime.extensions.cuda_api.accelerator import memory_allocated as memory_allocated
from specgrad.runtime.extensions.cuda_api.accelerator import memory_reserved as memory_reserved
from specgrad.runtime.extensions.cuda_api.accelerator import memory_stats as memory_stats
from specgrad.runtime.extensions.cuda_api.accelerator import (
    reset_accumulated_memory_stats as reset_accumulated_memory_stats,
)
from specgrad.runtime.extensions.cuda_api.accelerator import reset_peak_memory_stats as reset_peak_memory_stats
from specgrad.runtime.extensions.cuda_api.accelerator import set_device_idx as set_device_idx
from specgrad.runtime.extensions.cuda_api.accelerator import set_device_index as set_device_index
from specgrad.runtime.extensions.cuda_api.accelerator import set_stream as set_stream
from specgrad.runtime.extensions.cuda_api.accelerator import synchronize as synchronize

device_count = cuda_device_count
is_available = cuda_available
