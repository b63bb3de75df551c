"""Checkpointing under PyTorch's name; the code is in specgrad.runtime.autograd."""

from ..runtime.autograd.checkpointing.checkpoint import (
    checkpoint,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from ..runtime.autograd.checkpointing.frame import CheckpointError
from ..runtime.autograd.checkpointing.reentrant import CheckpointFunction, check_backward_validity, detach_variable
from ..runtime.autograd.checkpointing.sequential import checkpoint_sequential

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
