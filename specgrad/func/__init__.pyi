"""PyTorch's `torch.func`, by names: written from `torch_names.py`."""

from specgrad.nn.modules.module.functional_call import functional_call as functional_call
from specgrad.nn.modules.module.functional_call import stack_module_state as stack_module_state
from specgrad.nn.utils.functional_call import functionalize as functionalize
from specgrad.nn.utils.functional_call import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from specgrad.runtime.extensions.transforms import grad as grad
from specgrad.runtime.extensions.transforms import grad_and_value as grad_and_value
from specgrad.runtime.extensions.transforms import hessian as hessian
from specgrad.runtime.extensions.transforms import jacfwd as jacfwd
from specgrad.runtime.extensions.transforms import jacrev as jacrev
from specgrad.runtime.extensions.transforms import jvp as jvp
from specgrad.runtime.extensions.transforms import linearize as linearize
from specgrad.runtime.extensions.transforms import vjp as vjp
from specgrad.runtime.extensions.vmap import vmap as vmap
