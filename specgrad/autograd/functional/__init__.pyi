"""PyTorch's `torch.autograd.functional`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.transforms.jacobian import (
    _construct_standard_basis_for as _construct_standard_basis_for,
)
from specgrad.runtime.extensions.transforms.jacobian import hessian as hessian
from specgrad.runtime.extensions.transforms.jacobian import jacobian as jacobian
from specgrad.runtime.extensions.transforms.products import hvp as hvp
from specgrad.runtime.extensions.transforms.products import jvp as jvp
from specgrad.runtime.extensions.transforms.products import vhp as vhp
from specgrad.runtime.extensions.transforms.products import vjp as vjp
from specgrad.runtime.extensions.transforms.structure import _as_tuple as _as_tuple
from specgrad.runtime.extensions.transforms.structure import _grad_postprocess as _grad_postprocess
from specgrad.runtime.extensions.transforms.structure import _tuple_postprocess as _tuple_postprocess
