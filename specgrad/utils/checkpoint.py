"""Checkpointing under PyTorch's name; the code is in specgrad.runtime.autograd."""

from ..runtime.autograd.checkpointing.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from ..runtime.autograd.checkpointing.frame import CheckpointError
from ..runtime.autograd.checkpointing.reentrant import CheckpointFunction, check_backward_validity, detach_variable

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
