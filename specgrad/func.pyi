"""PyTorch's `torch.func`, by names: written from `torch_names.py`."""

from specgrad.nn.as_function import functionalize as functionalize
from specgrad.nn.as_function import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from specgrad.nn.modules.module.functional_call import functional_call as functional_call
from specgrad.nn.modules.module.functional_call import stack_module_state as stack_module_state
from specgrad.runtime.batching import vmap as vmap
from specgrad.runtime.transforms import grad as grad
from specgrad.runtime.transforms import grad_and_value as grad_and_value
from specgrad.runtime.transforms import hessian as hessian
from specgrad.runtime.transforms import jacfwd as jacfwd
from specgrad.runtime.transforms import jacrev as jacrev
from specgrad.runtime.transforms import jvp as jvp
from specgrad.runtime.transforms import linearize as linearize
from specgrad.runtime.transforms import vjp as vjp
