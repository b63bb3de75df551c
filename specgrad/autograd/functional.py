"""Jacobians, Hessians and their products under PyTorch's name; the code is in specgrad.runtime.autograd.functional."""

from ..runtime.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from ..runtime.autograd.functional.jacobian import _construct_standard_basis_for as _construct_standard_basis_for
from ..runtime.autograd.functional.structure import _as_tuple as _as_tuple
from ..runtime.autograd.functional.structure import _grad_postprocess as _grad_postprocess
from ..runtime.autograd.functional.structure import _tuple_postprocess as _tuple_postprocess

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
