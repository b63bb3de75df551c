"""PyTorch's `torch.functorch`, by names: written from `torch_names.py`."""

from specgrad.func import grad as grad
from specgrad.func import grad_and_value as grad_and_value
from specgrad.func import hessian as hessian
from specgrad.func import jacfwd as jacfwd
from specgrad.func import jacrev as jacrev
from specgrad.func import jvp as jvp
from specgrad.func import linearize as linearize
from specgrad.func import vjp as vjp
from specgrad.func import vmap as vmap
from specgrad.nn.utils.functional_call import FunctionalModule as FunctionalModule
from specgrad.nn.utils.functional_call import FunctionalModuleWithBuffers as FunctionalModuleWithBuffers
from specgrad.nn.utils.functional_call import combine_state_for_ensemble as combine_state_for_ensemble
from specgrad.nn.utils.functional_call import functionalize as functionalize
from specgrad.nn.utils.functional_call import make_functional as make_functional
from specgrad.nn.utils.functional_call import make_functional_with_buffers as make_functional_with_buffers
from specgrad.nn.utils.functional_call import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
