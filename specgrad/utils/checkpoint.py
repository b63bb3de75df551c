"""Checkpointing under PyTorch's name; the code is in specgrad.runtime.autograd."""

from .. import later as _later
from ..runtime.extensions.checkpoint.checkpoint import (
    CheckpointFunction,
    check_backward_validity,
    checkpoint,
    checkpoint_sequential,
    detach_variable,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from ..runtime.extensions.checkpoint.recomputed_frame import CheckpointError

_NAMES = {
    "CheckpointPolicy": "runtime.extensions.checkpoint.selective",
    "DefaultDeviceType": "runtime.extensions.cuda_api.generator",
    "SelectiveCheckpointContext": "runtime.extensions.checkpoint.selective",
    "create_selective_checkpoint_contexts": "runtime.extensions.checkpoint.selective",
    "get_device_states": "runtime.extensions.cuda_api.generator",
    "set_device_states": "runtime.extensions.cuda_api.generator",
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
