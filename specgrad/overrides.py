"""`__torch_function__`, which takes the place of functions; the code is in specgrad.runtime.modes.overrides."""

from .runtime.modes.overrides.api import (
    get_ignored_functions,
    get_overridable_functions,
    get_testing_overrides,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
    is_tensor_like,
    is_tensor_method_or_property,
    resolve_name,
    wrap_torch_function,
)
from .runtime.modes.overrides.modes import BaseTorchFunctionMode, TorchFunctionMode

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]
