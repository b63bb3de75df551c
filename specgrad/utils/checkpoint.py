"""Checkpointing under PyTorch's name; the code is in specgrad.runtime.autograd."""

from .. import later as _later
from ..runtime.autograd.checkpointing.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from ..runtime.autograd.checkpointing.frame import CheckpointError
from ..runtime.autograd.checkpointing.reentrant import CheckpointFunction, check_backward_validity, detach_variable

_NAMES = {
    "CheckpointPolicy": "runtime.autograd.checkpointing.selective",
    "DefaultDeviceType": "runtime.cuda.api.checkpoint_states",
    "SelectiveCheckpointContext": "runtime.autograd.checkpointing.selective",
    "create_selective_checkpoint_contexts": "runtime.autograd.checkpointing.selective",
    "get_device_states": "runtime.cuda.api.checkpoint_states",
    "set_device_states": "runtime.cuda.api.checkpoint_states",
}

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]
__all__ += _NAMES

__getattr__ = _later.finder(__name__, (), _NAMES)
__dir__ = _later.listing(__name__, *__all__)
