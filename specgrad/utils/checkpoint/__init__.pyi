"""PyTorch's `torch.utils.checkpoint`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.checkpoint.checkpoint import CheckpointFunction as CheckpointFunction
from specgrad.runtime.extensions.checkpoint.checkpoint import check_backward_validity as check_backward_validity
from specgrad.runtime.extensions.checkpoint.checkpoint import checkpoint as checkpoint
from specgrad.runtime.extensions.checkpoint.checkpoint import checkpoint_sequential as checkpoint_sequential
from specgrad.runtime.extensions.checkpoint.checkpoint import detach_variable as detach_variable
from specgrad.runtime.extensions.checkpoint.checkpoint import noop_context_fn as noop_context_fn
from specgrad.runtime.extensions.checkpoint.checkpoint import (
    set_checkpoint_debug_enabled as set_checkpoint_debug_enabled,
)
from specgrad.runtime.extensions.checkpoint.checkpoint import set_checkpoint_early_stop as set_checkpoint_early_stop
from specgrad.runtime.extensions.checkpoint.recomputed_frame import CheckpointError as CheckpointError
from specgrad.runtime.extensions.checkpoint.selective import CheckpointPolicy as CheckpointPolicy
from specgrad.runtime.extensions.checkpoint.selective import SelectiveCheckpointContext as SelectiveCheckpointContext
from specgrad.runtime.extensions.checkpoint.selective import (
    create_selective_checkpoint_contexts as create_selective_checkpoint_contexts,
)
from specgrad.runtime.extensions.cuda_api.generator import DefaultDeviceType as DefaultDeviceType
from specgrad.runtime.extensions.cuda_api.generator import get_device_states as get_device_states
from specgrad.runtime.extensions.cuda_api.generator import set_device_states as set_device_states
