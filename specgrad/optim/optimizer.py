"""The base class of optimizers under PyTorch's name, and what optimizers of other libraries import besides."""

from ..nn.modules.borrowed import borrowed as _borrowed
from ..nn.optim.optimizer import Optimizer, required
from ..nn.optim.steps import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required"]

_PARTS = {
    "ParamsT": "ParamsT",
    "params_t": "ParamsT",
    "_capturable_doc": "_capturable_doc",
    "_default_to_fused_or_foreach": "default_to_fused_or_foreach",
    "_differentiable_doc": "_differentiable_doc",
    "_disable_dynamo_if_unsupported": "disable_dynamo_if_unsupported",
    "_dispatch_sqrt": "dispatch_sqrt",
    "_foreach_doc": "_foreach_doc",
    "_fused_doc": "_fused_doc",
    "_get_scalar_dtype": "get_scalar_dtype",
    "_get_capturable_supported_devices": "capturable_supported_devices",
    "_get_value": "get_value",
    "_maximize_doc": "_maximize_doc",
    "_params_doc": "_params_doc",
    "_stack_if_compiling": "stack_if_compiling",
    "_to_scalar": "to_scalar",
    "_use_grad_for_differentiable": "use_grad_for_differentiable",
    "_view_as_real": "view_complex_as_real",
}


def __getattr__(name: str) -> object:
    if name in _PARTS:
        from ..nn.optim import parts

        return getattr(parts, _PARTS[name])
    return _borrowed(__name__, "optim")(name)
