"""PyTorch's `torch.optim.optimizer`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.nn.optim.functional import _capturable_doc as _capturable_doc
from specgrad.nn.optim.functional import _differentiable_doc as _differentiable_doc
from specgrad.nn.optim.functional import _foreach_doc as _foreach_doc
from specgrad.nn.optim.functional import _fused_doc as _fused_doc
from specgrad.nn.optim.functional import _maximize_doc as _maximize_doc
from specgrad.nn.optim.functional import _params_doc as _params_doc
from specgrad.nn.optim.functional import (
    capturable_supported_devices,
    default_to_fused_or_foreach,
    disable_dynamo_if_unsupported,
    dispatch_sqrt,
    get_scalar_dtype,
    get_value,
    stack_if_compiling,
    to_scalar,
    use_grad_for_differentiable,
    view_complex_as_real,
)
from specgrad.nn.optim.optimizer import Optimizer as Optimizer
from specgrad.nn.optim.optimizer import ParamsT as ParamsT
from specgrad.nn.optim.optimizer import register_optimizer_step_post_hook as register_optimizer_step_post_hook
from specgrad.nn.optim.optimizer import register_optimizer_step_pre_hook as register_optimizer_step_pre_hook
from specgrad.nn.optim.optimizer import required as required

params_t = ParamsT
_default_to_fused_or_foreach = default_to_fused_or_foreach
_disable_dynamo_if_unsupported = disable_dynamo_if_unsupported
_dispatch_sqrt = dispatch_sqrt
_get_capturable_supported_devices = capturable_supported_devices
_get_scalar_dtype = get_scalar_dtype
_get_value = get_value
_stack_if_compiling = stack_if_compiling
_to_scalar = to_scalar
_use_grad_for_differentiable = use_grad_for_differentiable
_view_as_real = view_complex_as_real

def __getattr__(name: str) -> Any: ...
