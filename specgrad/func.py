"""Function transforms under PyTorch's name, `torch.func`; the code is in specgrad.runtime.transforms and batching."""

from .nn.as_function import functionalize, replace_all_batch_norm_modules_
from .nn.modules.module.functional_call import functional_call, stack_module_state
from .runtime.batching import vmap
from .runtime.transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
