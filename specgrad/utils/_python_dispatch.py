"""What programs ask about the dispatcher below ops, under PyTorch's name: there is none, so no mode is ever on it."""

from ..runtime.pytorch.environment.dispatch_modes import (
    TorchDispatchMode,
    is_in_torch_dispatch_mode,
    is_traceable_wrapper_subclass,
    is_traceable_wrapper_subclass_type,
)
from ..runtime.pytorch.environment.dispatch_modes import current_mode as _get_current_dispatch_mode
from ..runtime.pytorch.environment.dispatch_modes import current_modes as _get_current_dispatch_mode_stack
from ..runtime.pytorch.environment.dispatch_modes import without_modes as _disable_current_modes

__all__ = [
    "TorchDispatchMode",
    "_disable_current_modes",
    "_get_current_dispatch_mode",
    "_get_current_dispatch_mode_stack",
    "is_in_torch_dispatch_mode",
    "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type",
]
