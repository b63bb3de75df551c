"""PyTorch's `torch.autograd.functional`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.functional import hessian as hessian
from specgrad.runtime.autograd.functional import hvp as hvp
from specgrad.runtime.autograd.functional import jacobian as jacobian
from specgrad.runtime.autograd.functional import jvp as jvp
from specgrad.runtime.autograd.functional import vhp as vhp
from specgrad.runtime.autograd.functional import vjp as vjp
from specgrad.runtime.autograd.functional.jacobian import _construct_standard_basis_for as _construct_standard_basis_for
from specgrad.runtime.autograd.functional.structure import _as_tuple as _as_tuple
from specgrad.runtime.autograd.functional.structure import _grad_postprocess as _grad_postprocess
from specgrad.runtime.autograd.functional.structure import _tuple_postprocess as _tuple_postprocess
