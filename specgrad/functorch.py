"""What the package `functorch`, which comes with PyTorch, offers: transforms, and modules as functions."""

from .func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from .nn.as_function import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    functionalize,
    make_functional,
    make_functional_with_buffers,
    replace_all_batch_norm_modules_,
)
from .runtime.arguments import guard_module as _guard_module

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "make_functional",
    "make_functional_with_buffers",
    "replace_all_batch_norm_modules_",
    "vjp",
    "vmap",
]

_guard_module(__name__)
