"""`Module`: parameters, buffers, children, hooks, state; and hooks of all modules."""

from ....generated.tensor import Tensor as Tensor  # programs import these from here
from ....runtime.autograd.hooks import RemovableHandle as RemovableHandle
from ...parameter import Parameter as Parameter
from .base import Module
from .base import indented as _addindent  # noqa: F401
from .hooks import (
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .state_dict import _IncompatibleKeys as _IncompatibleKeys

__all__ = [
    "Module",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"  # the last word of a key under which a module keeps what is no tensor
